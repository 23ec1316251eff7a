"""The Python face of the tokenizer: buffers, lifetimes, immutability, offsets, revisions."""

from __future__ import annotations

import array
import copy
import ctypes
import mmap
import os
import pickle
import sys
from typing import TYPE_CHECKING, Any

import pytest

import framegauge as fg
from framegauge.facts import FACT_NAMES, FAULT_NAMES
from framegauge.protocol import MCP, REVISIONS

if TYPE_CHECKING:
    from collections.abc import Callable

GOOD = b'{"jsonrpc":"2.0","id":"a1","method":"tools/call","params":{"name":"x"}}'
INVALID = b'{"jsonrpc":"2.0","id":"a1","method":"tools/call","params":7}'
BROKEN = b'{"jsonrpc":"2.0","id":"a1","method":'
TOO_DEEP = b'{"jsonrpc":"2.0","id":"a1","method":"tools/call","params":' + b"[" * 300


class OwnBytes(bytes):
    pass


def mapped(data: bytes) -> mmap.mmap:
    memory = mmap.mmap(-1, max(len(data), 1))
    memory[: len(data)] = data
    return memory


def odd_view(data: bytes) -> memoryview:
    """A view that starts at an odd address and ends inside its buffer."""
    return memoryview(b"x" + data + b'"yy')[1 : 1 + len(data)]


BUFFERS: dict[str, Callable[[bytes], Any]] = {
    "bytes": bytes,
    "bytes subclass": OwnBytes,
    "bytearray": bytearray,
    "view of bytes": memoryview,
    "view of bytearray": lambda data: memoryview(bytearray(data)),
    "view of a view": lambda data: memoryview(memoryview(data)),
    "read-only view": lambda data: memoryview(bytearray(data)).toreadonly(),
    "odd view": odd_view,
    "view of chars": lambda data: memoryview(data).cast("c"),
    "view of rows": lambda data: memoryview(data).cast("B", (1, len(data))),
    "array": lambda data: array.array("B", data),
    "view of an array": lambda data: memoryview(array.array("B", data)),
    "mmap": mapped,
    "ctypes array": lambda data: (ctypes.c_ubyte * len(data)).from_buffer_copy(data),
}


def told(frame: fg.Frame) -> tuple[Any, ...]:
    """Everything a Frame tells, as values."""
    names = ("jsonrpc", "id", "method", "params", "result", "error")
    groups = ("params", "result", "error", "_meta")
    members = [member and repr(member) for member in map(frame.member, names)]
    sizes = (frame.size, frame.items, frame.depth, frame.longest_number, frame.largest_object, frame.duplicates)
    return (
        *(frame.kind, frame.fault, frame.id, frame.method, frame.facts, frame.revisions),
        *(sizes, frame.duplicate_offset, frame.error_code, members, [repr(frame.members(group)) for group in groups]),
    )


# ---- buffers


@pytest.mark.parametrize("make", BUFFERS.values(), ids=BUFFERS)
@pytest.mark.parametrize("data", [GOOD, INVALID, BROKEN, TOO_DEEP, GOOD + b" " * 9000, b"[" + GOOD + b"]"])
def test_every_buffer_tells_the_same(make: Callable[[bytes], Any], data: bytes) -> None:
    expected = told(fg.classify(data))
    assert told(fg.classify(make(data))) == expected


EMPTY: dict[str, Callable[[], Any]] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "view": lambda: memoryview(b""),
    "empty slice": lambda: memoryview(b"abc")[3:],
    "array": lambda: array.array("B"),
    "ctypes array": ctypes.c_ubyte * 0,
}


@pytest.mark.parametrize("make", EMPTY.values(), ids=EMPTY)
def test_zero_bytes_are_an_empty_frame(make: Callable[[], Any]) -> None:
    frame = fg.classify(make())
    assert (frame.kind, frame.size, frame.id, frame.method, frame.fault) == ("empty", 0, None, None, None)


@pytest.mark.parametrize("offset", range(1, 18))
def test_a_view_may_start_anywhere(offset: int) -> None:
    view = memoryview(b'"' * offset + GOOD + b'"' * 40)[offset : offset + len(GOOD)]
    assert told(fg.classify(view)) == told(fg.classify(GOOD))


@pytest.mark.parametrize("step", [2, -1])
def test_a_strided_view_is_refused_with_the_way_out(step: int) -> None:
    with pytest.raises(TypeError, match=r"one contiguous buffer; copy a strided view with bytes\(\)"):
        fg.classify(memoryview(GOOD)[::step])


def test_a_released_view_is_refused() -> None:
    view = memoryview(GOOD)
    view.release()
    with pytest.raises(ValueError, match="released"):
        fg.classify(view)


def test_a_closed_mmap_is_refused() -> None:
    memory = mapped(GOOD)
    memory.close()
    with pytest.raises(ValueError, match="closed"):
        fg.classify(memory)


@pytest.mark.parametrize("wrong", ["{}", 1, 1.5, [], {}, object(), bytes, True])
def test_what_is_no_buffer_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(wrong).__name__}"):
        fg.classify(wrong)


def test_none_is_no_buffer() -> None:
    with pytest.raises(TypeError, match="None"):
        fg.classify(None)  # type: ignore[arg-type]


def test_arguments_are_checked() -> None:
    call: Any = fg.classify
    for arguments in ((), (GOOD, None, None)):
        with pytest.raises(TypeError):
            call(*arguments)
    with pytest.raises(TypeError):
        call(GOOD, limit=None)


# ---- limits


def test_limits_may_be_none_or_given_by_keyword() -> None:
    assert told(fg.classify(GOOD, None)) == told(fg.classify(GOOD)) == told(fg.classify(GOOD, limits=fg.Limits()))
    assert told(fg.classify(data=GOOD, limits=None)) == told(fg.classify(GOOD))


@pytest.mark.parametrize("wrong", [10, (1, 2), {"max_depth": 1}, fg.Limits, "x"])
def test_limits_of_another_type_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="limits"):
        fg.classify(GOOD, wrong)


FIELDS = ("max_frame_bytes", "max_depth", "max_batch_items", "max_number_digits", "max_members")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (0, 0),
        (1, 1),
        (2**32 - 2, 2**32 - 2),
        (2**32 - 1, None),
        (2**32, None),
        (2**64, None),
        (10**40, None),
        (None, None),
    ],
)
def test_a_limit_beyond_32_bits_is_off(field: str, given: int | None, kept: int | None) -> None:
    limits = fg.Limits(**{field: given})
    assert getattr(limits, field) == kept
    default = fg.Limits()
    assert [name for name in FIELDS if getattr(limits, name) != getattr(default, name)] == [field]
    assert fg.classify(b"", limits).kind == "empty"


@pytest.mark.parametrize("field", FIELDS)
def test_a_limit_is_checked(field: str) -> None:
    with pytest.raises(ValueError, match=f"{field} must not be negative.*-1"):
        fg.Limits(**{field: -1})
    for wrong in (True, 1.0, "1", b"1"):
        with pytest.raises(TypeError, match=f"{field} must be an int or None, not {type(wrong).__name__}"):
            fg.Limits(**{field: wrong})  # type: ignore[arg-type]


def test_the_default_limits_are_those_of_classify() -> None:
    values = "max_frame_bytes=16777216, max_depth=256, max_batch_items=100, max_number_digits=1024, max_members=65536"
    assert repr(fg.Limits()) == f"Limits({values})"
    assert fg.classify(b"[" * 256 + b"]" * 256).fault is None
    assert str(fg.classify(b"[" * 257 + b"]" * 257).fault) == "Fault(rule='nesting-limit', offset=256)"
    assert fg.classify(b"[" + b"9" * 1024 + b"]").fault is None
    assert str(fg.classify(b"[" + b"9" * 1025 + b"]").fault) == "Fault(rule='number-too-long', offset=1)"


def test_limits_are_values() -> None:
    one, same, other = fg.Limits(max_depth=5), fg.Limits(16 << 20, 5), fg.Limits(max_depth=6)
    assert one == same != other
    assert hash(one) == hash(same)
    assert len({one, same, other}) == 2
    assert one != (16 << 20, 5, 100, 1024, 65536)
    assert eval(repr(one), {"Limits": fg.Limits}) == one  # the text is our own
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(fg.Limits(None, 3), protocol)) == fg.Limits(None, 3)
    assert copy.copy(one) == copy.deepcopy(one) == one


# ---- a Frame of a buffer that lives on, or does not


def keep(data: bytes) -> tuple[bytearray, fg.Frame]:
    memory = bytearray(data)
    return memory, fg.classify(memory)


@pytest.mark.parametrize("data", [GOOD, INVALID, BROKEN, TOO_DEEP, b"[" + GOOD + b"]", b" "])
def test_a_frame_outlives_its_bytearray(data: bytes) -> None:
    expected = told(fg.classify(data))
    memory, frame = keep(data)
    memory[:] = b"\xff" * len(memory)
    assert told(frame) == expected
    memory += b"x" * 100_000  # moves it
    assert told(frame) == expected
    del memory
    trash = [bytearray(b"\xee" * len(data)) for _ in range(100)]
    assert told(frame) == expected
    assert trash


def test_a_frame_outlives_its_bytes_and_their_owner() -> None:
    frames = [fg.classify(GOOD.replace(b"a1", b"%d" % n)) for n in range(1000)]
    assert [frame.id for frame in frames] == [b'"%d"' % n for n in range(1000)]


def test_the_order_of_id_and_method_does_not_matter_to_a_copy() -> None:
    for text in (b'"method":"m","id":1.0,"params":{}', b'"params":[{}],"id":1.0,"method":"m"'):
        frame = fg.classify(bytearray(b'{"jsonrpc":"2.0",' + text + b"}"))
        assert (frame.id, frame.method) == (b"1.0", "m")
    only_method = fg.classify(bytearray(b'{"jsonrpc":"2.0","method":"\\u006d\\ud800"}'))
    assert (only_method.id, only_method.method) == (None, "m\ud800")


@pytest.mark.parametrize("data", [GOOD, INVALID, BROKEN, b""])
def test_a_bytearray_may_be_resized_afterwards(data: bytes) -> None:
    memory, frame = keep(data)
    memory.append(0)
    memory.clear()
    assert frame.kind in fg.Kind


def test_a_bytearray_may_be_resized_after_an_exception() -> None:
    memory = bytearray(GOOD)
    view = memoryview(memory)
    with pytest.raises(TypeError):
        fg.classify(view[::2])
    with pytest.raises(TypeError):
        fg.classify(memory, 7)  # type: ignore[arg-type]
    with pytest.raises(BufferError):
        memory.append(0)
    view.release()
    memory.append(0)
    assert len(memory) == len(GOOD) + 1


# ---- the types


def an_example(kind: type) -> Any:
    frame = fg.classify(BROKEN)
    values: dict[type, Any] = {
        fg.Frame: frame,
        fg.Fault: frame.fault,
        fg.Member: fg.classify(GOOD).member("id"),
        fg.Limits: fg.Limits(),
    }
    return values[kind]


TYPES = (fg.Frame, fg.Fault, fg.Member, fg.Limits)


@pytest.mark.parametrize("kind", TYPES)
def test_values_are_immutable(kind: type) -> None:
    value = an_example(kind)
    names = [name for name in dir(kind) if not name.startswith("_") and not callable(getattr(value, name))]
    assert len(names) >= 4
    for name in [*names, "something_else"]:
        with pytest.raises(AttributeError):
            setattr(value, name, 1)
        with pytest.raises(AttributeError):
            delattr(value, name)
        with pytest.raises(TypeError):
            setattr(kind, name, 1)


def test_limits_cannot_be_changed_by_init() -> None:
    limits = fg.Limits()
    limits.__init__(max_depth=1)  # type: ignore[misc]
    assert limits == fg.Limits()


@pytest.mark.parametrize("kind", TYPES)
def test_types_cannot_be_subclassed(kind: type) -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Own", (kind,), {})


@pytest.mark.parametrize("kind", [fg.Frame, fg.Fault, fg.Member])
def test_what_comes_from_classify_is_not_constructed(kind: type) -> None:
    with pytest.raises(TypeError, match="comes from"):
        kind()
    with pytest.raises(TypeError):
        kind(GOOD)


@pytest.mark.parametrize("kind", TYPES)
def test_an_object_made_without_init_does_no_harm(kind: type) -> None:
    """What `__new__` makes, where it makes anything, has to be readable and to be freed."""
    if kind is fg.Frame:
        with pytest.raises(TypeError, match="classify"):
            kind.__new__(kind)
        return
    value = kind.__new__(kind)
    for name in dir(kind):
        if not name.startswith("_"):
            getattr(value, name)
    del value
    assert told(fg.classify(GOOD)) == told(fg.classify(bytearray(GOOD)))


def test_faults_are_values() -> None:
    one, same, other = fg.classify(b"{").fault, fg.classify(b"[").fault, fg.classify(b"{}x").fault
    assert one == same != other
    assert hash(one) == hash(same)
    assert one != "truncated"
    assert repr(one) == "Fault(rule='truncated', offset=1)"
    assert copy.copy(one) == pickle.loads(pickle.dumps(one)) == one
    assert {FAULT_NAMES.index(fault.rule) for fault in (one, other) if fault} == {6, 5}


def test_texts() -> None:
    assert repr(fg.classify(GOOD)) == "<Frame request id=b'\"a1\"' method='tools/call'>"
    assert repr(fg.classify(BROKEN)) == f"<Frame parse-error truncated at byte {len(BROKEN)}>"
    assert repr(fg.classify(b"")) == "<Frame empty id=None method=None>"
    assert repr(fg.classify(GOOD).member("id")) == "Member('id', string, 22, 26)"


def test_a_frame_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="pickl"):
        pickle.dumps(fg.classify(GOOD))


def test_kinds_are_the_contract_strings() -> None:
    kinds = ["empty", "parse-error", "invalid", "batch", "request", "notification", "success", "error"]
    assert list(fg.Kind) == kinds
    assert all(isinstance(kind, str) and f"{kind}" == kind.value for kind in fg.Kind)
    assert fg.classify(GOOD).kind is fg.Kind.request
    assert pickle.loads(pickle.dumps(fg.Kind.parse_error)) is fg.Kind.parse_error
    assert list(fg.MemberType) == ["object", "array", "string", "number", "true", "false", "null"]
    assert pickle.loads(pickle.dumps(fg.MemberType.true)) is fg.MemberType.true


def test_the_public_names() -> None:
    contract = {"Fault", "Frame", "Kind", "Limits", "Member", "MemberType", "__version__", "classify"}
    assert set(fg.__all__) >= contract
    assert len(fg.__all__) == len(set(fg.__all__))
    assert all(hasattr(fg, name) for name in fg.__all__)
    assert len(FACT_NAMES) == len(set(FACT_NAMES)) <= 64


# ---- members

PARAMS = b'{"name":"x","arguments":{},"other":[1],"_meta":{"a":null}}'
CALL = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + PARAMS + b"}"


def test_an_unknown_member_name_is_refused_with_the_allowed_ones() -> None:
    frame = fg.classify(CALL)
    with pytest.raises(ValueError, match="'meta': one of jsonrpc, id, method, params, result, error"):
        frame.member("meta")
    with pytest.raises(ValueError, match="'meta': one of params, result, error, _meta"):
        frame.members("meta")
    for wrong in (None, 1, b"id"):
        with pytest.raises(TypeError):
            frame.member(wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            frame.members(wrong)  # type: ignore[arg-type]


def test_spans_of_members() -> None:
    frame = fg.classify(CALL)
    found = [(m.name, str(m.type), bytes(CALL[m.start : m.stop])) for m in frame.members("params")]
    assert found == [
        ("name", "string", b'"x"'),
        ("arguments", "object", b"{}"),
        (None, "array", b"[1]"),
        ("_meta", "object", b'{"a":null}'),
    ]
    assert [(m.name, str(m.type), m.start, m.stop) for m in frame.members("_meta")] == [(None, "null", 107, 111)]
    assert frame.members("result") == frame.members("error") == ()
    params = frame.member("params")
    assert params is not None
    assert (CALL[params.start : params.stop], params.count, params.escaped) == (PARAMS, 1, False)
    assert frame.member("result") is None


def test_raw_copies_nothing() -> None:
    memory = bytearray(CALL)
    member = fg.classify(memory).member("params")
    assert member is not None
    view = member.raw(memory)
    assert (type(view), view.obj, bytes(view)) == (memoryview, memory, PARAMS)
    memory[55:57] = b"[]"
    assert bytes(view[:2]) == b"[]"
    view.release()


def wide(data: bytes) -> memoryview:
    return memoryview(data + b" " * (-len(data) % 4)).cast("I")


def test_raw_counts_bytes_whatever_the_items_are() -> None:
    view = wide(CALL)
    member = fg.classify(view).member("method")
    assert member is not None
    assert bytes(member.raw(view)) == b'"tools/call"'


@pytest.mark.parametrize(("group", "room"), [("params", 24), ("result", 16), ("error", 8), ("_meta", 16)])
def test_more_members_than_room_are_a_fact(group: str, room: int) -> None:
    envelope = {
        "params": b'"method":"m","params":%s',
        "result": b'"id":1,"result":%s',
        "error": b'"id":1,"error":%s',
        "_meta": b'"method":"m","params":{"_meta":%s}',
    }[group]
    for count in (0, 1, room - 1, room, room + 1, 40):
        text = b"{" + b",".join(b'"k%d":%d' % (n, n) for n in range(count)) + b"}"
        frame = fg.classify(b'{"jsonrpc":"2.0",' + envelope % text + b"}")
        assert len(frame.members(group)) == min(count, room)
        assert ("member-overflow" in frame.facts) == (count > room)
        assert frame.kind != "invalid"


# ---- revisions

ALL, NONE, J, M = frozenset(REVISIONS), frozenset[str](), frozenset({"jsonrpc-2.0"}), frozenset(MCP)
CALLED = b'"id":1,"method":"m"'
BATCHED = frozenset({"jsonrpc-2.0", "2024-11-05", "2025-03-26"})

# By hand from the severities of the rules in section "Envelope": illegal where the rule is an error.
REVISIONS_OF = [
    (CALLED, ALL),
    (b'"method":"m"', ALL),
    (b'"id":1,"result":{}', ALL),
    (b'"id":1,"error":{"code":1,"message":"m"}', ALL),
    (b'"id":null,"method":"m"', J),
    (b'"id":null,"result":{}', NONE),
    (b'"id":null,"error":{"code":1,"message":"m"}', ALL),
    (b'"error":{"code":1,"message":"m"}', M),
    (b'"id":1.5,"method":"m"', J),
    (b'"id":1.5,"result":{}', J),
    (b'"id":1.0,"method":"m"', ALL),
    (b'"id":9007199254740993,"method":"m"', ALL),
    (b'"id":"","method":"m"', ALL),
    (CALLED + b',"params":[1]', J),
    (CALLED + b',"params":null', NONE),
    (b'"id":true,"method":"m"', NONE),
    (b'"id":1,"result":null', J),
    (b'"id":1,"result":[]', J),
    (b'"id":1,"error":null', NONE),
    (b'"id":1,"error":"x"', NONE),
    (b'"id":1,"error":{"message":"m"}', NONE),
    (b'"id":1,"error":{"code":"1","message":"m"}', NONE),
    (b'"id":1,"error":{"code":1.5,"message":"m"}', NONE),
    (b'"id":1,"error":{"code":1.0,"message":"m"}', ALL),
    (b'"id":1,"error":{"code":99999999999,"message":"m"}', ALL),
    (b'"id":1,"error":{"code":1}', NONE),
    (b'"id":1,"error":{"code":1,"message":null}', NONE),
    (b'"id":1', NONE),
    (CALLED + b',"result":{}', NONE),
    (CALLED + b',"extra":1', ALL),
    (CALLED + b',"ID":1', NONE),
    (CALLED + rb',"id\u0000":1', NONE),
    (CALLED + b',"params":{"a":1,"a":2}', NONE),
    (CALLED + rb',"\u0070arams":{}', ALL),
    (CALLED + rb',"params":{"x":"\ud800"}', ALL),
    (rb'"id":"\ud800","method":"m"', NONE),
    (rb'"id":1,"method":"\ud800"', NONE),
    (CALLED + rb',"\ud800":1', NONE),
    (b'"id":1,"method":"rpc.x"', ALL),
]


@pytest.mark.parametrize(("members", "legal"), REVISIONS_OF, ids=lambda value: None)
def test_revisions(members: bytes, legal: frozenset[str]) -> None:
    assert fg.classify(b'{"jsonrpc":"2.0",' + members + b"}").revisions == legal


@pytest.mark.parametrize(
    ("text", "legal"),
    [(b"", NONE), (b"1", NONE), (b"{", NONE), (b"[1]", BATCHED), (b"[{}]", BATCHED), (b'{"id":1,"method":"m"}', NONE)],
)
def test_revisions_of_other_frames(text: bytes, legal: frozenset[str]) -> None:
    assert fg.classify(text).revisions == legal


def test_an_empty_batch_is_legal_nowhere() -> None:
    assert fg.classify(b"[]").revisions == NONE


# ---- very large


def free_memory() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0


@pytest.mark.heavy
@pytest.mark.skipif(sys.maxsize < 2**32, reason="a 32-bit process holds no such frame")
@pytest.mark.skipif(free_memory() < 12 << 30, reason="needs 12 GiB of free memory")
@pytest.mark.parametrize("limits", [None, fg.Limits(max_frame_bytes=None)])
def test_a_frame_beyond_4_gib_is_refused_unread(limits: fg.Limits | None) -> None:
    with mmap.mmap(-1, 2**32) as memory:  # pages that nobody touches take no memory
        frame = fg.classify(memory[: len(GOOD)], limits)
        assert frame.kind == "empty" or frame.fault is not None
        with memoryview(memory) as view:
            fault = fg.classify(view, limits).fault
    assert fault is not None
    assert (fault.rule, fault.offset) == ("frame-too-large", 2**32 - 1 if limits else 16 << 20)
