"""What a run is made of: outcomes, the timetable, images, the page, a disk that is full."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from soak.disk import LimitedFiles
from soak.disturbances import ALL
from soak.invariants import storage
from soak.invariants.finding import Finding
from soak.journal import Deed, Journal, outcome_of
from soak.report import document, page
from soak.run import Happened, Result
from soak.timetable import stages, turns

from soak import checking, image
from tablewright.clock import FileClock
from tablewright.engine import Engine

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (0, "unknown"),
        (201, "acknowledged"),
        (207, "acknowledged"),
        (409, "refused"),
        (500, "broken"),
        (503, "unavailable"),
        (504, "unavailable"),
    ],
)
def test_what_is_known_of_an_answer(status: int, outcome: str) -> None:
    assert outcome_of(status) == outcome


def test_a_write_that_was_taken_is_remembered() -> None:
    journal = Journal()
    journal.asked("ladders", 503, write=True, code="STORE_UNAVAILABLE")
    journal.asked("ladders", 200, write=False)
    assert "ladders" not in journal.wrote
    journal.asked("ladders", 201, write=True)
    assert time.monotonic() - journal.wrote["ladders"] < 60
    assert journal.requests["ladders"].total() == 3


def test_every_disturbance_has_its_turn_where_it_can_happen() -> None:
    found = turns(Random(1))
    for shape, some in found.items():
        able = {each.name for each in ALL if shape in each.shapes}
        first = [each.name for each in islice(some, len(able))]
        assert sorted(first) == sorted(able)
        assert any("network" in name for name in first) == (shape == "apart")
        assert "kill -9 of the service" in first


def test_the_same_seed_makes_the_same_order() -> None:
    one, other, third = (
        [each.name for each in islice(turns(Random(seed))["embedded"], 30)] for seed in (5, 5, 6)
    )
    assert one == other != third


def test_a_run_has_both_shapes() -> None:
    assert [shape for shape, _ in stages(120)] == ["embedded", "apart"]
    long = stages(1800)
    assert sum(secs for _, secs in long) == pytest.approx(1800)
    assert len(long) > 4


def test_an_image_of_a_database() -> None:
    """Tables, indexes and streams as they are."""
    with Engine.memory() as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "Things",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": kind}
                    for name, kind in (("id", "S"), ("n", "N"))
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "by_n",
                        "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ],
                "BillingMode": "PAY_PER_REQUEST",
                "StreamSpecification": {
                    "StreamEnabled": True,
                    "StreamViewType": "NEW_AND_OLD_IMAGES",
                },
            },
        )
        for number in range(3):
            item = {"id": {"S": str(number)}, "n": {"N": "1"}, "tags": {"SS": ["a"]}}
            engine.call("PutItem", {"TableName": "Things", "Item": item})
        engine.call("DeleteItem", {"TableName": "Things", "Key": {"id": {"S": "0"}}})
        found = image.read(engine.call, streams=True)
        engine.call("PutItem", {"TableName": "Things", "Item": {"id": {"S": "late"}}})
    things = found.tables["Things"]
    assert things.items[("1",)] == {"id": "1", "n": Decimal(1), "tags": frozenset({"a"})}
    assert {item["id"] for item in things.indexes[0].items} == {"1", "2"}
    assert things.stream is not None
    assert [change.kind for change in things.stream.changes] == ["INSERT"] * 3 + ["REMOVE"]
    assert storage.indexes(found).violations == storage.streams(found).violations == []


def test_a_line_that_was_cut_off_is_no_message(tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    file.write_text('{"id": "a"}\n{"id": "b", "bo\n{"id": "c"}\n')
    assert [line["id"] for line in checking.messages(file)] == ["a", "c"]
    assert checking.messages(tmp_path / "none") == []


def result(*violations: str) -> Result:
    journal = Journal()
    journal.add(Deed("ladders", "user", "u", "acknowledged"))
    journal.requests["ladders"].update(acknowledged=3, unknown=1)
    journal.codes.update({"ladders NOT_FOUND": 1, "ladders STALE": 2})
    happened = [
        Happened("kill -9 of the service", "embedded", "", 5.0, secs) for secs in (2.0, 4.0)
    ]
    finding = Finding("seats", 12, list(violations))
    return Result(7, 1800.0, "a small disk", journal, happened, [finding], 1_795_000_000.0)


def test_the_page() -> None:
    text = page(result())
    assert "seed 7" in text
    assert "**none was violated**" in text
    assert "| kill -9 of the service | 2 | 4.0 | 4.0 |" in text
    assert "| ladders | 3 | 0 | 0 | 1 | 0 |" in text
    assert "Most often said: ladders STALE 2, ladders NOT_FOUND 1." in text
    assert "| seats | 12 | 0 |" in text


def test_the_page_of_a_violation() -> None:
    found = result("one too many")
    assert "**1 violations**" in page(found)
    assert document(found, Path("/kept"))["data"] == "/kept"
    assert document(found, None)["invariants"][0]["violations"] == ["one too many"]


_WRITER = """
import sys, time
file = open(sys.argv[1], "ab", buffering=0)
while True:
    try:
        file.write(b"x" * 4096)
        print("ok", flush=True)
    except OSError as error:
        print(error.errno, flush=True)
    time.sleep(0.01)
"""


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="Linux only")
def test_files_that_may_not_grow(tmp_path: Path) -> None:
    """Where no small disk can be had: writes fail, and are fine again afterwards."""
    file = tmp_path / "growing"
    file.write_bytes(b"x" * 4096)
    writer = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(file)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    try:
        assert writer.stdout.readline() == "ok\n"
        disk = LimitedFiles(tmp_path)
        disk.fill(writer.pid)
        told = [writer.stdout.readline().strip() for _ in range(20)]
        assert told[-1] == "27"  # EFBIG
        disk.free(writer.pid)
        assert "ok" in [writer.stdout.readline().strip() for _ in range(20)]
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()


def test_the_clock_of_a_process_is_moved_from_outside(tmp_path: Path) -> None:
    program = (
        "import sys; from soak.launch import move_clock; from tablewright.clock import SystemClock;"
        "move_clock(sys.argv[1]); print(SystemClock().now())"
    )
    FileClock(tmp_path / "clock").advance(5000)
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "clock")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 4900 < float(told.stdout) - time.time() < 5100
