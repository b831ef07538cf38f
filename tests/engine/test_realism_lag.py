"""Eventual consistency: stale reads show the table as it was, exactly, the lag ago."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.clock import ManualClock, SystemClock
from tablewright.engine import AwsError, Engine, Realism
from tablewright.engine.verify import problems

LAG = 2.0
OTHERS = [{"AttributeName": name, "AttributeType": "S"} for name in ("g", "l")]

Call = Callable[..., dict[str, Any]]


def indexed_table(name: str = "Things", **more: Any) -> dict[str, Any]:
    """Two global indexes and a local one, with all kinds of projections."""
    return composite_table(
        name,
        AttributeDefinitions=OTHERS,
        GlobalSecondaryIndexes=[
            index("Whole", "g", "sk"),
            index("Keys", "g", projection="KEYS_ONLY"),
        ],
        LocalSecondaryIndexes=[index("Local", "pk", "l", projection="INCLUDE", include=("v",))],
        **more,
    )


def contents(engine: Engine, table: str = "Things", **more: Any) -> list[str]:
    """Everything a scan shows, in an order that can be compared."""
    page = engine.call("Scan", {"TableName": table, **more})
    return sorted(repr(sorted(item.items())) for item in page["Items"])


def everything(engine: Engine, consistent: bool) -> dict[str, list[str]]:
    """The table and its local index; of the global ones only if stale reads are wanted."""
    seen = {
        "table": contents(engine, ConsistentRead=consistent),
        "local": contents(engine, IndexName="Local", ConsistentRead=consistent),
    }
    if not consistent:
        seen["whole"] = contents(engine, IndexName="Whole")
        seen["keys"] = contents(engine, IndexName="Keys")
    return seen


def add_index(engine: Engine) -> None:
    """Add the index ``New`` to the table ``Simple``."""
    engine.call(
        "UpdateTable",
        {
            "TableName": "Simple",
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")
            ],
            "GlobalSecondaryIndexUpdates": [{"Create": index("New", "g")}],
        },
    )


def storage(engine: Engine) -> set[str]:
    """The SQL tables that hold rows of tables and indexes."""
    names = "SELECT name FROM sqlite_master WHERE type='table' AND name GLOB '[txc][0-9]*'"
    return {name for (name,) in engine.store.rows(names, ())}


@pytest.fixture
def things(engine: Engine) -> Engine:
    """An engine with a lag, and the table ``Things``."""
    engine.call("CreateTable", indexed_table())
    engine.realism = Realism(lag=LAG)
    return engine


def put(engine: Engine, table: str = "Things", **attributes: str) -> dict[str, Any]:
    return engine.call("PutItem", {"TableName": table, "Item": strings(**attributes)})


def get(engine: Engine, consistent: bool = False, table: str = "Things", **key: str) -> Any:
    request = {"TableName": table, "Key": strings(**key), "ConsistentRead": consistent}
    return engine.call("GetItem", request).get("Item")


class TestReads:
    def test_a_write_is_seen_at_once_only_by_consistent_reads(
        self, things: Engine, clock: ManualClock
    ) -> None:
        put(things, pk="a", sk="1", g="x")
        assert get(things, True, pk="a", sk="1") == strings(pk="a", sk="1", g="x")
        assert get(things, pk="a", sk="1") is None
        clock.advance(LAG - 0.1)
        assert get(things, pk="a", sk="1") is None
        clock.advance(0.1)
        assert get(things, pk="a", sk="1") == strings(pk="a", sk="1", g="x")

    def test_each_state_is_seen_in_its_turn(self, things: Engine, clock: ManualClock) -> None:
        for value in ("1", "2", "3"):
            put(things, pk="a", sk="1", g=value)
            clock.advance(1)
        seen = []
        for _ in range(3):
            seen.append(get(things, pk="a", sk="1")["g"]["S"])
            clock.advance(1)
        assert seen == ["2", "3", "3"]

    def test_a_delete_is_stale_too(self, things: Engine, clock: ManualClock) -> None:
        put(things, pk="a", sk="1", g="x")
        clock.advance(LAG)
        things.call("DeleteItem", {"TableName": "Things", "Key": strings(pk="a", sk="1")})
        assert get(things, True, pk="a", sk="1") is None
        assert get(things, pk="a", sk="1") is not None
        assert len(contents(things, IndexName="Keys")) == 1
        clock.advance(LAG)
        assert get(things, pk="a", sk="1") is None
        assert contents(things, IndexName="Keys") == []

    def test_queries_and_batches(self, things: Engine, clock: ManualClock) -> None:
        put(things, pk="a", sk="1", g="x", l="p")

        def query(**more: Any) -> int:
            name = "g" if more.get("IndexName") == "Whole" else "pk"
            request = {
                "TableName": "Things",
                "KeyConditionExpression": f"{name} = :k",
                "ExpressionAttributeValues": {":k": {"S": "x" if name == "g" else "a"}},
                **more,
            }
            count: int = things.call("Query", request)["Count"]
            return count

        def batch(consistent: bool) -> int:
            asked = {"Keys": [strings(pk="a", sk="1")], "ConsistentRead": consistent}
            found = things.call("BatchGetItem", {"RequestItems": {"Things": asked}})
            return len(found["Responses"]["Things"])

        fresh = [query(ConsistentRead=True), query(IndexName="Local", ConsistentRead=True)]
        assert [*fresh, batch(True)] == [1, 1, 1]

        def stale() -> list[int]:
            return [query(), query(IndexName="Local"), query(IndexName="Whole"), batch(False)]

        assert stale() == [0, 0, 0, 0]
        clock.advance(LAG)
        assert stale() == [1, 1, 1, 1]

    def test_a_local_index_fetches_from_the_same_moment(
        self, things: Engine, clock: ManualClock
    ) -> None:
        put(things, pk="a", sk="1", l="p", w="old")
        clock.advance(LAG)
        put(things, pk="a", sk="1", l="p", w="new")
        page = things.call(
            "Scan",
            {"TableName": "Things", "IndexName": "Local", "ProjectionExpression": "w"},
        )
        assert page["Items"] == [strings(w="old")]

    def test_partiql(self, things: Engine, clock: ManualClock) -> None:
        def select(consistent: bool) -> int:
            statement = "SELECT * FROM Things WHERE pk = 'a' AND sk = '1'"
            request = {"Statement": statement, "ConsistentRead": consistent}
            return len(things.call("ExecuteStatement", request)["Items"])

        insert = "INSERT INTO Things VALUE {'pk': 'a', 'sk': '1', 'g': 'x'}"
        things.call("ExecuteStatement", {"Statement": insert})
        assert (select(True), select(False)) == (1, 0)
        clock.advance(LAG)
        assert select(False) == 1

    def test_transactional_reads_are_never_stale(self, things: Engine) -> None:
        put(things, pk="a", sk="1")
        member = {"Get": {"TableName": "Things", "Key": strings(pk="a", sk="1")}}
        answer = things.call("TransactGetItems", {"TransactItems": [member]})
        assert answer["Responses"] == [{"Item": strings(pk="a", sk="1")}]

    def test_conditions_look_at_the_present(self, things: Engine) -> None:
        put(things, pk="a", sk="1")
        with pytest.raises(AwsError, match="conditional request failed"):
            things.call(
                "PutItem",
                {
                    "TableName": "Things",
                    "Item": strings(pk="a", sk="1"),
                    "ConditionExpression": "attribute_not_exists(pk)",
                },
            )

    def test_what_was_there_before_the_lag_is_seen(self, engine: Engine) -> None:
        engine.call("CreateTable", indexed_table())
        put(engine, pk="a", sk="1", g="x", l="y")
        engine.realism = Realism(lag=LAG)
        put(engine, pk="b", sk="1", g="x", l="y")
        seen = everything(engine, consistent=False)
        assert {name: len(items) for name, items in seen.items()} == {
            "table": 1,
            "local": 1,
            "whole": 1,
            "keys": 1,
        }

    def test_the_units_are_those_of_the_write(self, engine: Engine, clock: ManualClock) -> None:
        engine.call("CreateTable", indexed_table())

        def units(**attributes: str) -> Any:
            request = {"TableName": "Things", "Item": strings(**attributes)}
            return engine.call("PutItem", {**request, "ReturnConsumedCapacity": "INDEXES"})

        states = [{"g": "x", "l": "1"}, {"g": "y", "l": "1"}, {"l": "2"}, {"l": "2"}]
        without = [units(pk="a", sk="1", **state) for state in states]
        engine.realism = Realism(lag=LAG)
        lagging = [units(pk="b", sk="1", **state) for state in states]
        assert lagging == without

    def test_a_clock_that_goes_back_mixes_nothing_up(
        self, things: Engine, clock: ManualClock
    ) -> None:
        put(things, pk="a", sk="1", v="old")
        clock.advance(-1000)
        put(things, pk="a", sk="1", v="new")
        clock.advance(LAG)
        assert get(things, pk="a", sk="1") is None
        clock.advance(1000)
        assert get(things, pk="a", sk="1") == strings(pk="a", sk="1", v="new")


@pytest.mark.parametrize("seed", range(4))
def test_a_stale_read_is_the_table_of_a_moment_ago(
    things: Engine, clock: ManualClock, seed: int
) -> None:
    """Random writes of all kinds at random moments, checked against remembered consistent reads."""
    chance = random.Random(seed)
    history = [(clock.now(), everything(things, consistent=True))]
    for _ in range(120):
        _write_something(things, chance)
        history.append((clock.now(), everything(things, consistent=True)))
        clock.advance(chance.choice([0, 0, 0.25, 0.5, 1.75]))
        then = [state for moment, state in history if moment <= clock.now() - LAG]
        if then:
            seen = everything(things, consistent=False)
            assert (seen["table"], seen["local"]) == (then[-1]["table"], then[-1]["local"])
            assert len(seen["whole"]) == sum("('g'," in item for item in then[-1]["table"])
            assert len(seen["keys"]) == len(seen["whole"])
    things.realism = Realism()
    assert problems(things) == []
    settled = everything(things, consistent=False)
    assert settled["whole"] == [item for item in settled["table"] if "('g'," in item]
    assert settled["table"] == history[-1][1]["table"]


def _write_something(engine: Engine, chance: random.Random) -> None:
    def key() -> dict[str, Any]:
        return strings(pk=chance.choice("ab"), sk=chance.choice("123"))

    def item() -> dict[str, Any]:
        optional = {name: chance.choice("xyz") for name in "glv" if chance.random() < 0.6}
        return {**key(), **strings(**optional)}

    kind = chance.choice(["put", "put", "delete", "update", "batch", "transaction"])
    if kind == "put":
        engine.call("PutItem", {"TableName": "Things", "Item": item()})
    elif kind == "delete":
        engine.call("DeleteItem", {"TableName": "Things", "Key": key()})
    elif kind == "update":
        engine.call(
            "UpdateItem",
            {
                "TableName": "Things",
                "Key": key(),
                "UpdateExpression": "SET g = :g REMOVE v",
                "ExpressionAttributeValues": {":g": {"S": chance.choice("xyz")}},
            },
        )
    elif kind == "batch":
        puts = {repr(key()): {"PutRequest": {"Item": {**key(), "v": {"S": "b"}}}} for _ in "12"}
        distinct = {repr(put["PutRequest"]["Item"]): put for put in puts.values()}
        engine.call("BatchWriteItem", {"RequestItems": {"Things": list(distinct.values())}})
    else:
        members = [
            {"Put": {"TableName": "Things", "Item": {**item(), **strings(pk="t", sk=sk)}}}
            for sk in "12"
        ]
        engine.call("TransactWriteItems", {"TransactItems": members})


class TestTables:
    def test_an_index_that_is_added_meanwhile_is_complete(
        self, engine: Engine, clock: ManualClock
    ) -> None:
        engine.call("CreateTable", simple_table())
        engine.realism = Realism(lag=LAG)
        for number in range(20):
            put(engine, "Simple", pk=str(number), g="old" if number % 2 else "even")
        add_index(engine)
        put(engine, "Simple", pk="0", g="changed")
        engine.jobs.wait()
        put(engine, "Simple", pk="1", g="changed")
        clock.advance(LAG)
        assert contents(engine, "Simple", IndexName="New") == contents(
            engine, "Simple", ConsistentRead=True
        )
        assert problems(engine) == []

    def test_an_index_that_is_being_filled_is_right_in_the_end(
        self, engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Filled one item at a time, while its items change and the changes become due."""
        monkeypatch.setattr("tablewright.engine.tables.backfill.SLICE_SECONDS", -1)
        monkeypatch.setattr("tablewright.engine.jobs.PAUSE_SECONDS", 0.005)
        engine.call("CreateTable", simple_table())
        for number in range(100):
            put(engine, "Simple", pk=str(number), g="old")
        engine.realism = Realism(lag=LAG)
        add_index(engine)
        for number in range(100):
            put(engine, "Simple", pk=str(number), g="first")
            put(engine, "Simple", pk=str(number), g="second")
            clock.advance(LAG / 10)
        (filled,) = engine.call("DescribeTable", {"TableName": "Simple"})["Table"][
            "GlobalSecondaryIndexes"
        ]
        assert filled["IndexStatus"] == "CREATING"
        engine.jobs.wait()
        assert problems(engine) == []
        put(engine, "Simple", pk="0", g="third")
        assert problems(engine) != []
        clock.advance(LAG)
        assert contents(engine, "Simple", IndexName="New") == contents(engine, "Simple")
        assert problems(engine) == []

    def test_a_table_made_anew_starts_empty(self, things: Engine, clock: ManualClock) -> None:
        put(things, pk="a", sk="1", g="x")
        clock.advance(LAG)
        assert get(things, pk="a", sk="1") is not None
        put(things, pk="a", sk="2", g="x")
        things.call("DeleteTable", {"TableName": "Things"})
        things.call("CreateTable", indexed_table())
        assert everything(things, consistent=False)["table"] == []
        clock.advance(LAG)
        assert everything(things, consistent=False)["whole"] == []

    def test_nothing_is_left_behind_when_it_is_switched_off(self, things: Engine) -> None:
        before = storage(things)
        put(things, pk="a", sk="1", g="x", l="y")
        assert storage(things) > before
        things.realism = Realism()
        things.jobs.wait()
        assert storage(things) == before
        assert things.store.rows("SELECT * FROM lagging", ()) == []

    def test_nothing_is_left_behind_of_a_deleted_table(self, things: Engine) -> None:
        put(things, pk="a", sk="1", g="x", l="y")
        things.call("DeleteTable", {"TableName": "Things"})
        things.jobs.wait()
        assert storage(things) == set()
        assert things.store.rows("SELECT * FROM lagging", ()) == []

    def test_counts_of_indexes_are_right_in_the_end(self, things: Engine) -> None:
        for number in range(5):
            put(things, pk="a", sk=str(number), g="x", l="y")
        assert problems(things) != []
        things.realism = Realism()
        assert problems(things) == []

    def test_another_lag_starts_from_the_present(self, things: Engine, clock: ManualClock) -> None:
        put(things, pk="a", sk="1")
        things.realism = Realism(lag=10)
        assert get(things, pk="a", sk="1") is not None
        put(things, pk="a", sk="2")
        clock.advance(9)
        assert get(things, pk="a", sk="2") is None
        clock.advance(1)
        assert get(things, pk="a", sk="2") is not None


class TestDisk:
    def open(self, path: Path, clock: ManualClock, lag: float) -> Engine:
        return Engine(path, durability="relaxed", clock=clock, realism=Realism(lag=lag))

    def test_the_queue_outlives_the_process(self, tmp_path: Path, clock: ManualClock) -> None:
        with self.open(tmp_path, clock, LAG) as engine:
            engine.call("CreateTable", indexed_table())
            put(engine, pk="a", sk="1", g="x", l="y")
        with self.open(tmp_path, clock, LAG) as engine:
            assert get(engine, pk="a", sk="1") is None
            clock.advance(LAG)
            assert {len(items) for items in everything(engine, False).values()} == {1}

    def test_opening_without_a_lag_settles_everything(
        self, tmp_path: Path, clock: ManualClock
    ) -> None:
        with self.open(tmp_path, clock, LAG) as engine:
            engine.call("CreateTable", indexed_table())
            for number in range(700):
                put(engine, pk="a", sk=str(number), g="x", l="y")
        with self.open(tmp_path, clock, 0) as engine:
            assert {len(items) for items in everything(engine, False).values()} == {700}
            engine.jobs.wait()
            assert engine.store.rows("SELECT * FROM replicas", ()) == []
            assert problems(engine) == []

    def test_many_threads(self, tmp_path: Path) -> None:
        """Writers, stale readers and somebody who switches, all at once, on the real clock."""
        engine = Engine(tmp_path, clock=SystemClock(), realism=Realism(lag=0.005))
        engine.call("CreateTable", indexed_table())
        errors: list[BaseException] = []
        done = threading.Event()

        def guarded(action: Callable[[], object]) -> Callable[[], None]:
            def run() -> None:
                try:
                    action()
                except BaseException as error:
                    errors.append(error)

            return run

        def write(worker: int) -> None:
            chance = random.Random(worker)
            for _ in range(150):
                _write_something(engine, chance)

        def read() -> None:
            while not done.is_set():
                everything(engine, consistent=False)

        def switch() -> None:
            while not done.wait(0.02):
                engine.realism = Realism(lag=0.01 if engine.lag is None else 0)

        writers = [threading.Thread(target=guarded(lambda n=n: write(n))) for n in range(3)]  # type: ignore[misc]
        others = [threading.Thread(target=guarded(each)) for each in (read, switch)]
        for thread in (*writers, *others):
            thread.start()
        for thread in writers:
            thread.join()
        done.set()
        for thread in others:
            thread.join()
        engine.realism = Realism()
        assert errors == []
        assert problems(engine) == []
        assert contents(engine) == contents(engine, ConsistentRead=True)
        engine.close()
