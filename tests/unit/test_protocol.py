"""What the files of the revisions say, against docs/verdict.md, section 3."""

from __future__ import annotations

import pytest

from framegauge.protocol import JSONRPC, LATEST, MCP, REVISIONS, revision

TRANSPORTS = ("stdio", "http", "sse")


def test_names() -> None:
    assert (JSONRPC, *MCP) == REVISIONS
    assert list(MCP) == sorted(MCP)
    assert MCP[-1] == LATEST


@pytest.mark.parametrize("name", REVISIONS)
def test_every_revision_can_be_read(name: str) -> None:
    found = revision(name)
    assert found is revision(name), "its file is read once"
    assert found.name == name
    assert found.title
    assert found.url.startswith("https://")
    assert found.date == name or name == JSONRPC
    assert set(found.error_id) == set(TRANSPORTS)
    assert {-32700, -32600, -32601, -32602, -32603} <= set(found.error_codes)


def test_a_revision_cannot_be_changed() -> None:
    found = revision(LATEST)
    with pytest.raises(AttributeError):
        found.batch = "judged"  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.error_codes[1] = ""  # type: ignore[index]


@pytest.mark.parametrize("name", ["", "2025-01-01", "../x", "2026-07-28.toml", "auto"])
def test_an_unknown_revision_names_the_known(name: str) -> None:
    with pytest.raises(ValueError, match="2024-11-05, 2025-03-26"):
        revision(name)


def test_unreadable_ids() -> None:
    written = {name: "".join(revision(name).error_id[one][0] for one in TRANSPORTS) for name in REVISIONS}
    assert written == {
        JSONRPC: "nnn",
        "2024-11-05": "noo",
        "2025-03-26": "noo",
        "2025-06-18": "noo",
        "2025-11-25": "ooo",
        "2026-07-28": "ooo",
    }


def test_what_differs_between_revisions() -> None:
    found = [revision(name) for name in REVISIONS]
    assert [one.batch for one in found] == ["judged"] * 3 + ["refused"] * 3
    assert [one.fractional_id for one in found] == [True] + [False] * 5
    assert [one.client_replies for one in found] == [True] * 5 + [False]
    assert [one.status.error for one in found] == [None] * 5 + [400]
    assert [one.status.unknown_method for one in found] == [None] * 5 + [404]
    assert [one.status.batch for one in found] == [None] * 3 + [400] * 3
    assert [one.status.notification for one in found] == [202] * 6
    assert [one.status.response for one in found] == [202] * 5 + [None]


def test_codes_of_their_own() -> None:
    base = set(revision(JSONRPC).error_codes)
    more = [set(revision(name).error_codes) - base for name in MCP]
    assert more[:3] == [{-32002, -1}] * 3
    assert more[3:] == [{-32002, -32042, -1}, {-32020, -32021, -32022}]
