"""Byte to RFC 6901 pointer."""

from __future__ import annotations

import json
import random
import time

import pytest

from framegauge.explain.pointer import pointer
from tests.support.vectors import all_vectors


def pointers(frame: bytes) -> list[str]:
    return [pointer(frame, offset) for offset in range(len(frame))]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (b"{}", ["", ""]),
        (b"17", ["", ""]),
        (b'{"x":{"a":1,"a":2}}', ["", *["/x"] * 5, *["/x/a"] * 5, "/x", *["/x/a"] * 5, "/x", ""]),
        (b"[[1,[2]],3]", ["", "/0", "/0/0", "/0", "/0/1", "/0/1/0", "/0/1", "/0", "", "/1", ""]),
        (b' {"a" : 1 } ', ["", "", *["/a"] * 7, "", "", ""]),
        (b"[ 1 , {} ]", ["", "", "/0", "", "", "", "/1", "/1", "", ""]),
        (b'{"a":"],\\"{"}', ["", *["/a"] * 11, ""]),
    ],
)
def test_every_byte(frame: bytes, expected: list[str]) -> None:
    assert pointers(frame) == expected


@pytest.mark.parametrize(
    ("key", "step"),
    [
        (b"a", "a"),
        (b"", ""),
        (b"a/b~c", "a~1b~0c"),
        (b"~1", "~01"),
        (rb"\u0061\n\"\\\/", 'a\n"\\~1'),
        (rb"\ud83d\ude00", "\U0001f600"),
        (rb"x\ud83d", "x\ufffd"),
        (rb"\ude00\ud83d", "\ufffd\ufffd"),
        ("é\u2028".encode(), "é\u2028"),
        (b"\x01\n", "\x01\n"),
        (b"\x01\\n", "\x01\n"),
        (b"\xff", "\ufffd"),
        (rb"\x", r"\x"),
        (rb"\u12", r"\u12"),
    ],
)
def test_keys_are_unescaped_and_then_escaped(key: bytes, step: str) -> None:
    frame = b'{"a":[{"' + key + b'":1}]}'
    assert pointer(frame, 7) == pointer(frame, len(frame) - 4) == "/a/0/" + step


class Writer:
    """Writes a value of any shape and notes for each byte which member or element it belongs to."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.text = bytearray()
        self.where: list[str] = []

    def put(self, data: str, where: str) -> None:
        raw = data.encode()
        self.text += raw
        self.where += [where] * len(raw)

    def blank(self, where: str) -> None:
        self.put(self.random.choice(["", "", " ", "\n\t\r "]), where)

    def value(self, where: str, depth: int) -> None:
        shape = self.random.choice(["scalar", "object", "array"]) if depth < 6 else "scalar"
        if shape == "scalar":
            self.put(self.random.choice(["1", "-2.5e3", "true", "null", '""', '"a\\"b"', '"{[,:]}"', '"é\\\\"']), where)
            return
        self.put("{" if shape == "object" else "[", where)
        self.blank(where)
        for number in range(self.random.randrange(4)):
            if number:
                self.put(",", where)
                self.blank(where)
            self.part(where, depth, None if shape == "object" else number)
            self.blank(where)
        self.put("}" if shape == "object" else "]", where)

    def part(self, where: str, depth: int, number: int | None) -> None:
        if number is not None:
            self.value(f"{where}/{number}", depth + 1)
            return
        key = self.random.choice(["a", "b", "", "x/y", "~", 'q"', "é", "0"])
        inner = where + "/" + key.replace("~", "~0").replace("/", "~1")
        self.put(json.dumps(key, ensure_ascii=self.random.random() < 0.5), inner)
        self.blank(inner)
        self.put(":", inner)
        self.blank(inner)
        self.value(inner, depth + 1)


def test_any_value() -> None:
    for seed in range(400):
        writer = Writer(seed)
        writer.blank("")
        writer.value("", 0)
        writer.blank("")
        frame = bytes(writer.text)
        json.loads(frame)
        assert pointers(frame) == writer.where, frame


@pytest.mark.parametrize("offset", [-1, 9, 10, 1 << 40])
def test_outside_the_frame(offset: int) -> None:
    assert pointer(b'{"a":[1]}', offset) == ""


def test_up_to_a_fault_the_place_is_told() -> None:
    assert pointer(b'{"a":{"b":[1,tru', 13) == "/a/b/1"
    assert pointer(b'{"a":{"b":[1,{"c', 14) == "/a/b/1/c"
    assert pointer(b'{"a":1 "b":@}', 11) == "/b"
    assert (pointer(b'{"a","b":@}', 4), pointer(b'{"a","b":@}', 9)) == ("", "/b")  # a comma is of no member
    assert pointer(b'\xef\xbb\xbf{"a":1}', 5) == "/a"


def test_no_bytes_make_it_fail() -> None:
    noise = random.Random(2607)
    alphabet = b'{}[],:"\\ \n/~u0a\xff\x00'
    frames = [vector.frame for vector in all_vectors() if len(vector.frame) < 300]
    frames += [bytes(noise.choices(alphabet, k=noise.randrange(24))) for _ in range(2000)]
    for frame in frames:
        for offset in range(-1, len(frame) + 2):
            place = pointer(frame, offset)
            assert place == "" or place.startswith("/")


@pytest.mark.parametrize(
    "frame",
    [
        b"[" * 500_000,
        b'{"a":' * 100_000,
        b'{"' + b"\\" * 500_001 + b'":1}',
        b'{"' + b"k" * 500_000,
        b'"' * 500_000,
        b"]" * 500_000,
        b"[" + b"1," * 250_000 + b"1]",
    ],
    ids=lambda frame: repr(frame[:8]),
)
def test_it_takes_linear_time(frame: bytes) -> None:
    started = time.process_time()
    pointer(frame, len(frame) - 1)
    assert time.process_time() - started < 5
