"""Filling a new index in slices, removing what was dropped, and taking both up after a crash."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.engine import AwsError, Engine
from tablewright.engine.catalog import storage_of
from tablewright.engine.items.writes import loads
from tablewright.engine.tables import backfill

LOCK = "Cannot read from backfilling global secondary index: ByX"


class Held:
    """Background jobs that run only when, and as far as, the test says."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], Iterator[object]]] = []
        self._running: Iterator[object] | None = None

    def add(self, name: str, job: Callable[[], Iterator[object]]) -> None:
        self.waiting.append(job)

    def step(self) -> bool:
        """Do one slice; False when there is nothing left to do."""
        if self._running is None:
            if not self.waiting:
                return False
            self._running = self.waiting.pop(0)()
        for _ in self._running:
            return True
        self._running = None
        return self.step()

    def finish(self) -> None:
        while self.step():
            pass


@pytest.fixture
def held(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Held:
    """Background work stands still, and a slice is a single row."""
    held = Held()
    monkeypatch.setattr(engine.jobs, "add", held.add)
    monkeypatch.setattr(backfill, "SLICE_SECONDS", -1.0)
    monkeypatch.setattr("tablewright.engine.jobs.PAUSE_SECONDS", 0.0)
    return held


def add_index(wanted: dict[str, Any], *attributes: str, table: str = "Simple") -> dict[str, Any]:
    return {
        "TableName": table,
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in attributes
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": wanted}],
    }


def fill(engine: Engine, count: int) -> None:
    for number in range(count):
        item = strings(pk=f"p{number}", x=f"x{number % 3}", y="y", other="o" * (number % 7))
        engine.call("PutItem", {"TableName": "Simple", "Item": item})


def rows_of(engine: Engine, name: str, table: str = "Simple") -> list[tuple[Any, ...]]:
    """The rows of an index, with the item they show: a copy, or the one they point at."""
    compiled = engine.catalog.table(table)
    return engine.store.rows(
        "SELECT x.pk, x.sk, base_pk, base_sk, ifnull(x.size, t.size), ifnull(x.item, t.item)"
        f" FROM x{compiled.indexes[name].number} AS x"
        f" JOIN t{compiled.number} AS t ON t.pk = base_pk AND t.sk = base_sk"
        " ORDER BY base_pk, base_sk",
        (),
    )


def check_index(engine: Engine, name: str, table: str = "Simple") -> None:
    """The index holds what a rebuild from the table would, and is counted right."""
    compiled = engine.catalog.table(table)
    wanted = compiled.indexes[name]
    expected = []
    for pk, sk, blob in engine.store.rows(
        f"SELECT pk, sk, item FROM t{compiled.number} ORDER BY pk, sk", ()
    ):
        place = wanted.key_of(loads(blob))
        if place is not None:
            expected.append((*place, pk, sk, wanted.project(loads(blob))))
    held = rows_of(engine, name, table)
    assert [(*row[:4], loads(row[5])) for row in held] == expected
    counted = engine.store.counts.get(wanted.number, [0, 0])
    assert counted == [len(held), sum(row[4] for row in held)]
    kept = engine.store.rows("SELECT items, bytes FROM counts WHERE number=?", (wanted.number,))
    assert kept == ([tuple(counted)] if held else kept)


def sql_tables(engine: Engine) -> set[str]:
    """The SQL tables there are for items, indexes and their like."""
    rows = engine.store.rows("SELECT name FROM sqlite_master WHERE type='table'", ())
    return {name for (name,) in rows if name[0] in "txce" and name[1:].isdigit()}


# --- filling -----------------------------------------------------------------------------


def test_while_an_index_is_filled(engine, held, call, refused):
    call("CreateTable", **simple_table())
    fill(engine, 5)
    answer = call("UpdateTable", **add_index(index("ByX", "x"), "x"))["TableDescription"]
    assert answer["GlobalSecondaryIndexes"][0]["Backfilling"] is False
    described = call("DescribeTable", TableName="Simple")["Table"]
    assert described["TableStatus"] == "UPDATING"
    (shown,) = described["GlobalSecondaryIndexes"]
    assert (shown["IndexStatus"], shown["Backfilling"]) == ("CREATING", True)
    assert shown["WarmThroughput"]["Status"] == "UPDATING"

    assert refused("Scan", TableName="Simple", IndexName="ByX").message == LOCK
    error = refused("DeleteTable", TableName="Simple")
    assert (error.code, error.message) == (
        "ResourceInUseException",
        "Attempt to change a resource which is still in use: Cannot delete table while indexes "
        "are being created, updated, or deleted.",
    )
    error = refused("UpdateTable", **add_index(index("Other", "x"), "x"))
    assert error.code == "LimitExceededException"
    # Keys of the new index are guarded from the first moment on, and other changes go on.
    assert refused(
        "PutItem", TableName="Simple", Item={"pk": {"S": "1"}, "x": {"N": "1"}}
    ).code == ("ValidationException")
    call("UpdateTable", TableName="Simple", DeletionProtectionEnabled=True)

    assert held.step()
    assert call("DescribeTable", TableName="Simple")["Table"]["TableStatus"] == "UPDATING"
    held.finish()
    described = call("DescribeTable", TableName="Simple")["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["DeletionProtectionEnabled"] is True
    (shown,) = described["GlobalSecondaryIndexes"]
    assert shown["IndexStatus"] == "ACTIVE"
    assert "Backfilling" not in shown
    assert call("Scan", TableName="Simple", IndexName="ByX")["Count"] == 5
    check_index(engine, "ByX")


def test_filling_takes_many_short_turns(engine, held, call):
    call("CreateTable", **simple_table())
    fill(engine, 6)
    call("UpdateTable", **add_index(index("ByX", "x"), "x"))
    seen = []
    while held.step():
        seen.append(len(rows_of(engine, "ByX")))
    assert seen[:5] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize("projection", ["ALL", "KEYS_ONLY", "INCLUDE"])
@pytest.mark.parametrize("seed", range(6))
def test_writes_while_an_index_is_filled(engine, held, call, projection, seed):
    chance = random.Random(f"{projection}{seed}")
    call("CreateTable", **simple_table())
    fill(engine, 20)
    include = ("other",) if projection == "INCLUDE" else ()
    call(
        "UpdateTable",
        **add_index(index("ByX", "x", "y", projection=projection, include=include), "x", "y"),
    )
    going = True
    while going:
        for _ in range(chance.randrange(3)):
            key = strings(pk=f"p{chance.randrange(24)}")
            item = dict(key)
            for name in ("x", "y", "other", "more"):
                if chance.random() < 0.7:
                    item[name] = {"S": chance.choice("abc") * chance.randrange(1, 4)}
            if chance.random() < 0.3:
                call("DeleteItem", TableName="Simple", Key=key)
            else:
                call("PutItem", TableName="Simple", Item=item)
        going = held.step()
    check_index(engine, "ByX")


def test_items_that_do_not_fit_stay_out(engine, call):
    call("CreateTable", **composite_table())

    def put(sk: str, **more: Any) -> None:
        item = {**strings(pk="1", sk=sk), **more}
        call("PutItem", TableName="Composite", Item=item)

    put("fits", x={"S": "k" * 1024})
    put("missing")
    put("number", x={"N": "1"})
    put("empty", x={"S": ""})
    put("long for a sort key", x={"S": "k" * 1025})
    put("long", x={"S": "k" * 2049})
    call("UpdateTable", **add_index(index("Hash", "x"), "x", table="Composite"))
    call("UpdateTable", **add_index(index("Range", "pk", "x"), "pk", "x", table="Composite"))
    engine.jobs.wait()

    def held(name: str) -> set[str]:
        items = call("Scan", TableName="Composite", IndexName=name)["Items"]
        return {item["sk"]["S"] for item in items}

    assert held("Hash") == {"fits", "long for a sort key"}
    assert held("Range") == {"fits"}
    check_index(engine, "Hash", "Composite")
    check_index(engine, "Range", "Composite")
    # Such an item can still be removed, and the index stays counted right.
    for sk in ("long", "empty", "number", "fits"):
        call("DeleteItem", TableName="Composite", Key=strings(pk="1", sk=sk))
    check_index(engine, "Hash", "Composite")


def test_an_index_over_several_attributes_is_filled(engine, call):
    call("CreateTable", **simple_table())
    fill(engine, 9)
    wanted = index("Multi", "x", "other")
    wanted["KeySchema"] = [
        {"AttributeName": "x", "KeyType": "HASH"},
        {"AttributeName": "other", "KeyType": "HASH"},
        {"AttributeName": "pk", "KeyType": "RANGE"},
    ]
    call("UpdateTable", **add_index(wanted, "x", "other", "pk"))
    engine.jobs.wait()
    check_index(engine, "Multi")
    # Items without the attribute, or with an empty one, are not in it.
    assert len(rows_of(engine, "Multi")) == 7


def test_an_index_can_be_removed_while_it_is_filled(engine, held, call):
    call("CreateTable", **simple_table())
    fill(engine, 5)
    call("UpdateTable", **add_index(index("ByX", "x"), "x"))
    held.step()
    call(
        "UpdateTable",
        TableName="Simple",
        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByX"}}],
    )
    assert call("DescribeTable", TableName="Simple")["Table"]["TableStatus"] == "ACTIVE"
    # A new index of the same name has nothing to do with the old one's job.
    call("UpdateTable", **add_index(index("ByX", "other"), "other"))
    held.finish()
    check_index(engine, "ByX")
    assert sql_tables(engine) == set(storage_of(engine.catalog.table("Simple")))


def test_the_real_background_fills_a_larger_table(disk_engine):
    disk_engine.call("CreateTable", simple_table())
    for start in range(0, 1500, 25):
        requests = [
            {"PutRequest": {"Item": strings(pk=str(n), x=str(n % 10), other="o" * 2000)}}
            for n in range(start, start + 25)
        ]
        disk_engine.call("BatchWriteItem", {"RequestItems": {"Simple": requests}})
    disk_engine.call("UpdateTable", add_index(index("ByX", "x"), "x"))
    disk_engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk="3", x="new")})
    disk_engine.jobs.wait()
    check_index(disk_engine, "ByX")
    described = disk_engine.call("DescribeTable", {"TableName": "Simple"})["Table"]
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 1500


# --- removing ----------------------------------------------------------------------------


def test_a_dropped_index_leaves_nothing(engine, held, call):
    request = composite_table(
        AttributeDefinitions=[{"AttributeName": "x", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[index("ByX", "x")],
    )
    call("CreateTable", **request)
    for number in range(120):
        call("PutItem", TableName="Composite", Item=strings(pk="1", sk=str(number), x="1"))
    number = engine.catalog.table("Composite").indexes["ByX"].number
    call(
        "UpdateTable",
        TableName="Composite",
        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByX"}}],
    )
    # Rows go by and by: after the first turn some are still there.
    assert held.step()
    (left,) = engine.store.rows(f"SELECT COUNT(*) FROM x{number}", ())[0]
    assert 0 < left < 120
    held.finish()
    assert sql_tables(engine) == set(storage_of(engine.catalog.table("Composite")))
    assert number not in engine.store.counts
    assert engine.store.rows("SELECT 1 FROM counts WHERE number=?", (number,)) == []
    assert call("Scan", TableName="Composite")["Count"] == 120


def test_a_dropped_table_leaves_nothing(engine, held, call):
    request = composite_table(
        AttributeDefinitions=[{"AttributeName": "x", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[index("ByX", "x")],
        LocalSecondaryIndexes=[index("Local", "pk", "x")],
    )
    call("CreateTable", **request)
    for number in range(120):
        call("PutItem", TableName="Composite", Item=strings(pk="1", sk=str(number), x="1"))
    call("DeleteTable", TableName="Composite")
    # A new table of the same name does not wait for the old rows, and is not harmed.
    call("CreateTable", **request)
    call("PutItem", TableName="Composite", Item=strings(pk="1", sk="new", x="1"))
    held.finish()
    assert sql_tables(engine) == set(storage_of(engine.catalog.table("Composite")))
    assert engine.store.rows("SELECT name FROM garbage", ()) == []
    assert call("Scan", TableName="Composite")["Count"] == 1
    assert call("Scan", TableName="Composite", IndexName="ByX")["Count"] == 1
    assert set(engine.store.counts) == {
        engine.catalog.table("Composite").number,
        *(each.number for each in engine.catalog.table("Composite").indexes.values()),
    }


# --- crashes -----------------------------------------------------------------------------

CRASHING = """
import os, sys
from tablewright.engine import Engine
from tablewright.engine.tables import backfill

steps, path = int(sys.argv[1]), sys.argv[2]
engine = Engine(path)
engine.call("CreateTable", {
    "TableName": "Simple", "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"},
                             {"AttributeName": "y", "AttributeType": "S"}],
    "GlobalSecondaryIndexes": [{"IndexName": "Old",
        "KeySchema": [{"AttributeName": "y", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"}}],
})
for number in range(120):
    engine.call("PutItem", {"TableName": "Simple", "Item": {
        "pk": {"S": f"p{number}"}, "x": {"S": str(number % 3)}, "y": {"S": "y"}}})

backfill.SLICE_SECONDS = -1.0
run = engine.store.run
done = 0

def counted(work):
    global done
    result = run(work)
    done += 1
    if done > steps:
        os._exit(9)
    return result

engine.store.run = counted
for change in (
    {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "Old"}}]},
    {"AttributeDefinitions": [{"AttributeName": "x", "AttributeType": "S"}],
     "GlobalSecondaryIndexUpdates": [{"Create": {"IndexName": "ByX",
        "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"}}}]},
):
    engine.call("UpdateTable", {"TableName": "Simple", **change})
engine.jobs.wait()
os._exit(0)
"""


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 9, 60])
def test_what_a_crash_cut_short_is_finished_when_the_engine_opens(tmp_path: Path, steps: int):
    done = subprocess.run(
        [sys.executable, "-c", CRASHING, str(steps), str(tmp_path)], timeout=60, check=False
    )
    assert done.returncode == 9
    with Engine(tmp_path) as engine:
        engine.jobs.wait()
        table = engine.catalog.table("Simple")
        assert "Old" not in table.indexes
        assert sql_tables(engine) == set(storage_of(table))
        assert engine.store.rows("SELECT name FROM garbage", ()) == []
        assert engine.call("Scan", {"TableName": "Simple", "Select": "COUNT"})["Count"] == 120
        if "ByX" in table.indexes:
            assert table.indexes["ByX"].status == "ACTIVE"
            check_index(engine, "ByX")
            assert len(rows_of(engine, "ByX")) == 120
        else:
            assert steps <= 2
            engine.call("UpdateTable", add_index(index("ByX", "x"), "x"))


def test_a_failing_change_leaves_nothing_behind(engine, call, monkeypatch):
    call("CreateTable", **simple_table())
    fill(engine, 3)
    before = (sql_tables(engine), call("DescribeTable", TableName="Simple"))

    def broken(*arguments: object) -> None:
        raise AwsError("InternalServerError", "broken")

    with monkeypatch.context() as patch:
        patch.setattr(backfill, "insert_index_row", broken)
        with pytest.raises(AwsError, match="broken"):
            call("UpdateTable", **add_index(index("ByX", "x"), "x"))
    assert (sql_tables(engine), call("DescribeTable", TableName="Simple")) == before
    call("UpdateTable", **add_index(index("ByX", "x"), "x"))
    check_index(engine, "ByX")
