"""Answers are read the same however they are cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.client.transports.reading import Answer, Garbled, Reader

ANSWERS = [
    b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX-Amz-Crc32: 7\r\n\r\n{"a":[1]}',
    b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
    b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n5\r\n:[1]}\r\n0\r\n\r\n',
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
    b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
]


def read(reader: Reader, data: bytes, cuts: list[int]) -> Answer | None:
    reader.begin()
    answer = None
    places = [0, *sorted(cut % len(data) for cut in cuts), len(data)]
    for start, end in itertools.pairwise(places):
        if end > start:
            answer = reader.feed(data[start:end])
    return answer


@given(
    order=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 200), max_size=8),
)
def test_cuts_make_no_difference(order: list[bytes], cuts: list[int]) -> None:
    reader = Reader()
    for data in order:
        whole = read(Reader(), data, [])
        assert whole is not None
        assert read(reader, data, cuts) == whole
        assert reader.reusable


def test_what_an_answer_holds() -> None:
    answer = read(Reader(), ANSWERS[0], [])
    assert answer == Answer(200, {b"content-length": b"9", b"x-amz-crc32": b"7"}, b'{"a":[1]}')
    answer = read(Reader(), ANSWERS[2], [])
    assert answer is not None
    assert answer.body == b'{"a":[1]}'


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
        ANSWERS[1] + b"HTTP/1.1 200 OK\r\n",
        ANSWERS[1] + b"\0\0",
    ],
)
def test_when_a_connection_is_of_no_more_use(data: bytes) -> None:
    reader = Reader()
    answer = read(reader, data, [])
    assert answer is not None
    assert answer.body == b"{}"
    assert not reader.reusable


def test_an_answer_without_a_length_ends_with_the_connection() -> None:
    reader = Reader()
    assert read(reader, b"HTTP/1.1 503 Oops\r\nServer: x\r\n\r\n<html>", []) is None
    assert reader.end() == Answer(503, {b"server": b"x"}, b"<html>")
    assert not reader.reusable


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
    ],
)
def test_an_answer_that_ends_early(data: bytes) -> None:
    reader = Reader()
    assert read(reader, data, []) is None
    with pytest.raises(Garbled):
        reader.end()


def test_what_is_not_http() -> None:
    with pytest.raises(Garbled):
        Reader().feed(b"SSH-2.0-OpenSSH_9.6\r\n")
