"""What the README says is true: its example, its kinds and limits, and the output it shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from framegauge import Kind, Limits

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_example_prints_what_it_says() -> None:
    [example] = blocks("pycon")
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    assert len(test.examples) >= 6
    results = doctest.DocTestRunner(verbose=False).run(test)
    assert (results.failed, results.attempted) == (0, len(test.examples))


def test_it_opens_with_the_two_commands() -> None:
    first, second = blocks("sh")[:2]
    assert first == "python -m pip install . && framegauge scan src/framegauge/samples\n"
    assert second == "python -m pip install -e '.[dev]' && python -m pytest\n"


def test_the_output_shown_is_that_of_the_command() -> None:
    golden = [
        (ROOT / "tests" / "vectors" / "cli" / name).read_text("utf-8")
        for name in ("control.txt", "batch.revisions.txt", "sample.txt")
    ]
    assert blocks("text") == golden
    for frame in ("control.frame", "batch.frame"):
        assert f"tests/vectors/cli/{frame}`" in README


def test_the_kinds_are_all_there() -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \| .*\|$", README, re.MULTILINE)
    assert [kind for kind in listed if kind in set(Kind)] == [kind.value for kind in Kind]


def test_the_limits_are_the_defaults() -> None:
    listed = dict(re.findall(r"^\| `(max_\w+)` \| ([\d,]+) ", README, re.MULTILINE))
    names = ("max_frame_bytes", "max_depth", "max_batch_items", "max_number_digits", "max_members")
    assert {name: int(value.replace(",", "")) for name, value in listed.items()} == {
        name: getattr(Limits(), name) for name in names
    }


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) >= 4
    assert [link for link in links if not (ROOT / link).exists()] == []
