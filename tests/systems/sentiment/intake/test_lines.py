"""Files of records, as they arrive."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.rules.lines import (
    LONGEST,
    BadFile,
    FileKind,
    Line,
    lines_of,
)


def read(kind: FileKind, data: bytes, piece: int = 7) -> list[Line]:
    reader = lines_of(kind)
    found: list[Line] = []
    for start in range(0, len(data), piece):
        found += reader.feed(data[start : start + piece])
    return [*found, *reader.end()]


def told(lines: list[Line]) -> list[tuple[int, object]]:
    return [(line.number, line.reason or line.members) for line in lines]


@pytest.mark.parametrize("piece", [1, 2, 7, 10_000])
def test_json_lines(piece: int) -> None:
    data = b'\xef\xbb\xbf{"title": "A"}\r\n\n[1]\n{broken\n{"title": "\xff"}\n{"title": "B"}'
    assert told(read("jsonl", data, piece)) == [
        (1, {"title": "A"}),
        (3, "is not an object"),
        (4, "is not JSON in UTF-8"),
        (5, "is not JSON in UTF-8"),
        (6, {"title": "B"}),
    ]


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
@pytest.mark.parametrize("piece", [1000, 10_000_000])
def test_a_line_without_end_is_not_kept(kind: FileKind, piece: int) -> None:
    head, last = (b"title,url\n", b"A,u\n") if kind == "csv" else (b"", b'{"title": "A"}\n')
    data = head + b"x" * (3 * LONGEST) + b"\n" + last
    long, good = read(kind, data, piece)
    assert "longer" in long.reason
    assert good.members is not None
    assert good.members["title"] == "A"
    assert good.number == long.number + 1


def test_rows() -> None:
    data = (
        b"\xef\xbb\xbfTitle, url ,extra,text\r\n"
        b'"A, with ""quotes""\nand lines",https://a.example,x,\r\n'
        b"too,few\r\n"
        b"\r\n"
        b"B,,y,T\r\n"
        b"\xff,,y,T\r\n"
    )
    assert told(read("csv", data)) == [
        (2, {"title": 'A, with "quotes"\nand lines', "url": "https://a.example"}),
        (4, "has 2 values for 4 columns"),
        (6, {"title": "B", "text": "T"}),
        (7, "is not UTF-8"),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters(delimiter: str) -> None:
    data = delimiter.join(("title", "url")) + "\n" + delimiter.join(("A", "u")) + "\n"
    assert told(read("csv", data.encode())) == [(2, {"title": "A", "url": "u"})]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"text,url\na,b\n", "title is missing"),
        (b"title,text\na,b\n", "url or published_at is missing"),
        (b"A headline\n", "title and url or published_at is missing"),
        (b"title,url,title\na,b,c\n", "twice"),
    ],
)
def test_files_that_cannot_be_understood(data: bytes, words: str) -> None:
    with pytest.raises(BadFile, match=words):
        read("csv", data)


def test_a_quote_that_does_not_end() -> None:
    data = b'title,url\n"A,u\nB,u\n'
    assert told(read("csv", data)) == [(2, "has a quote that does not end")]


ROWS = st.lists(
    st.tuples(*[st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))] * 2),
    max_size=6,
)


@given(ROWS, st.integers(1, 40))
def test_whatever_is_written_is_read(rows: list[tuple[str, str]], piece: int) -> None:
    """In CSV as the language writes it, cut wherever the network cuts it."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerow(("title", "url"))
    writer.writerows(rows)
    found = read("csv", text.getvalue().encode(), piece)
    assert [line.members for line in found] == [
        {name: cell for name, cell in zip(("title", "url"), row, strict=True) if cell}
        for row in rows
    ]


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5))), st.integers(1, 40))
def test_whatever_is_told_in_json_is_read(records: list[dict[str, str]], piece: int) -> None:
    data = "".join(json.dumps(each) + "\n" for each in records).encode()
    if "\\ud" not in data.decode():
        assert [line.members for line in read("jsonl", data, piece)] == records


def test_a_first_line_that_is_no_csv() -> None:
    with pytest.raises(BadFile, match="not a row of CSV"):
        read("csv", b'""x""""')


@given(st.binary(max_size=200), st.sampled_from(["csv", "jsonl"]), st.integers(1, 50))
def test_anything_can_be_sent(data: bytes, kind: FileKind, piece: int) -> None:
    try:
        lines = read(kind, data, piece)
    except BadFile:
        return
    assert all((line.members is None) == bool(line.reason) for line in lines)
    # How it was cut makes no difference.
    assert told(lines) == told(read(kind, data, 1000))
