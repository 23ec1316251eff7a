"""framegauge rules and framegauge explain."""

from __future__ import annotations

import json

import pytest

import framegauge as fg
from framegauge.behaviour import readers
from framegauge.protocol import REVISIONS
from framegauge.render import FORMATS
from framegauge.render.results import WIDTH, RulePage
from tests.integration.test_cli import call, one_line, run


def test_the_list() -> None:
    done = run("rules")
    assert (done.returncode, done.stderr) == (0, b"")
    heading, *lines = done.stdout.decode("ascii").splitlines()
    assert heading.split() == ["rule", "jsonrpc", "24-11", "25-03", "25-06", "25-11", "26-07", "authority", "title"]
    assert [line.split()[0] for line in lines] == [rule.id for rule in fg.rules()]
    column = heading.index("title")
    for line, rule in zip(lines, fg.rules(), strict=True):
        assert line[column:] == rule.title
        assert line[column - 1] == " "
        assert line.split()[1:8] == [
            *(rule.severities().get(revision, "-")[0].upper() for revision in REVISIONS),
            ",".join(rule.authority),
        ]


def test_the_list_as_json() -> None:
    done = run("rules", "--format", "json")
    assert (done.returncode, done.stderr) == (0, b"")
    listed = json.loads(done.stdout)
    assert listed["schema"] == "framegauge.rules/1"
    assert [rule["id"] for rule in listed["rules"]] == [rule.id for rule in fg.rules()]
    [null] = [rule for rule in listed["rules"] if rule["id"] == "id-not-integer"]
    assert list(null["severities"].items()) == [(name, "error" if name[0] == "2" else "warning") for name in REVISIONS]
    assert null["authority"] == ["mcp"]
    assert null["clauses"] == ["id-type-mcp"]
    assert null["urls"][0].startswith("https://modelcontextprotocol.io/specification/2026-07-28/")


@pytest.mark.parametrize("rule", ["invalid-utf8", "nesting-limit", "embedded-newline", "id-null", "truncated"])
def test_a_page(rule: str) -> None:
    done = call("explain", rule)
    assert (done.returncode, done.stderr) == (0, b"")
    [known] = [one for one in fg.rules() if one.id == rule]
    shown = done.stdout.decode("ascii")
    assert shown == FORMATS["rule", "text"](RulePage(known, readers(rule)))
    lines = shown.partition("\nWho reads it how\n")[2].splitlines()
    assert bool(lines) == (rule != "truncated")
    assert all(len(line) <= WIDTH for line in lines)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("id-nul", "did you mean id-null"),
        ("Batch-Empty", "did you mean batch-empty"),
        ("zzz", "`framegauge rules` lists them"),
        ("", "`framegauge rules` lists them"),
        ("\x1b[31m\n", "lists them"),
        (b"\xff", "lists them"),
        ("id-null" * 1000, "there is no rule"),
    ],
)
def test_an_unknown_rule(wrong: str | bytes, named: str) -> None:
    done = call("explain", wrong)
    assert (done.returncode, done.stdout) == (2, b"")
    said = one_line(done.stderr)
    assert named in said
    assert said.isprintable()
    assert len(said) < 250


@pytest.mark.parametrize("args", [["explain"], ["explain", "a", "b"], ["rules", "x"], ["rules", "--format", "xml"]])
def test_wrong_usage(args: list[str]) -> None:
    done = call(*args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "--help" in one_line(done.stderr)
