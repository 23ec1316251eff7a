"""What `import framegauge` offers, and what it leaves for later."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

import framegauge as fg

LAZY = ("archives", "bulk")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_modules_are_loaded_when_they_are_first_used() -> None:
    code = "import sys, framegauge as fg; print([n for n in sys.modules if n.startswith('framegauge.')])"
    loaded = python(code)
    for name in (*LAZY, "render", "explain", "behaviour", "cli"):
        assert f"framegauge.{name}" not in loaded
    for name in LAZY:
        assert python(f"import framegauge as fg; print(fg.{name}.__name__)") == f"framegauge.{name}"
        assert isinstance(getattr(fg, name), types.ModuleType)


@pytest.mark.parametrize("module", ["dataclasses", "tomllib", "argparse", "concurrent.futures", "inspect", "textwrap"])
def test_slow_modules_are_not_needed(module: str) -> None:
    assert python(f"import sys, framegauge; print({module!r} in sys.modules)") == "False"


def test_every_name_is_listed() -> None:
    assert set(fg.__all__) <= set(dir(fg))
    assert dir(fg) == sorted(set(dir(fg)))
    assert "bulk" in python("import framegauge as fg; print(dir(fg))")
    with pytest.raises(AttributeError, match="'framegauge' has no attribute 'nothing'"):
        fg.nothing  # noqa: B018


def test_rules_is_a_function_and_no_package_is_hidden() -> None:
    code = (
        "import framegauge.ruleset.model as m, framegauge as fg; print(m.Rule is fg.Rule, type(fg.rules()[0]).__name__)"
    )
    assert python(code) == "True Rule"


def test_the_tables_of_names() -> None:
    frame = fg.classify(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    assert fg.METHOD_NAMES[frame.method_number] == "tools/list"
    assert frame.kind in fg.KIND_NAMES
    assert frame.facts <= set(fg.FACT_NAMES)
    fault = fg.classify(b"{").fault
    assert fault is not None
    assert fault.rule in fg.FAULT_NAMES
    for names in (fg.KIND_NAMES, fg.METHOD_NAMES, fg.FACT_NAMES, fg.FAULT_NAMES, fg.MARK_NAMES):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("method", fg.METHOD_NAMES[1:])
def test_a_known_method_has_its_number(method: str) -> None:
    number = fg.METHOD_NAMES.index(method)
    assert fg.classify(b'{"jsonrpc":"2.0","method":"%s"}' % method.encode()).method_number == number
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in method).encode()
    assert fg.classify(b'{"jsonrpc":"2.0","method":"%s"}' % escaped).method_number == number
    assert fg.classify(bytearray(b'{"jsonrpc":"2.0","method":"%s"}' % method.encode())).method_number == number
    rows = fg.Gauge().check_lines(b'{"jsonrpc":"2.0","method":"%s"}' % method.encode())
    assert isinstance(rows, fg.Verdicts)
    assert memoryview(rows.method)[0] == number


@pytest.mark.parametrize("member", ["", '"method":"mine",', '"method":"",', '"method":7,', '"method":"Tools/list",'])
def test_another_method_has_number_zero(member: str) -> None:
    assert fg.classify(b'{"jsonrpc":"2.0",%s"id":1}' % member.encode()).method_number == 0
    assert fg.METHOD_NAMES[0] == ""
