"""CONTRIBUTING.md's lists, followed in copies of the tree: a revision, a rule on one member of params, an answer code.

Each change is made in the source files that the list names and in no others, at most three. No list here has a build:
the copy runs with the compiled modules of the checkout. The generators of the list run in the copy. Then a process
judges vectors there, by `check` and in `check_lines`. The slow reference, which the lists name too, is left out: it is
written by a person, from the page.
"""

from __future__ import annotations

import json
import re
import sys
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import framegauge as fg
from framegauge.protocol import MCP, REVISIONS
from tests.support.comparison import gauge_summary, options_of
from tests.support.expectations import check_vector
from tests.support.package_copy import ROOT, PackageCopy
from tests.support.vectors import VerdictVector, verdict_vectors

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
LISTS = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
MOST = 3  # source files for one change
TREE = ("tools", "docs", "tests", "CHANGELOG.md", "CONTRIBUTING.md", "README.md")
NEW = "2027-03-01"
NEWEST = next(name for name in reversed(MCP) if name != NEW)  # also in the process that has the new one
LINES = 101  # that are similar


# ---- the lists


class Steps(NamedTuple):
    """What one section of CONTRIBUTING.md asks for."""

    files: tuple[str, ...]  # source files: a path, a folder of which one file changes, or a path with a <placeholder>
    optional: tuple[str, ...]
    commands: tuple[tuple[str, ...], ...]  # of tools, as arguments for Python


def sections() -> dict[str, str]:
    parts = re.split(r"^#{2,3} (.+)\n", LISTS, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def steps(title: str) -> Steps:
    section = sections()[title]
    [paragraph] = re.findall(r"^Source files?: .*?(?=\n\n)", section, re.MULTILINE | re.DOTALL)
    needed, *optional = re.split(r"\balso\b", paragraph)
    commands = [command for text in re.findall(r"`(python [^`]+)`", section) for command in text.split(" && ")]
    path = r"`([^`\s]*[./][^`\s]*)`"
    return Steps(
        tuple(re.findall(path, needed)),
        tuple(re.findall(path, "".join(optional))),
        tuple(tuple(command.split()[1:]) for command in commands),
    )


def fits(file: str, named: str) -> bool:
    return fnmatch(file, re.sub("<[a-z]+>", "*", named) + ("*" if named.endswith("/") else ""))


def check_touched(copy: PackageCopy, named: Steps, more: int = 0) -> None:
    """The changed source files are those of the list, each once, and not too many. `more`: of those that may change."""
    touched = copy.changed()
    assert len(touched) <= MOST, f"more than {MOST} source files: {', '.join(touched)}"
    left = list(touched)
    for name in sorted((*named.files, *named.optional[:more]), key=lambda name: name.endswith("/")):
        found = [file for file in left if fits(file, name)]
        assert len(found) == 1, f"{name} of the list is for one source file; changed are {', '.join(touched)}"
        left.remove(found[0])
    assert left == [], f"source files that the list does not name: {', '.join(left)}"
    assert copy.rebuilt() == []


def test_a_list_that_lacks_a_file_is_noticed(tmp_path: Path) -> None:
    copy = PackageCopy(tmp_path)
    copy.edit("ruleset/codes.py", "Parse error", "No JSON")
    named = Steps(("ruleset/codes.py",), (), ())
    check_touched(copy, named)
    with pytest.raises(AssertionError, match=r"gauge/answers\.py of the list is for one source file"):
        check_touched(copy, named._replace(files=("ruleset/codes.py", "gauge/answers.py")))
    copy.edit("native/reply.pyi", "def body(self)", "def body(  self)")
    with pytest.raises(AssertionError, match=r"does not name: native/reply\.pyi"):
        check_touched(copy, named)
    (copy.package / "more.py").touch()
    (copy.package / "facts.py").unlink()
    with pytest.raises(
        AssertionError, match=r"more than 3 source files: facts\.py, more\.py, native/reply\.pyi, ruleset/"
    ):
        check_touched(copy, named)


@pytest.mark.parametrize("title", [title for title, text in sections().items() if "\nSource file" in text])
def test_the_lists_name_files_of_the_package(title: str) -> None:
    named = steps(title)
    assert 0 < len((*named.files, *named.optional)) <= MOST
    sources = ROOT / "src" / "framegauge"  # an installed package has no native sources
    known = [path.relative_to(sources).as_posix() for path in sources.rglob("*") if path.is_file()]
    for name in (*named.files, *named.optional):
        assert [file for file in known if fits(file, name) or file.endswith(f"/{name}")], name


# ---- in the copy


def judge() -> None:
    """In a process that has the copy. Arguments: a name of a file of vectors or of a revision, and a rule.

    Each vector has to hold by `check`. Then the frames with the rule's finding are among similar lines without it.
    """
    name, rule = sys.argv[1:]
    vectors = [vector for vector in verdict_vectors() if name in (vector.folder, vector.revision)]
    for vector in vectors:
        seen = gauge_summary(vector.frame, **options_of(vector))
        try:
            check_vector(seen, vector)
        except AssertionError as error:
            raise AssertionError(f"{vector.id}: {seen}") from error
    own = [vector for vector in vectors if vector.folder == rule]
    pairs = [(bad, good) for bad in own for good in own if bad.bad and not good.bad and bad.revision == good.revision]
    for bad, good in pairs:
        check_among_lines(bad, good, rule)
    modules = [fg.__file__, sys.modules[fg.Reply.__module__].__file__]
    print(json.dumps({"modules": modules, "vectors": len(vectors), "pairs": len(pairs), "revisions": REVISIONS}))


def check_among_lines(bad: VerdictVector, good: VerdictVector, rule: str) -> None:
    """One, two and only lines with the finding, of many that differ in the id: the cache knows them by then."""
    gauge = fg.Gauge(bad.revision)
    for places in ({LINES // 2}, {LINES // 2, LINES - 1}, {*range(LINES)}):
        frames = [bad.frame if place in places else good.frame for place in range(LINES)]
        lines = [frame.replace(b'"id":1,', b'"id":%d,' % (place + 10)) for place, frame in enumerate(frames)]
        verdicts = gauge.check_lines(b"\n".join(lines))
        assert verdicts.rows_with(rule, LINES) == sorted(places), (bad.id, good.id)
        found = [any(finding.rule == rule for finding in gauge.check(line).findings) for line in lines]
        assert found == [place in places for place in range(LINES)], (bad.id, good.id)


def judged(copy: PackageCopy, name: str, rule: str) -> dict[str, Any]:
    code = "from tests.integration.test_contributing import judge; judge()"
    found: dict[str, Any] = json.loads(copy.run("-c", code, name, rule))
    assert all(file.startswith(str(copy.package)) for file in found["modules"])
    return found


def add_vectors(copy: PackageCopy, rule: str, cases: str) -> None:
    with (copy.folder / "tests" / "vectors" / "rules" / f"{rule}.toml").open("a", encoding="utf-8") as file:
        file.write(cases)


def generate(copy: PackageCopy, named: Steps) -> None:
    assert named.commands
    for command in named.commands:
        copy.run(*command)


def letters(copy: PackageCopy, rule: str) -> dict[str, str]:
    """A row of `framegauge rules`, by heading."""
    heading, *rows = copy.run("-m", "framegauge", "rules").splitlines()
    [row] = [row.split() for row in rows if row.split()[0] == rule]
    return dict(zip(heading.split()[:-1], row, strict=False))


# ---- a revision

META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{}}'
PREVIEW = '{"jsonrpc":"2.0","id":1,"method":"tools/preview","params":{' + META + "}}"
METHOD = """
[methods."tools/preview"]
kind = "request"
from = "client"
params = "CallToolRequestParams!"
url = "https://example.org"
"""
PREVIEWED = f"""
[[case]]
name = "bad-in-a-new-method"
revisions = ["{NEW}", "auto"]
frame = '{PREVIEW % NEW}'
findings = [{{ rule = "param-missing", severity = "error", offset = 58, count = 1, path = "/params/name" }}]
respond = true
code = -32602
id = "1"

[[case]]
name = "good-in-a-new-method"
revisions = ["{NEW}", "auto"]
frame = '{PREVIEW.replace("{" + META, '{"name":"a",' + META) % NEW}'
respond = true
id = "1"

[[case]]
name = "good-before-the-new-method"
revisions = ["{NEWEST}"]
frame = '{PREVIEW % NEWEST}'
findings = [{{ rule = "method-not-in-revision", severity = "error", offset = 33, count = 1, path = "/method" }}]
respond = true
code = -32601
id = "1"
"""


def test_a_revision(tmp_path: Path) -> None:
    copy, named = PackageCopy(tmp_path, TREE), steps("Add a revision")
    data = copy.package / "protocol" / "data"
    newest = (data / f"{NEWEST}.toml").read_text("utf-8")
    (data / f"{NEW}.toml").write_text(newest.replace(NEWEST, NEW) + METHOD, "utf-8")
    add_vectors(copy, "param-missing", PREVIEWED)
    generate(copy, named)
    check_touched(copy, named)

    as_newest = [vector for vector in verdict_vectors() if vector.revision == NEWEST and "since" in str(vector.raw)]
    found = judged(copy, NEW, "param-missing")
    assert found["revisions"] == [*REVISIONS, NEW]
    assert found["vectors"] > len(as_newest) > 100
    assert found["pairs"]
    assert judged(copy, "param-missing", "param-missing")["vectors"] > 3
    assert letters(copy, "name-type")["27-03"] == "E"
    shown = copy.run("-m", "framegauge", "check", "--revision", NEW, "-", data=PREVIEW % NEW, status=1)
    assert "param-missing" in shown
    assert f"error in {NEWEST}, {NEW} |" in (copy.folder / "docs" / "rules" / "index.md").read_text("utf-8")


# ---- a rule on one member of params

RULE = "completion-ref-type"
DEFINITION = f"""    Rule(
        id="{RULE}",
        at=(Value(("missing", "type"), (Place("params", "ref", ("completion/complete",)),)),),
        area="values",
        title="The ref of a completion is not an object",
        authority=("mcp",),
        message="completion/complete needs a ref that is an object",
        what="The ref of completion/complete is missing, or is not an object.",
        why="The server cannot find out which prompt or resource is to be completed.",
        fix="Send an object with type and name or uri.",
        bad='{{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{{"ref":7}}}}',
        clauses=("complete-params",),
        urls=_PARAMS,
        rows=_REFUSED,
    ),
)
"""
COMPLETE = '{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{%s"argument":{"name":"a","value":"b"}'
REF = '"ref":{"type":"ref/prompt","name":"p"},'


def complete(ref: str, revision: str) -> str:
    return COMPLETE % ref + (f",{META % revision}" if revision == NEWEST else "") + "}}"


def completions(revision: str) -> str:
    """A case with another type, one without the member, one where all is well, one with the general rule."""
    cases = ""
    for name, ref, rule, path, offset in (
        ("bad-type", '"ref":7,', RULE, "/params/ref", 71),
        ("bad-missing", "", RULE, "/params/ref", 64),
        ("good", REF, None, "", 0),
        ("good-other-member", REF.replace('"p"', "7"), "param-type", "/params/ref/name", 99),
    ):
        finding = f'{{ rule = "{rule}", severity = "error", offset = {offset}, count = 1, path = "{path}" }}'
        cases += f"""
[[case]]
name = "{name}-{revision}"
revisions = ["{revision}"]
frame = '{complete(ref, revision)}'
findings = [{finding if rule else ""}]
respond = true
id = "1"
"""
        data = f'{{"code":-32602,"message":"Invalid params","data":{{"rule":"{rule}"}}}}'
        cases += f'code = -32602\nbody = \'{{"jsonrpc":"2.0","id":1,"error":{data}}}\'\n' if rule else ""
    return cases


def test_a_rule_on_one_member_of_params(tmp_path: Path) -> None:
    copy, named = PackageCopy(tmp_path, TREE), steps("On one member of params")
    values = copy.package / "ruleset" / "values.py"
    text = values.read_text("utf-8")
    assert text.endswith("    ),\n)\n")
    values.write_text(text.removesuffix(")\n") + DEFINITION, "utf-8")
    copy.edit("ruleset/registry.py", '\n"""\n_LONGEST', f'\n    {RULE}\n"""\n_LONGEST')
    add_vectors(copy, RULE, "".join(map(completions, (*MCP, "auto"))))
    generate(copy, named)
    check_touched(copy, named)

    found = judged(copy, RULE, RULE)
    assert found["vectors"] == 4 * (len(MCP) + 1)
    assert found["pairs"] == 4 * (len(MCP) + 1)
    row = letters(copy, RULE)
    assert (row["jsonrpc"], row["authority"]) == ("-", "mcp")
    assert {row[name[2:7]] for name in MCP} == {"E"}
    assert f"## {RULE}\n" in (copy.folder / "docs" / "rules" / "values.md").read_text("utf-8")


# ---- an answer code

CODE, TEXT = -32021, "Missing required client capability"


def add_code(copy: PackageCopy) -> None:
    codes = copy.package / "ruleset" / "codes.py"
    text = codes.read_text("utf-8").replace(
        "UNSUPPORTED_VERSION = ", f"MISSING_CAPABILITY = {CODE}\nUNSUPPORTED_VERSION = "
    )
    assert text.endswith("    }\n)\n")
    codes.write_text(text.removesuffix("    }\n)\n") + f'        MISSING_CAPABILITY: "{TEXT}",\n    }}\n)\n', "utf-8")


def answered(frame: str, code: int, message: str, rule: str, findings: str) -> str:
    return f"""
[[case]]
name = "bad-answered-{code}"
revisions = ["2025-11-25"]
frame = '{frame}'
findings = [{findings}]
respond = true
code = {code}
id = "1"
body = '{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}","data":{{"rule":"{rule}"}}}}}}'
"""


def finding(rule: str, offset: int, path: str) -> str:
    return f'{{ rule = "{rule}", severity = "error", offset = {offset}, count = 1, path = "{path}" }}'


def replace_vectors(copy: PackageCopy, rule: str, cases: str) -> None:
    """The cases of a rule: the others of its file have the answer of before."""
    (copy.folder / "tests" / "vectors" / "rules" / f"{rule}.toml").write_text(cases, "utf-8")


GOOD = """
[[case]]
name = "good"
revisions = ["2025-11-25"]
frame = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"7"}}'
respond = true
id = "1"
"""


def test_an_answer_code_of_a_rule_on_facts(tmp_path: Path) -> None:
    copy, named = PackageCopy(tmp_path, TREE), steps("Add an answer code")
    add_code(copy)
    envelope = copy.package / "ruleset" / "envelope.py"
    before, rule, after = envelope.read_text("utf-8").partition('        id="params-not-object"')
    after = after.replace("answer=INVALID_PARAMS", "answer=MISSING_CAPABILITY", 1)
    envelope.write_text(before.replace("codes import ", "codes import MISSING_CAPABILITY, ") + rule + after, "utf-8")
    frame = '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'
    name = "params-not-object"
    worse = '{"jsonrpc":"2.0","id":1,"method":"a","params":[]}'
    both = f"{finding('unknown-method', 33, '/method')}, {finding(name, 46, '/params')}"
    cases = [
        answered(frame, CODE, TEXT, name, finding(name, 49, "/params")),
        answered(worse, -32601, "Method not found", "unknown-method", both),  # a new code comes after the others
    ]
    replace_vectors(copy, name, GOOD + "".join(cases))
    generate(copy, named)
    check_touched(copy, named)

    found = judged(copy, name, name)
    assert (found["vectors"], found["pairs"]) == (3, 2)
    assert str(CODE) in (copy.folder / "docs" / "verdict.md").read_text("utf-8")


def test_an_answer_code_that_comes_before_others(tmp_path: Path) -> None:
    copy, named = PackageCopy(tmp_path, TREE), steps("Add an answer code")
    add_code(copy)
    copy.edit("ruleset/values.py", "codes import ", "codes import MISSING_CAPABILITY, ")
    values = copy.package / "ruleset" / "values.py"
    before, rule, after = values.read_text("utf-8").partition('        id="name-type"')
    after = after.replace("rows=_REFUSED", 'rows=(_row("error", answer=MISSING_CAPABILITY),)', 1)
    values.write_text(before + rule + after, "utf-8")
    copy.edit(
        "gauge/answers.py",
        "    METHOD_NOT_FOUND,\n    PARSE_ERROR,",
        "    METHOD_NOT_FOUND,\n    MISSING_CAPABILITY,\n    PARSE_ERROR,",
    )
    copy.edit(
        "gauge/answers.py",
        "    Step(METHOD_NOT_FOUND),\n",
        "    Step(MISSING_CAPABILITY),\n    Step(METHOD_NOT_FOUND),\n",
    )
    name, call = "name-type", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7%s}}'
    both = f"{finding(name, 63, '/params/name')}, {finding('arguments-not-object', 77, '/params/arguments')}"
    cases = [
        answered(call % "", CODE, TEXT, name, finding(name, 63, "/params/name")),
        answered(call % ',"arguments":7', CODE, TEXT, name, both),
    ]
    replace_vectors(copy, name, GOOD + "".join(cases))
    generate(copy, named)
    check_touched(copy, named, more=1)

    found = judged(copy, name, name)
    assert (found["vectors"], found["pairs"]) == (3, 2)
    assert str(CODE) in (copy.folder / "docs" / "verdict.md").read_text("utf-8")
