"""Leases and the workers that run under them."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, ExitStack, suppress
from itertools import pairwise
from typing import Any

import pytest
from tests.service.kit.support import child, in_kit, runtime_on, until

from tablewright.client import AsyncDb, Db, HttpTransport, Retries
from tablewright.clock import ManualClock, SystemClock
from tablewright.engine import Engine, Fault
from tablewright.model import attr, update
from tablewright.service.kit import kit
from tablewright.service.kit.entities import Lease
from tablewright.service.kit.patterns import lease_named
from tablewright.service.workers import Held, LeaseLost, Leases, Worker, run_once, runner
from tablewright.testing import Backend, injected

NOW = 1_800_000_000.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


def worker(run: Callable[[Held], Awaitable[None]], **options: Any) -> Worker:
    return Worker(**{"name": "job", "every": 0.02, "run": run, "lease_secs": 1.0, **options})


async def idle(held: Held) -> None:
    return


# --- leases --------------------------------------------------------------------------------------


def test_a_clock_that_is_set_back_does_not_keep_the_lease_of_a_dead_holder(
    tablewright_backend: Backend,
) -> None:
    async def work(db: AsyncDb) -> None:
        clock = ManualClock(NOW)
        dead, other = Leases(db, clock, "dead"), Leases(db, clock, "other")
        assert await dead.acquire("job", 0.3) is not None
        clock.advance(-600)
        assert await other.acquire("job", 0.3) is None
        await asyncio.sleep(0.35)
        taken = await other.hold_any(["job"], 0.3)
        assert taken is not None
        assert (taken.owner, taken.fence, taken.until) == ("other", 2, NOW - 600 + 0.3)

    in_kit(tablewright_backend, work)


def test_who_renews_keeps_the_lease_whatever_the_clocks_of_others_say(
    tablewright_backend: Backend,
) -> None:
    async def work(db: AsyncDb) -> None:
        ahead, behind = ManualClock(NOW + 600), ManualClock(NOW)
        holder, other = Leases(db, ahead, "holder"), Leases(db, behind, "other")
        held = await holder.acquire("job", 0.4)
        assert held is not None
        for _ in range(8):
            assert await other.acquire("job", 0.4) is None
            await asyncio.sleep(0.1)
            ahead.advance(0.1)
            held = await holder.renew(held)
        await asyncio.sleep(0.2)
        assert await other.acquire("job", 0.4) is None, "seen as it is only now"
        await asyncio.sleep(0.45)
        assert await other.acquire("job", 0.4) is not None

    in_kit(tablewright_backend, work)


def test_one_holder_and_rising_fences(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        ours, theirs = Leases(db, clock, "ours"), Leases(db, clock, "theirs")
        first = await ours.acquire("job/03", 30)
        assert first is not None
        assert (first.name, first.partition, first.owner) == ("job", "03", "ours")
        assert (first.fence, first.until) == (1, NOW + 30)
        assert await theirs.acquire("job/03", 30) is None
        assert await ours.acquire("job/03", 30) is None

        clock.advance(29.9)
        kept = await ours.renew(first)
        assert (kept.fence, kept.until) == (1, NOW + 59.9)
        clock.advance(29.9)
        assert await theirs.acquire("job/03", 30) is None

        clock.advance(0.2)
        second = await theirs.acquire("job/03", 30)
        assert second is not None
        assert second.fence == 2
        with pytest.raises(LeaseLost):
            await ours.renew(kept)
        await ours.release(kept)  # does not give away what belongs to another
        assert await ours.acquire("job/03", 30) is None

        await theirs.release(second)
        third = await ours.acquire("job/03", 30)
        assert third is not None
        assert third.fence == 3

    in_kit(tablewright_backend, work, clock=clock)


def test_an_end_that_no_lease_can_have_is_free(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It was written by a clock that has been put right since."""

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, clock)
        clock.advance(10 * 86_400)
        assert await leases.acquire("job", 30) is not None
        clock.set(NOW)
        again = await leases.acquire("job", 30)
        assert again is not None
        assert again.fence == 2

    in_kit(tablewright_backend, work, clock=clock)


def test_of_many_who_want_it_one_gets_it(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        for turn in range(1, 6):
            found = await asyncio.gather(
                *(Leases(db, clock, f"w{each}").acquire("job", 5) for each in range(20))
            )
            (held,) = [each for each in found if each is not None]
            assert held.fence == turn
            clock.advance(6)

    in_kit(tablewright_backend, work, clock=clock)


def test_whatever_happens_fences_rise(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Random owners take, keep and give back, while the clock goes on, and now and then back."""
    chance = random.Random(11)

    async def work(db: AsyncDb) -> None:
        owners = [Leases(db, clock, f"w{number}") for number in range(3)]
        held: dict[str, Held] = {}
        last = 0
        for _ in range(250):
            leases = chance.choice(owners)
            mine = held.get(leases.owner)
            clock.advance(chance.choice([0, 1, 4, -2, 11]))
            if mine is None:
                taken = await leases.acquire("job", 10)
                if taken is not None:
                    assert taken.fence > last
                    held[leases.owner], last = taken, taken.fence
            elif chance.random() < 0.6:
                try:
                    held[leases.owner] = await leases.renew(mine)
                    assert mine.fence == last, "an old holder kept it"
                except LeaseLost:
                    assert mine.fence < last
                    del held[leases.owner]
            else:
                await leases.release(held.pop(leases.owner))
        assert last > 20

    in_kit(tablewright_backend, work, clock=clock)


def test_hold_any(tablewright_backend: Backend, clock: ManualClock) -> None:
    names = [f"writer-{slot:02d}" for slot in range(5)]

    async def work(db: AsyncDb) -> None:
        found = await asyncio.gather(
            *(Leases(db, clock, f"w{each}").hold_any(names, 30) for each in range(8))
        )
        held = [each for each in found if each is not None]
        # Who loses every race goes without; who gets one has it alone.
        assert len({each.lease for each in held}) == len(held)
        later = Leases(db, clock, "later")
        while len(held) < 5:
            one = await later.hold_any(names, 30)
            assert one is not None
            held.append(one)
        assert sorted(each.lease for each in held) == names
        assert await later.hold_any(names, 30) is None
        await later.release(held[2])
        again = await later.hold_any(names, 30)
        assert again is not None
        assert (again.lease, again.fence) == (held[2].lease, held[2].fence + 1)

    in_kit(tablewright_backend, work, clock=clock)


@pytest.mark.parametrize("error", ["InternalServerError", "ThrottlingException"])
def test_a_lost_answer_changes_nothing(
    tablewright_engine: Engine, memory: Backend, clock: ManualClock, error: str
) -> None:
    after = error == "InternalServerError"

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, clock)
        with injected(tablewright_engine, Fault("PutItem", error=error, after=after, times=2)):
            held = await leases.acquire("job", 30)
        assert held is not None
        assert held.fence == 1
        clock.advance(10)
        with injected(tablewright_engine, Fault("PutItem", error=error, after=after, times=2)):
            kept = await leases.renew(held)
        stored = await db.require(lease_named("job"))
        assert (stored.fence, stored.until.timestamp()) == (1, kept.until)

    in_kit(memory, work, clock=clock)


@pytest.mark.parametrize("secs", [0, -1, 3601])
def test_lengths_that_make_no_sense(
    tablewright_backend: Backend, clock: ManualClock, secs: float
) -> None:
    async def work(db: AsyncDb) -> None:
        with pytest.raises(ValueError, match="a lease lasts up to"):
            await Leases(db, clock).acquire("job", secs)

    in_kit(tablewright_backend, work, clock=clock)


def test_keeping_renews_and_gives_back(tablewright_backend: Backend) -> None:
    clock = SystemClock()

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, clock)
        held = await leases.acquire("job", 0.4)
        assert held is not None
        async with leases.keeping(held) as keeping:
            await asyncio.sleep(1.0)
            assert keeping.alive
            assert await Leases(db, clock).acquire("job", 1) is None
            assert keeping.held.until > held.until
        assert await Leases(db, clock).acquire("job", 1) is not None

    in_kit(tablewright_backend, work)


def test_keeping_notices_that_another_has_it(tablewright_backend: Backend) -> None:
    clock = SystemClock()

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, clock, "ours")
        held = await leases.acquire("job", 0.5)
        assert held is not None
        async with leases.keeping(held) as keeping:
            theirs = update(Lease, "job").do(attr(Lease.fence).add(1), attr(Lease.owner).set("x"))
            await db.run(theirs)
            await asyncio.wait_for(keeping.lost.wait(), 5)
            assert not keeping.alive
        # What belongs to another was not given back.
        stored = await db.require(lease_named("job"))
        assert (stored.owner, stored.fence) == ("x", 2)
        assert stored.until.timestamp() > 0

    in_kit(tablewright_backend, work)


def test_keeping_knows_that_it_was_asleep(tablewright_backend: Backend) -> None:
    """Right after a pause of the whole process, before anybody could tell it."""

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, SystemClock())
        held = await leases.acquire("job", 0.2)
        assert held is not None
        async with leases.keeping(held) as keeping:
            assert keeping.alive
            time.sleep(0.3)
            assert not keeping.alive
            await until(lambda: keeping.alive)  # nobody else wanted it

    in_kit(tablewright_backend, work)


def test_a_store_that_is_away_ends_a_lease(tablewright_engine: Engine, memory: Backend) -> None:

    async def work(db: AsyncDb) -> None:
        leases = Leases(db, SystemClock())
        held = await leases.acquire("job", 0.5)
        assert held is not None
        began = time.monotonic()
        with injected(tablewright_engine, Fault("PutItem", error="InternalServerError")):
            async with leases.keeping(held) as keeping:
                await asyncio.wait_for(keeping.lost.wait(), 5)
        assert time.monotonic() - began >= 0.5

    few = Retries(attempts=2, budget=0.2, base=0.001, cap=0.002)
    in_kit(memory, work, retries=few)


# --- workers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"name": ""},
        {"name": "a/b"},
        {"every": 0},
        {"partitions": ()},
        {"lease_secs": 0},
        {"lease_secs": 4000},
    ],
)
def test_workers_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="worker"):
        worker(idle, **options)


def test_every_partition_is_worked_on_by_one(tablewright_backend: Backend) -> None:
    runs: dict[str, list[str]] = {}
    at_work: set[str] = set()

    async def run(held: Held) -> None:
        assert held.partition not in at_work, "two work on one partition"
        at_work.add(held.partition)
        await asyncio.sleep(0.01)
        at_work.discard(held.partition)
        runs.setdefault(held.partition, []).append(held.owner)

    async def work(db: AsyncDb) -> None:
        job = worker(run, partitions=("a", "b", "c"))
        async with AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(runner(runtime_on(db, SystemClock()), [job]))
            await until(lambda: len(runs) == 3 and all(len(each) >= 5 for each in runs.values()))
        assert at_work == set()
        # Everything was given back.
        for partition in "abc":
            assert await Leases(db, SystemClock()).acquire(f"job/{partition}", 1) is not None

    in_kit(tablewright_backend, work)


def test_a_failing_run_does_not_end_the_worker(
    tablewright_backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    runs = 0

    async def run(held: Held) -> None:
        nonlocal runs
        runs += 1
        if runs == 1:
            raise RuntimeError("a bad day")

    async def work(db: AsyncDb) -> bytes:
        runtime = runtime_on(db, SystemClock())
        async with runner(runtime, [worker(run)]):
            await until(lambda: runs >= 3)
        text: bytes = runtime.metrics.text()
        return text

    text = in_kit(tablewright_backend, work).decode()
    assert 'worker_runs_total{outcome="failed",system="tests",worker="job"} 1.0' in text
    assert 'outcome="ok"' in text
    assert "a bad day" in caplog.text


def test_a_worker_waits_for_its_store(tablewright_engine: Engine, memory: Backend) -> None:
    runs = 0

    async def run(held: Held) -> None:
        nonlocal runs
        runs += 1

    async def work(db: AsyncDb) -> None:
        fault = Fault("GetItem", error="InternalServerError", times=3)
        with injected(tablewright_engine, fault):
            async with runner(runtime_on(db, SystemClock()), [worker(run)]):
                await until(lambda: runs)

    few = Retries(attempts=2, budget=0.2, base=0.001, cap=0.002)
    in_kit(memory, work, retries=few)


def test_what_is_seldom_done_is_done_once(tablewright_backend: Backend) -> None:
    """However many processes there are, and however often they start."""
    clock = ManualClock(NOW)
    runs: list[int] = []

    async def run(held: Held) -> None:
        runs.append(held.fence)

    async def work(db: AsyncDb) -> None:
        nightly = worker(run, every=86_400)

        async def processes(count: int) -> None:
            async with AsyncExitStack() as stack:
                for _ in range(count):
                    await stack.enter_async_context(runner(runtime_on(db, clock), [nightly]))
                await asyncio.sleep(0.7)

        await processes(3)
        assert len(runs) == 1
        clock.advance(86_000)
        await processes(1)
        assert len(runs) == 1
        clock.advance(500)
        await processes(2)
        assert len(runs) == 2
        assert runs[1] > runs[0]

    in_kit(tablewright_backend, work, clock=clock)


def test_who_did_it_last_mostly_does_it_again(tablewright_backend: Backend) -> None:
    """What a worker remembers from run to run is of use, although it lets the lease go."""
    runs: list[str] = []

    async def run(held: Held) -> None:
        runs.append(held.owner)

    async def work(db: AsyncDb) -> None:
        job = worker(run, every=0.15, lease_secs=0.15)
        assert not job.standing
        async with AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(runner(runtime_on(db, SystemClock()), [job]))
            began = time.monotonic()
            await until(lambda: len(runs) >= 12)
        # All together kept to the time between two runs.
        assert time.monotonic() - began > 11 * 0.15
        same = sum(earlier == later for earlier, later in pairwise(runs))
        assert same >= 5

    in_kit(tablewright_backend, work)


def test_who_loses_the_lease_stops(tablewright_backend: Backend) -> None:
    ended: list[str] = []
    began = asyncio.Event()

    async def run(held: Held) -> None:
        began.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def work(db: AsyncDb) -> bytes:
        runtime = runtime_on(db, SystemClock())
        job = worker(run, lease_secs=0.5, every=0.1, let_go=lambda _: ended.append("let go"))
        async with runner(runtime, [job]):
            await asyncio.wait_for(began.wait(), 10)
            await db.run(update(Lease, "job").do(attr(Lease.fence).add(1)))
            await until(lambda: ended[:2] == ["cancelled", "let go"])
        text: bytes = runtime.metrics.text()
        return text

    assert b'outcome="lost"' in in_kit(tablewright_backend, work)


def test_stopping_lets_a_run_end_but_not_for_ever(tablewright_backend: Backend) -> None:
    ended: list[str] = []

    async def run(held: Held) -> None:
        began[held.partition].set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.1 if held.partition == "short" else 60)
            ended.append(held.partition)

    began: dict[str, asyncio.Event] = {}
    closed: list[str] = []

    async def close() -> None:
        closed.append("closed")

    async def work(db: AsyncDb) -> None:
        began.update(short=asyncio.Event(), long=asyncio.Event())
        job = worker(run, partitions=("short", "long"), close=close)
        async with runner(runtime_on(db, SystemClock()), [job], drain_secs=0.4):
            await asyncio.gather(*(each.wait() for each in began.values()))
            before = time.monotonic()
        assert time.monotonic() - before < 5
        assert ended == ["short"]
        assert closed == ["closed"]
        assert await Leases(db, SystemClock()).acquire("job/long", 1) is not None

    in_kit(tablewright_backend, work)


def test_run_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    runs: list[tuple[str, int]] = []

    async def run(held: Held) -> None:
        runs.append((held.partition, held.fence))

    async def work(db: AsyncDb) -> None:
        job = worker(run, partitions=("a", "b"), every=86_400)
        leases = Leases(db, clock)
        assert await run_once(job) == ("a", "b")
        assert await run_once(job, leases) == ("a", "b")
        held = await Leases(db, clock, "other").acquire("job/a", 30)
        assert held is not None
        # Not due again, but somebody asked for it.
        assert await run_once(job, leases) == ("b",)

    in_kit(tablewright_backend, work, clock=clock)
    assert runs == [("a", 1), ("b", 1), ("a", 1), ("b", 1), ("b", 2)]


# --- processes -----------------------------------------------------------------------------------

_CONTENDER = "tests.service.kit.contender"


@pytest.fixture
def kit_url(tablewright_url: str) -> str:
    with Db(HttpTransport(tablewright_url)) as db:
        db.create_tables(kit)
    return tablewright_url


@pytest.mark.e2e
def test_processes_race_for_a_lease(kit_url: str) -> None:
    with ExitStack() as stack:
        racers = [stack.enter_context(child(_CONTENDER, kit_url)) for _ in range(4)]
        for racer in racers:
            assert racer.hear() == "ready"
        for turn in range(1, 6):
            for racer in racers:
                racer.say("take race 30")
            heard = [racer.hear() for racer in racers]
            assert sorted(heard) == sorted([str(turn), "taken", "taken", "taken"])
            winner = racers[heard.index(str(turn))]
            winner.say("release")
            assert winner.hear() == "released"


@pytest.mark.e2e
def test_a_holder_that_was_stopped(kit_url: str) -> None:
    """Its lease is taken over; when it goes on, it can neither keep it nor write."""
    with child(_CONTENDER, kit_url) as paused, child(_CONTENDER, kit_url) as other:
        assert (paused.hear(), other.hear()) == ("ready", "ready")
        paused.say("take job 0.5")
        lower = int(paused.hear())
        paused.say("mark early")
        assert paused.hear() == "marked"
        os.kill(paused.pid, signal.SIGSTOP)
        try:
            paused.say("mark late")
            time.sleep(0.6)
            other.say("take job 30")
            higher = int(other.hear())
            other.say("mark theirs")
            assert other.hear() == "marked"
        finally:
            os.kill(paused.pid, signal.SIGCONT)
        assert paused.hear() == "ConditionFailed"
        paused.say("keep")
        assert paused.hear() == "LeaseLost"
        assert lower < higher


def test_what_is_shared_is_run_by_every_process_without_a_lease(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work(db: AsyncDb) -> None:
        ran: dict[str, int] = {}
        failed: list[str] = []

        async def run(held: Held) -> None:
            ran[held.owner] = ran.get(held.owner, 0) + 1
            if not failed:
                failed.append(held.owner)
                raise RuntimeError("once")

        shared = worker(run, shared=True)
        async with AsyncExitStack() as stack:
            for _ in range(2):
                await stack.enter_async_context(runner(runtime_on(db, clock), [shared]))
            await until(lambda: len(ran) == 2 and min(ran.values()) >= 3)
        assert await db.run(lease_named("job")) is None
        assert await run_once(shared, Leases(db, clock, "ours")) == ("",)
        assert ran["ours"] == 1

    in_kit(tablewright_backend, work, clock=clock)
