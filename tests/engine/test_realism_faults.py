"""Faults that are wanted: how often, for whom, before or after, and what callers see of them."""

from __future__ import annotations

import threading
import time
from typing import Any

import orjson
import pytest
from tests.engine.samples import simple_table, strings

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine, Fault, Realism
from tablewright.engine.errors import DropConnection

MEMBERS = [{"Put": {"TableName": "Simple", "Item": strings(pk=pk)}} for pk in "abc"]
KEYS = [strings(pk=str(number)) for number in range(20)]
PUTS = [{"PutRequest": {"Item": key}} for key in KEYS]


def put(engine: Engine, pk: str = "a") -> Any:
    return engine.call("PutItem", {"TableName": "Simple", "Item": strings(pk=pk)})


def stored(engine: Engine, pk: str = "a") -> bool:
    """Whether the item is there, asked without faults."""
    before, engine.realism = engine.realism, Realism()
    found = engine.call("GetItem", {"TableName": "Simple", "Key": strings(pk=pk)})
    engine.realism = before
    return "Item" in found


@pytest.fixture
def simple(engine: Engine) -> Engine:
    engine.call("CreateTable", simple_table())
    return engine


def with_faults(engine: Engine, *faults: Fault, seed: int = 0) -> Engine:
    engine.realism = Realism(faults=faults, seed=seed)
    return engine


class TestErrors:
    def test_before_the_operation(self, simple: Engine) -> None:
        with_faults(simple, Fault("PutItem", error="InternalServerError"))
        with pytest.raises(AwsError) as caught:
            put(simple)
        assert (caught.value.code, caught.value.status) == ("InternalServerError", 500)
        assert not stored(simple)

    def test_after_the_operation(self, simple: Engine) -> None:
        with_faults(simple, Fault("PutItem", error="InternalServerError", after=True))
        with pytest.raises(AwsError):
            put(simple)
        assert stored(simple)

    def test_other_operations_are_left_alone(self, simple: Engine) -> None:
        with_faults(simple, Fault({"GetItem", "Query"}, error="ThrottlingException"))
        put(simple)
        with pytest.raises(AwsError):
            simple.call("GetItem", {"TableName": "Simple", "Key": strings(pk="a")})

    def test_without_operations_all_are_meant(self, simple: Engine) -> None:
        with_faults(simple, Fault(error="RequestLimitExceeded"))
        for operation in ("ListTables", "DescribeLimits"):
            with pytest.raises(AwsError, match="throughput limit for your account"):
                simple.call(operation, {})

    def test_a_text_of_ones_own(self, simple: Engine) -> None:
        with_faults(simple, Fault(error="SomethingNewException", message="never seen before"))
        with pytest.raises(AwsError) as caught:
            put(simple)
        assert (caught.value.code, caught.value.message) == (
            "SomethingNewException",
            "never seen before",
        )

    def test_a_conflict_of_single_writes(self, simple: Engine) -> None:
        with_faults(simple, Fault("PutItem", error="TransactionConflictException"))
        with pytest.raises(AwsError, match="Transaction is ongoing for the item"):
            put(simple)


class TestTransactions:
    def reasons(self, engine: Engine) -> Any:
        with pytest.raises(AwsError) as caught:
            engine.call("TransactWriteItems", {"TransactItems": MEMBERS})
        assert caught.value.code == "TransactionCanceledException"
        return caught.value

    def test_a_conflict_of_chosen_members(self, simple: Engine) -> None:
        fault = Fault("TransactWriteItems", error="TransactionCanceledException", members={0, 2})
        error = self.reasons(with_faults(simple, fault))
        conflict = {
            "Code": "TransactionConflict",
            "Message": "Transaction is ongoing for the item",
        }
        assert error.extra["CancellationReasons"] == [conflict, {"Code": "None"}, conflict]
        assert error.message.endswith("[TransactionConflict, None, TransactionConflict]")
        assert not stored(simple)

    def test_another_reason(self, simple: Engine) -> None:
        fault = Fault(error="TransactionCanceledException", members={1}, reason="ThrottlingError")
        error = self.reasons(with_faults(simple, fault))
        codes = [reason["Code"] for reason in error.extra["CancellationReasons"]]
        assert codes == ["None", "ThrottlingError", "None"]


class TestHowOften:
    def outcomes(self, engine: Engine, count: int = 400) -> list[bool]:
        seen = []
        for _ in range(count):
            try:
                put(engine)
                seen.append(True)
            except AwsError:
                seen.append(False)
        return seen

    def test_about_as_often_as_asked_for(self, simple: Engine) -> None:
        seen = self.outcomes(with_faults(simple, Fault(error="InternalServerError", rate=0.25)))
        assert 60 <= seen.count(False) <= 140

    def test_the_same_seed_chooses_the_same(self, simple: Engine) -> None:
        fault = Fault(error="InternalServerError", rate=0.5)
        runs = []
        for seed in (1, 1, 2):
            simple.realism = Realism()
            runs.append(self.outcomes(with_faults(simple, fault, seed=seed), 100))
        assert runs[0] == runs[1] != runs[2]

    def test_only_so_many_times(self, simple: Engine) -> None:
        seen = self.outcomes(with_faults(simple, Fault(error="InternalServerError", times=2)), 5)
        assert seen == [False, False, True, True, True]

    def test_never_means_never(self, simple: Engine) -> None:
        seen = self.outcomes(with_faults(simple, Fault(error="InternalServerError", rate=0)), 50)
        assert all(seen)


class TestDrops:
    def test_before_and_after(self, simple: Engine) -> None:
        with_faults(simple, Fault("PutItem", drop=True, times=1))
        with pytest.raises(DropConnection):
            put(simple, "before")
        with_faults(simple, Fault("PutItem", drop=True, times=1, after=True))
        with pytest.raises(DropConnection):
            put(simple, "after")
        assert (stored(simple, "before"), stored(simple, "after")) == (False, True)

    def test_over_json(self, simple: Engine) -> None:
        with_faults(simple, Fault(drop=True))
        with pytest.raises(DropConnection):
            simple.submit_json("ListTables", b"{}").result()


class TestLatency:
    """On the machine's clock answers come later; a clock that stands still is moved."""

    @pytest.fixture
    def real(self) -> Any:
        with Engine.memory() as engine:
            engine.call("CreateTable", simple_table())
            yield engine

    def test_a_call_takes_longer(self, real: Engine) -> None:
        with_faults(real, Fault("PutItem", latency=0.05))
        start = time.monotonic()
        put(real)
        assert time.monotonic() - start >= 0.05

    def test_submit_does_not_wait(self, real: Engine) -> None:
        with_faults(real, Fault("PutItem", latency=1.0))
        body = orjson.dumps({"TableName": "Simple", "Item": strings(pk="a")})
        start = time.monotonic()
        answers = [real.submit_json("PutItem", body) for _ in range(20)]
        assert time.monotonic() - start < 0.9
        assert not any(answer.done() for answer in answers)
        assert {answer.result(9) for answer in answers} == {b"{}"}
        # All of them waited at the same time.
        assert 1.0 <= time.monotonic() - start < 10

    def test_before_the_operation_delays_its_effect(self, real: Engine) -> None:
        with_faults(real, Fault("PutItem", latency=0.2))
        answer = real.submit("PutItem", {"TableName": "Simple", "Item": strings(pk="a")})
        assert "Item" not in real.call("GetItem", {"TableName": "Simple", "Key": strings(pk="a")})
        answer.result(5)
        assert "Item" in real.call("GetItem", {"TableName": "Simple", "Key": strings(pk="a")})

    def test_after_the_operation_delays_only_the_answer(self, real: Engine) -> None:
        with_faults(real, Fault("PutItem", latency=0.2, after=True))
        answer = real.submit("PutItem", {"TableName": "Simple", "Item": strings(pk="a")})
        assert "Item" in real.call("GetItem", {"TableName": "Simple", "Key": strings(pk="a")})
        assert not answer.done()
        answer.result(5)

    def test_slow_and_then_failing(self, real: Engine) -> None:
        with_faults(real, Fault("PutItem", latency=0.05), Fault(error="InternalServerError"))
        start = time.monotonic()
        with pytest.raises(AwsError):
            put(real)
        assert time.monotonic() - start >= 0.05

    def test_closing_waits_for_nobody(self) -> None:
        engine = Engine.memory(realism=Realism(faults=(Fault("ListTables", latency=60),)))
        answer = engine.submit("ListTables", {})
        start = time.monotonic()
        engine.close()
        assert time.monotonic() - start < 5
        assert answer.result(0) == {"TableNames": []}

    def test_many_are_answered_in_the_order_of_their_time(self, real: Engine) -> None:
        arrived: list[str] = []
        done = threading.Event()

        def note(name: str) -> Any:
            def arrive(_: object) -> None:
                arrived.append(name)
                if len(arrived) == 2:
                    done.set()

            return arrive

        with_faults(real, Fault("ListTables", latency=0.2), Fault("DescribeLimits", latency=0.05))
        real.submit("ListTables", {}).add_done_callback(note("slow"))
        real.submit("DescribeLimits", {}).add_done_callback(note("fast"))
        assert done.wait(5)
        assert arrived == ["fast", "slow"]

    def test_a_manual_clock_is_moved(self, simple: Engine, clock: ManualClock) -> None:
        with_faults(simple, Fault("PutItem", latency=3600))
        before = clock.now()
        put(simple)
        assert clock.now() == before + 3600


class TestBatches:
    def test_some_writes_are_left_unprocessed(self, simple: Engine) -> None:
        with_faults(simple, Fault("BatchWriteItem", unprocessed=0.5))
        answer = simple.call("BatchWriteItem", {"RequestItems": {"Simple": PUTS}})
        left = answer["UnprocessedItems"]["Simple"]
        assert 0 < len(left) < 20
        for asked in PUTS:
            pk = asked["PutRequest"]["Item"]["pk"]["S"]
            assert stored(simple, pk) is (asked not in left)

    def test_trying_again_gets_there(self, simple: Engine) -> None:
        with_faults(simple, Fault("BatchWriteItem", unprocessed=0.7))
        todo: Any = {"Simple": PUTS}
        rounds = 0
        while todo:
            todo = simple.call("BatchWriteItem", {"RequestItems": todo})["UnprocessedItems"]
            rounds += 1
        assert rounds > 1
        assert simple.call("Scan", {"TableName": "Simple"})["Count"] == 20

    def test_some_reads_are_left_unprocessed(self, simple: Engine) -> None:
        simple.call("BatchWriteItem", {"RequestItems": {"Simple": PUTS}})
        with_faults(simple, Fault("BatchGetItem", unprocessed=0.5))
        asked = {"Keys": KEYS, "ConsistentRead": True}
        answer = simple.call("BatchGetItem", {"RequestItems": {"Simple": asked}})
        left = answer["UnprocessedKeys"]["Simple"]
        assert left["ConsistentRead"] is True
        found = answer["Responses"]["Simple"]
        assert 0 < len(found) < 20
        assert sorted(map(repr, [*found, *left["Keys"]])) == sorted(map(repr, KEYS))

    def test_all_of_them(self, simple: Engine) -> None:
        with_faults(simple, Fault(unprocessed=1))
        writes = {"RequestItems": {"Simple": PUTS}}
        reads = {"RequestItems": {"Simple": {"Keys": KEYS}}}
        assert simple.call("BatchWriteItem", writes) == {"UnprocessedItems": writes["RequestItems"]}
        assert simple.call("BatchGetItem", reads) == {
            "Responses": {},
            "UnprocessedKeys": reads["RequestItems"],
        }
        put(simple)  # not a batch

    def test_over_json(self, simple: Engine) -> None:
        simple.call("BatchWriteItem", {"RequestItems": {"Simple": PUTS}})
        with_faults(simple, Fault(unprocessed=0.5))
        body = orjson.dumps({"RequestItems": {"Simple": {"Keys": KEYS}}})
        answer = orjson.loads(simple.submit_json("BatchGetItem", body).result())
        assert len(answer["Responses"]["Simple"]) + len(
            answer["UnprocessedKeys"]["Simple"]["Keys"]
        ) == len(KEYS)

    @pytest.mark.parametrize(
        "items", [None, [], 3, {"Simple": None}, {"Simple": {}}, {"Simple": 3}]
    )
    def test_what_is_no_batch_is_refused_as_ever(self, simple: Engine, items: Any) -> None:
        for operation in ("BatchWriteItem", "BatchGetItem"):
            request = {"RequestItems": items}
            texts = []
            for faults in ((), (Fault(unprocessed=1),)):
                with_faults(simple, *faults)
                with pytest.raises(AwsError) as caught:
                    simple.call(operation, request)
                texts.append((caught.value.code, caught.value.message))
            assert texts[0] == texts[1]
