"""Rate limits that all processes share through the kit table."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import pytest
from tests.backends import ENGINE, SMOKE
from tests.service.test_limits import suppress_refusal

from tablewright.client import AsyncDb, RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.service import shared_buckets
from tablewright.service.kit import kit_model
from tablewright.service.kit.entities import SharedBucket
from tablewright.service.kit.patterns import shared_bucket
from tablewright.service.limits import Rate, RateLimits
from tablewright.testing import Backend, EngineProcess, injected

T = TypeVar("T")
in_process = pytest.mark.parametrize("tablewright_backend", [ENGINE], indirect=True)
TEN = Rate(per_minute=60, burst=10)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no store that is down."""
    monkeypatch.setattr(shared_buckets, "PATIENCE_SECS", 60.0)


def run(what: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(what)


@asynccontextmanager
async def opened(
    backend: Backend, clock: ManualClock, events: list[RequestEvent] | None = None
) -> AsyncIterator[AsyncDb]:
    hook = None if events is None else events.append
    async with backend.async_db(clock=clock, hook=hook) as db:
        await db.create_tables(kit_model)
        yield db


def shared(db: AsyncDb, clock: ManualClock) -> RateLimits:
    """Each one knows as little of the others as another process does."""
    return RateLimits(clock, mode="store", db=db)


async def passes(limits: RateLimits, rate: Rate = TEN, *, amount: float = 1) -> bool:
    with suppress_refusal():
        await limits.check("things", "me", rate, amount=amount)
        return True
    return False


async def passed(limits: RateLimits, tries: int, rate: Rate = TEN) -> int:
    return sum([await passes(limits, rate) for _ in range(tries)])


@pytest.mark.parametrize("tablewright_backend", SMOKE, indirect=True)
def test_several_share_one_bucket(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            one, two = shared(db, tablewright_clock), shared(db, tablewright_clock)
            assert await passed(one, 7) == 7
            assert await passed(two, 7) == 3
            assert await passed(one, 1) == 0
            tablewright_clock.advance(2)
            assert await passed(two, 5) + await passed(one, 5) == 2
            tablewright_clock.advance(600)
            assert await passed(one, 15) == 10

    run(main())


def test_headers_and_refusals_are_those_of_the_store(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            given = await shared(db, tablewright_clock).check("things", "me", TEN, amount=4)
            assert given["RateLimit-Policy"] == '"things";q=10;w=10;scope="store"'
            given = await shared(db, tablewright_clock).check("things", "me", TEN, amount=4)
            assert (given["RateLimit-Remaining"], given["RateLimit-Reset"]) == ("2", "8")
            with pytest.raises(Exception, match="Try again in 3 s") as caught:
                await shared(db, tablewright_clock).check("things", "me", TEN, amount=5)
            assert caught.value.headers["Retry-After"] == "3"  # type: ignore[attr-defined]
            tablewright_clock.advance(3)
            await shared(db, tablewright_clock).check("things", "me", TEN, amount=5)

    run(main())


def test_more_than_a_burst_passes_once_and_is_owed(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            limits = shared(db, tablewright_clock)
            assert await passes(limits, amount=25)
            tablewright_clock.advance(15)
            assert not await passes(shared(db, tablewright_clock))
            tablewright_clock.advance(1)
            assert await passes(shared(db, tablewright_clock))

    run(main())


def test_a_check_is_one_write(tablewright_backend: Backend, tablewright_clock: ManualClock) -> None:
    events: list[RequestEvent] = []

    async def writes(limits: RateLimits, tries: int) -> int:
        events.clear()
        await passed(limits, tries)
        assert {event.operation for event in events} <= {"PutItem", "UpdateItem"}
        return len(events)

    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock, events) as db:
            limits, other = shared(db, tablewright_clock), shared(db, tablewright_clock)
            assert await writes(limits, 5) == 5
            assert await writes(other, 3) == 4, "a stranger guesses wrong once"
            assert await writes(limits, 2) == 2
            assert await writes(other, 10) == 1, "one is refused, and then it is known"
            tablewright_clock.advance(3600)
            assert await writes(limits, 5) == 5

    run(main())


@in_process
def test_addresses_of_people_are_not_stored(
    tablewright_engine: Engine, tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            await shared(db, tablewright_clock).check("login", "203.0.113.77 ada", TEN)

    run(main())
    items = tablewright_engine.call("Scan", {"TableName": "kit"})["Items"]
    assert len(items) == 1
    assert "203.0.113.77" not in json.dumps(items)


@in_process
def test_a_full_bucket_ends_by_itself(
    tablewright_engine: Engine, tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            await passed(shared(db, tablewright_clock), 10)

    run(main())
    (item,) = tablewright_engine.call("Scan", {"TableName": "kit"})["Items"]
    ends = int(item["expires_at"]["N"]) - tablewright_clock.now()
    assert 10 <= ends <= 120


# --- races, clocks, trouble ------------------------------------------------------------------


def test_no_race_lets_more_through(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            many = [shared(db, tablewright_clock) for _ in range(8)]
            outcome = await asyncio.gather(*(passes(many[n % 8]) for n in range(120)))
            assert sum(outcome) == 10

    run(main())


def test_a_clock_ahead_of_the_others_locks_nobody_out(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    ahead = ManualClock(tablewright_clock.now() + 86_400)

    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            assert await passed(shared(db, ahead), 6) == 6
            assert await passed(shared(db, tablewright_clock), 20) == 4
            tablewright_clock.advance(5)
            assert await passed(shared(db, tablewright_clock), 20) == 5

    run(main())


def test_our_own_clock_may_go_back(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            limits = shared(db, tablewright_clock)
            assert await passed(limits, 6) == 6
            tablewright_clock.advance(-7200)
            assert await passed(limits, 20) == 4
            tablewright_clock.advance(3)
            assert await passed(limits, 20) == 3

    run(main())


@in_process
def test_without_the_store_each_process_counts_alone(
    tablewright_engine: Engine,
    tablewright_backend: Backend,
    tablewright_clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            limits = shared(db, tablewright_clock)
            assert await passed(limits, 4) == 4
            asked = 0
            really = limits._shared._take  # type: ignore[union-attr]

            async def counted(check: Any) -> Any:
                nonlocal asked
                asked += 1
                return await really(check)

            monkeypatch.setattr(limits._shared, "_take", counted)
            with injected(tablewright_engine, Fault(error="InternalServerError")):
                monkeypatch.setattr(shared_buckets, "PATIENCE_SECS", 0.05)
                assert await passed(limits, 50) == 10
                assert asked == 1, "it is not asked again and again"
            monkeypatch.setattr(shared_buckets, "PATIENCE_SECS", 60.0)
            tablewright_clock.advance(5)
            assert await passed(limits, 50) == 10 - 4 + 4, "the store is asked again"

    run(main())


@in_process
def test_a_lost_answer_counts(
    tablewright_engine: Engine, tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            limits = shared(db, tablewright_clock)
            assert await passed(limits, 2) == 2
            lost = Fault("UpdateItem", error="InternalServerError", after=True, times=1)
            with injected(tablewright_engine, lost):
                assert await passes(limits)
            stored = await db.run(shared_bucket("things", _hashed("me")))
            assert isinstance(stored, SharedBucket)
            used = stored.full_at_us / 1e6 - tablewright_clock.now()
            assert used == pytest.approx(3, abs=0.01)

    run(main())


def _hashed(subject: str) -> str:
    import hashlib

    return hashlib.blake2b(subject.encode(), digest_size=16).hexdigest()


def test_failures_are_shared_too(
    tablewright_backend: Backend, tablewright_clock: ManualClock
) -> None:
    three = Rate(per_minute=3, burst=3)

    async def fails(limits: RateLimits) -> bool:
        with suppress_refusal():
            async with limits.attempt("login", "me", three) as attempt:
                attempt.failed()
            return True
        return False

    async def main() -> None:
        async with opened(tablewright_backend, tablewright_clock) as db:
            one, two = shared(db, tablewright_clock), shared(db, tablewright_clock)
            assert [await fails(one), await fails(two), await fails(one)] == [True] * 3
            assert [await fails(one), await fails(two)] == [False] * 2
            tablewright_clock.advance(20)
            assert [await fails(two), await fails(one)] == [True, False]

    run(main())


# --- processes -------------------------------------------------------------------------------

WORKER = """
import asyncio, sys, time
from tablewright.client import AsyncDb, AsyncHttpTransport, Credentials
from tablewright.service.limits import Rate, RateLimits
from tablewright.service.problems import Problem

async def main(url, start):
    transport = AsyncHttpTransport(url, region="us-east-1", credentials=Credentials("a", "b"))
    async with AsyncDb(transport) as db:
        limits = RateLimits(mode="store", db=db)
        await asyncio.sleep(start - time.time())
        passed = 0
        async def one():
            nonlocal passed
            try:
                await limits.check("things", "me", Rate.per_hour(40))
                passed += 1
            except Problem as problem:
                assert problem.status == 429
        for _ in range(10):
            await asyncio.gather(*(one() for _ in range(5)))
        print(passed)

asyncio.run(main(sys.argv[1], float(sys.argv[2])))
"""


@pytest.mark.e2e
def test_processes_share_one_bucket() -> None:
    with EngineProcess() as engine:
        from tablewright.testing.backends import at_endpoint

        with at_endpoint(engine.url) as backend:
            backend.db().create_tables(kit_model)
        command = [sys.executable, "-c", WORKER, engine.url, str(time.time() + 2.5)]
        workers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
        passed = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert sum(passed) == 40
