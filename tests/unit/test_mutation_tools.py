"""Where a mutant is, and which reasons cover it: a reason must cover no other survivor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

ROOT = Path(__file__).resolve().parents[2]

if TYPE_CHECKING:
    from tools import mutations, reasons, scopes
else:
    sys.path.insert(0, str(ROOT / "tools"))
    import mutations
    import reasons
    import scopes

CPP = """\
#include "a.h"  // struct Comment {
namespace fg {
constexpr int kMost = 3;
static const char* const kNames[] = {"}", "b"};
struct Outer {
  struct Inner { int x = 1; };
  Outer(int a, int b) : a_(a), b_(b) { if (a < 4) { b_ = 5; } }
  __attribute__((target("avx2"))) bool find(const u8* p) const { return p[6]; }
  int a_, b_ = 7;
};
template <class T>
T Outer::made(T of) { auto f = [&](int q) { return q + 8; }; return f(9); }
}  // namespace fg
"""
PYTHON = """\
TABLE = (1, 2)
class Outer:
    size: int = 3
    @cache(4)
    def find(self):
        def inner(): return 5
        other: int = 6
        return inner() + 7
print(8)
"""
MADE = """\
["a.hpp"."f"]
"cost: one more" = ["1 -> 2 @ first", "< -> *"]
["*.py"."*"]
"equivalent: as good" = ["3 -> 4"]
"""


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ("= 3", "kMost"),
        ('"b"', "kNames"),
        ("= 1", "Outer::Inner::x"),
        ("< 4", "Outer::Outer"),
        ("a_(a)", "Outer::Outer"),
        ("[6]", "Outer::find"),
        ("= 7", "Outer::b_"),
        ("+ 8", "Outer::made"),
        ("(9)", "Outer::made"),
    ],
)
def test_places_in_cpp(at: str, name: str) -> None:
    assert scopes.cpp(CPP)(CPP.index(at)) == name


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ("2)", "TABLE"),
        ("= 3", "Outer.size"),
        ("(4)", "Outer.find"),
        ("5", "Outer.find.inner"),
        ("= 6", "Outer.find"),
        ("+ 7", "Outer.find"),
        ("8", "<module>"),
    ],
)
def test_places_in_python(at: str, name: str) -> None:
    assert scopes.python(PYTHON)(PYTHON.index(at)) == name


def mutant(file: str, where: str, old: str, new: str, line: str) -> mutations.Mutant:
    return mutations.Mutant(file, where, 0, 1, old, new, line, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (mutant("a.hpp", "f", "1", "2", "the first of two"), "cost: one more"),
        (mutant("a.hpp", "f", "1", "2", "the second"), None),
        (mutant("a.hpp", "f", "1", "0", "the first of two"), None),
        (mutant("a.hpp", "f", "<", "<=", "the second"), "cost: one more"),
        (mutant("a.hpp", "g", "<", "<=", "the second"), None),
        (mutant("b.hpp", "f", "<", "<=", "the second"), None),
        (mutant("gauge/lines.py", "g", "3", "4", ""), "equivalent: as good"),
    ],
)
def test_a_reason_covers_its_place_and_change_only(
    tmp_path: Path, change: mutations.Mutant, reason: str | None
) -> None:
    (tmp_path / "made.toml").write_text(MADE)
    assert reasons.Reasons(tmp_path / "made.toml").of(change) == reason


def test_a_reason_without_a_mutant_is_reported(tmp_path: Path) -> None:
    (tmp_path / "made.toml").write_text(MADE)
    made = reasons.Reasons(tmp_path / "made.toml")
    there = [mutant("a.hpp", "f", "<", "<=", "the second")]
    assert list(map(str, made.stale(there, ["a.hpp", "b.py"], whole=False))) == ["a.hpp, f: 1 -> 2 @ first"]
    assert len(made.stale(there, ["a.hpp", "b.py"], whole=True)) == 2


def test_every_reason_has_a_category() -> None:
    rows = list(reasons.rows((ROOT / "tests" / "mutants.toml").read_text("utf-8")))
    assert len(rows) > 100
    with pytest.raises(AssertionError, match="no category 'why'"):
        list(reasons.rows('["a.hpp"."f"]\n"why: so" = ["1 -> 2"]\n'))
