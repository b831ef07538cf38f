"""`replay`: files of records."""

from __future__ import annotations

import csv
import gzip
import io
import time
from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import BAD, Typed, before, news, write

from tablewright.cli import system_run


def test_a_file_twice(typed: Typed, tmp_path: Path) -> None:
    """The second time, nothing is new."""
    file = write(tmp_path / "twice.jsonl", news("twice", 250))
    first = typed.json("replay", file)
    assert (first["records"], first["new"], first["duplicate"]) == (250, 250, 0)
    assert first["analysis"] == {"elsewhere": False, "analysed": 250, "failed": 0}
    again = typed.json("replay", file)
    assert (again["new"], again["duplicate"], again["analysis"]) == (0, 250, None)
    assert typed.json("stuck")["stuck"]["count"] == 0


def test_what_becomes_of_each_line(typed: Typed, tmp_path: Path) -> None:
    good = news("lines", 2)
    file = tmp_path / "lines.jsonl"
    write(file, [good[0], {"title": "Nothing else", "url": "https://news.example/none"}, good[0]])
    with file.open("a") as opened:
        opened.write('{"title": "AI but no address"}\nno json\n\n["AI"]\n{"url": "x"}\n')
    said = typed.json("replay", str(file), code=1)
    results = {name: said[name] for name in ("new", "duplicate", "unmatched", "rejected")}
    assert results == {"new": 1, "duplicate": 1, "unmatched": 1, "rejected": 4}
    assert [each["line"] for each in said["errors"]] == [4, 5, 7, 8]
    shown = typed("replay", str(file))
    assert shown.code == 1
    assert "line 5: is not JSON" in shown.out


def test_as_published(typed: Typed, tmp_path: Path) -> None:
    old = news("old", 3, BAD, published_at=before(days=10))
    gone = news("gone", 1, published_at=before(days=31))
    undated = [{key: value for key, value in old[0].items() if key != "published_at"}]
    file = write(tmp_path / "old.jsonl", [*old, *gone, *undated])
    said = typed.json("replay", file, "--as-published", code=1)
    assert (said["new"], said["rejected"], said["analysis"]) == (3, 2, None)
    assert [each["line"] for each in said["errors"]] == [4, 5]
    out = tmp_path / "old.csv"
    typed.json("export", "--from", "11d", "--to", "9d", "--out", str(out))
    assert len(out.read_text().splitlines()) == 4


def test_at_a_rate(typed: Typed, tmp_path: Path) -> None:
    file = write(tmp_path / "rate.jsonl", news("rate", 10))
    began = time.monotonic()
    assert typed.json("replay", file, "--rate", "20/s")["new"] == 10
    # In pages of four: the last begins after eight.
    assert time.monotonic() - began >= 0.4
    for wrong in ("fast", "0", "-1/s", "5/y"):
        assert "--rate" in typed.fails("replay", file, f"--rate={wrong}")


def test_csv_gzip_and_standard_input(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = news("forms", 5)
    text = io.StringIO()
    table = csv.DictWriter(text, records[0])
    table.writeheader()
    table.writerows(records)
    (tmp_path / "forms.csv.gz").write_bytes(gzip.compress(text.getvalue().encode()))
    assert typed.json("replay", "forms.csv.gz")["new"] == 5
    stdin = io.TextIOWrapper(io.BytesIO(text.getvalue().encode()))
    monkeypatch.setattr(system_run.sys, "stdin", stdin)
    assert typed.json("replay", "-")["duplicate"] == 5


def test_files_that_cannot_be_used(typed: Typed, tmp_path: Path) -> None:
    assert "nowhere.jsonl" in typed.fails("replay", "nowhere.jsonl")
    (tmp_path / "head.csv").write_text("name,when\nAI,now\n")
    assert "title" in typed.fails("replay", "head.csv")
    (tmp_path / "document.txt").write_text('[{"title": "AI"}]')
    assert "one object on each line" in typed.fails("replay", "document.txt")
    whole = gzip.compress(b'{"title": "AI", "url": "https://news.example/cut"}\n' * 3000)
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-20])
    assert "damaged" in typed.fails("replay", "cut.jsonl.gz")
