"""Messages to the outside: at least once each, in order for each subject, none ever lost."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from tests.service.kit.support import child, in_kit, runtime_on

from tablewright.client import AsyncDb, Db, HttpTransport
from tablewright.clock import ManualClock, SystemClock
from tablewright.model import Put, check, together
from tablewright.model.errors import AlreadyExists, NotFound, TransactionCancelled
from tablewright.service.keys import Keys
from tablewright.service.kit import kit
from tablewright.service.kit.entities import OUTBOX_SLOTS, Lease, OutboxEntry, pending_in
from tablewright.service.kit.outbox import (
    again,
    dead_letters,
    discard,
    message,
    sent_on,
)
from tablewright.service.kit.outbox.dispatch import Counts, Dispatcher
from tablewright.service.kit.outbox.messages import MOST_BYTES, Message
from tablewright.service.kit.outbox.sinks import SendFailed
from tablewright.service.kit.patterns import messages_in
from tablewright.service.settings import Settings
from tablewright.service.workers import Held, run_once, runner
from tablewright.testing import Backend

START = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START.timestamp())


class Recorder:
    """A sink that keeps what it gets, and fails when it is told to."""

    def __init__(
        self, name: str = "recorder", fails: Callable[[Message], Exception | None] = lambda _: None
    ) -> None:
        self.name = name
        self.fails = fails
        self.got: list[Message] = []

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        await asyncio.sleep(0)
        failed = self.fails(message)
        if failed is not None:
            raise failed
        self.got.append(message)

    async def close(self) -> None:
        return

    def numbers(self, subject: str) -> list[object]:
        return [each.body["number"] for each in self.got if each.subject == subject]


def note(subject: str, number: int, at: float) -> Put[OutboxEntry]:
    return message("note", subject, {"number": number}, at=at)


async def add(db: AsyncDb, subject: str, numbers: range, clock: ManualClock) -> None:
    for number in numbers:
        await db.run(note(subject, number, clock.now()))


async def waiting(db: AsyncDb) -> list[OutboxEntry]:
    found = [
        [each async for each in db.iterate(messages_in(f"PENDING#{slot:02d}"))]
        for slot in range(OUTBOX_SLOTS)
    ]
    return [each for slot in found for each in slot]


def dispatch(db: AsyncDb, clock: ManualClock, *sinks: Recorder, attempts: int = 15) -> Dispatcher:
    return Dispatcher(db, clock, "tests", sinks, most_attempts=attempts)


# --- making messages -----------------------------------------------------------------------------


def test_a_message_is_written_with_what_it_tells_of(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work(db: AsyncDb) -> None:
        with pytest.raises(TransactionCancelled):
            await db.run(together(check(Lease, "nobody"), note("a", 1, clock.now())))
        assert await waiting(db) == []
        await db.run(together(check(Lease, "nobody").absent(), note("a", 2, clock.now())))
        (entry,) = await waiting(db)
        assert (entry.body, entry.at, entry.place) == ({"number": 2}, START, pending_in("a"))

    in_kit(tablewright_backend, work, clock=clock)


def test_the_id_may_be_the_callers(tablewright_backend: Backend, clock: ManualClock) -> None:
    same = message("note", "a", {}, at=clock.now(), message_id="01KAGM5W000000000000000001")

    async def work(db: AsyncDb) -> None:
        await db.run(same)
        with pytest.raises(AlreadyExists):
            await db.run(same)

    in_kit(tablewright_backend, work, clock=clock)


def test_messages_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="bytes"):
        message("note", "a", {"text": "x" * MOST_BYTES}, at=0)
    with pytest.raises(ValueError, match="kind"):
        message("a note\r\nX-Header: 1", "a", {}, at=0)


# --- sending -------------------------------------------------------------------------------------


def test_in_order_for_each_subject(tablewright_backend: Backend, clock: ManualClock) -> None:
    sink = Recorder()

    async def work(db: AsyncDb) -> None:
        for subject in ("a", "b", "c"):
            await add(db, subject, range(20), clock)
        # Written last, but it happened before.
        await db.run(note("b", -1, clock.now() - 5))
        runtime = runtime_on(db, clock)
        counts = Counts(runtime.metrics, "tests")
        dispatcher = Dispatcher(db, clock, "tests", [sink], counts=counts)
        await run_once(dispatcher.worker())
        assert sink.numbers("a") == list(range(20))
        assert sink.numbers("b") == list(range(-1, 20))
        assert await waiting(db) == []
        sent = await db.run(sent_on(START.date()), limit=100)
        assert len(sent) == 61
        assert {each.ended_at for each in sent} == {START}
        text = runtime.metrics.text().decode()
        assert 'outbox_messages_total{outcome="sent",system="tests"} 61.0' in text
        await run_once(dispatcher.worker())
        assert len(sink.got) == 61

    in_kit(tablewright_backend, work, clock=clock)


def test_more_than_one_round(tablewright_backend: Backend, clock: ManualClock) -> None:
    sink = Recorder()

    async def work(db: AsyncDb) -> None:
        await asyncio.gather(*(db.run(note("a", n, clock.now() + n)) for n in range(450)))
        await run_once(dispatch(db, clock, sink).worker())
        assert sink.numbers("a") == list(range(450))

    in_kit(tablewright_backend, work, clock=clock)


def same_slot(subject: str) -> str:
    """Another subject that waits in the same slot."""
    names = (f"{subject}{number}" for number in range(1000))
    return next(name for name in names if pending_in(name) == pending_in(subject))


def test_who_fails_holds_up_only_its_own_subject(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    other = same_slot("a")
    broken = True

    def fails(given: Message) -> Exception | None:
        stuck = broken and given.subject == "a" and given.body["number"] == 1
        return SendFailed("not now") if stuck else None

    sink = Recorder(fails=fails)

    async def work(db: AsyncDb) -> None:
        nonlocal broken
        for subject in ("a", other):
            await add(db, subject, range(3), clock)
        worker = dispatch(db, clock, sink).worker()
        await run_once(worker)
        assert (sink.numbers("a"), sink.numbers(other)) == ([0], [0, 1, 2])
        first, second = await waiting(db)
        assert (first.attempts, first.error, second.attempts) == (1, "not now", 0)

        broken = False
        await run_once(worker)  # not yet
        assert sink.numbers("a") == [0]
        clock.advance(6.1)
        await run_once(worker)
        assert sink.numbers("a") == [0, 1, 2]
        assert await waiting(db) == []

    in_kit(tablewright_backend, work, clock=clock)


def test_pauses_get_longer_and_receivers_may_ask_for_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    wish: float | None = None
    sink = Recorder(fails=lambda _: SendFailed("no", retry_after=wish))

    async def pause(db: AsyncDb) -> float:
        await run_once(dispatch(db, clock, sink).worker())
        (entry,) = await waiting(db)
        assert entry.retry_at is not None
        secs = entry.retry_at.timestamp() - clock.now()
        clock.set(entry.retry_at.timestamp())
        return secs

    async def work(db: AsyncDb) -> None:
        nonlocal wish
        await db.run(note("a", 1, clock.now()))
        pauses = [await pause(db) for _ in range(6)]
        assert 4 <= pauses[0] <= 6
        assert all(1.2 * earlier < later for earlier, later in pairwise(pauses))
        wish = 1000
        assert await pause(db) == pytest.approx(1000, abs=1)
        wish = 10**9
        assert await pause(db) <= 3600 * 1.2

    in_kit(tablewright_backend, work, clock=clock)


def test_dead_letters(tablewright_backend: Backend, clock: ManualClock) -> None:
    broken = True

    def fails(given: Message) -> Exception | None:
        return SendFailed("no such host") if broken and given.body["number"] == 0 else None

    sink = Recorder(fails=fails)

    async def work(db: AsyncDb) -> None:
        nonlocal broken
        await add(db, "a", range(3), clock)
        worker = dispatch(db, clock, sink, attempts=3).worker()
        for _ in range(3):
            assert sink.got == []
            await run_once(worker)
            clock.advance(100)
        # Given up; the rest of the subject goes on.
        assert sink.numbers("a") == [1, 2]
        (dead,) = await db.run(dead_letters())
        assert (dead.body, dead.attempts, dead.error) == ({"number": 0}, 3, "no such host")

        broken = False
        await db.run(again(dead))
        with pytest.raises(TransactionCancelled):
            await db.run(again(dead))  # twice is once
        await run_once(worker)
        assert sink.numbers("a") == [1, 2, 0]
        assert list(await db.run(dead_letters())) == []
        with pytest.raises(NotFound):
            await db.run(discard(dead))

    in_kit(tablewright_backend, work, clock=clock)


def test_what_is_hopeless_is_dead_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    sink = Recorder(fails=lambda _: SendFailed("gone", permanent=True))

    async def work(db: AsyncDb) -> None:
        await add(db, "a", range(2), clock)
        await run_once(dispatch(db, clock, sink).worker())
        dead = await db.run(dead_letters())
        assert [each.body["number"] for each in dead] == [1, 0]
        await db.run(discard(dead[0]))
        assert len(await db.run(dead_letters())) == 1

    in_kit(tablewright_backend, work, clock=clock)


def test_what_a_systems_own_sink_takes_goes_nowhere_else_and_may_last(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    away = True
    own = Recorder("own", lambda _: SendFailed("away", lasting=True) if away else None)
    others = Recorder()

    async def work(db: AsyncDb) -> None:
        nonlocal away
        await db.run(message("ours", "a", {"number": 1}, at=clock.now()))
        await db.run(note("b", 2, clock.now()))
        sender = Dispatcher(db, clock, "tests", [others], own=[_Only(own, "ours")], most_attempts=2)
        for _ in range(4):
            await run_once(sender.worker())
            clock.advance(4000)
        # More often than others are tried, and not given up.
        (left,) = await waiting(db)
        assert (left.kind, left.attempts) == ("ours", 4)
        away = False
        await run_once(sender.worker())
        assert await waiting(db) == []
        assert (own.numbers("a"), others.numbers("b")) == ([1], [2])
        assert others.numbers("a") == own.numbers("b") == []

    in_kit(tablewright_backend, work, clock=clock)


class _Only:
    """A sink, for messages of one kind."""

    def __init__(self, sink: Recorder, kind: str) -> None:
        self.name, self.send, self.close = sink.name, sink.send, sink.close
        self._kind = kind

    def takes(self, message: Message) -> bool:
        return message.kind == self._kind


def test_a_sink_that_has_it_does_not_get_it_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    good, bad = Recorder("good"), Recorder("bad", fails=lambda _: SendFailed("no"))

    async def work(db: AsyncDb) -> None:
        await db.run(note("a", 1, clock.now()))
        worker = dispatch(db, clock, good, bad).worker()
        await run_once(worker)
        assert (len(good.got), len(bad.got)) == (1, 0)
        bad.fails = lambda _: None
        clock.advance(10)
        await run_once(worker)
        assert (len(good.got), len(bad.got)) == (1, 1)
        (sent,) = await db.run(sent_on(START.date()))
        assert sent.delivered == {"good", "bad"}

    in_kit(tablewright_backend, work, clock=clock)


def test_a_sink_with_a_mistake_in_it_is_no_reason_to_stop(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    sink = Recorder(fails=lambda given: KeyError("x") if given.subject == "a" else None)

    async def work(db: AsyncDb) -> None:
        await db.run(note("a", 1, clock.now()))
        await db.run(note(same_slot("a"), 1, clock.now()))
        await run_once(dispatch(db, clock, sink).worker())
        assert len(sink.got) == 1
        (left,) = await waiting(db)
        assert left.error == "recorder: KeyError"

    in_kit(tablewright_backend, work, clock=clock)


def test_nobody_is_there_to_send_to(tablewright_backend: Backend, clock: ManualClock) -> None:
    """A few attempts show it; the rest waits untouched, instead of failing one by one."""
    asked = 0

    def fails(_: Message) -> Exception | None:
        nonlocal asked
        asked += 1
        return SendFailed("no answer")

    sink = Recorder(fails=fails)

    async def work(db: AsyncDb) -> None:
        subjects = [name for name in (f"s{n}" for n in range(400)) if pending_in(name)[-1] == "0"]
        for subject in subjects:
            await db.run(note(subject, 1, clock.now()))
        await run_once(dispatch(db, clock, sink).worker())
        assert len(subjects) > 50
        assert asked < 25
        assert len([each for each in await waiting(db) if each.attempts]) == asked
        sink.fails = lambda _: None
        await run_once(dispatch(db, clock, sink).worker())
        assert len(sink.got) == len(subjects) - asked

    in_kit(tablewright_backend, work, clock=clock)


def test_two_dispatchers_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    """One has lost its lease and does not know: nothing is lost, and nothing is kept twice."""
    sink = Recorder()

    async def work(db: AsyncDb) -> None:
        await add(db, "a", range(10), clock)
        slot = pending_in("a")[-2:]
        runs = (
            dispatch(db, clock, sink).run(Held("outbox", slot, f"{each}", each, 0))
            for each in range(3)
        )
        await asyncio.gather(*runs)
        # Who found that it was too late stopped; the rest went out in order.
        assert sorted(set(sink.numbers("a"))) == list(range(10))
        first_times = list(dict.fromkeys(sink.numbers("a")))
        assert first_times == list(range(10))
        sent = await db.run(sent_on(START.date()), limit=100)
        assert sorted(each.body["number"] for each in sent) == list(range(10))

    in_kit(tablewright_backend, work, clock=clock)


def test_whatever_fails(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Random failures: every message arrives or is dead, and each subject keeps its order."""
    chance = random.Random(20)
    sink = Recorder(fails=lambda _: SendFailed("by chance") if chance.random() < 0.4 else None)

    async def work(db: AsyncDb) -> None:
        for subject in ("a", "b", "c", "d"):
            await add(db, subject, range(8), clock)
        worker = dispatch(db, clock, sink, attempts=4).worker()
        for _ in range(60):
            await run_once(worker)
            clock.advance(60)
        assert await waiting(db) == []
        dead = await db.run(dead_letters())
        arrived = Counter((each.subject, each.body["number"]) for each in sink.got)
        assert set(arrived.values()) == {1}
        assert len(arrived) + len(dead) == 32
        for subject in ("a", "b", "c", "d"):
            assert sink.numbers(subject) == sorted(sink.numbers(subject))  # type: ignore[type-var]

    in_kit(tablewright_backend, work, clock=clock)


def test_the_worker_of_a_system(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    from tablewright.service.kit.outbox.dispatch import worker

    async def work(db: AsyncDb) -> None:
        runtime = runtime_on(db, clock, settings=Settings(data=tmp_path), keys=Keys(None))
        await db.run(note("a", 1, clock.now()))
        await run_once(worker(runtime))

    in_kit(tablewright_backend, work, clock=clock)
    assert b'"number":1' in (tmp_path / "outbox" / "messages.jsonl").read_bytes()


def test_who_sends_a_slot_no_longer_does_not_tell_how_long_it_waits(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    sink = Recorder(fails=lambda _: SendFailed("no answer"))

    async def work(db: AsyncDb) -> None:
        runtime = runtime_on(db, SystemClock())
        counts = Counts(runtime.metrics, "tests")
        await db.run(note("a", 1, clock.now()))
        clock.advance(100)
        slot = pending_in("a")[-2:]
        sending = Dispatcher(db, clock, "tests", [sink], counts=counts).worker(0.1)

        def waits(secs: bytes) -> bool:
            name = b'tablewright_outbox_oldest_seconds{slot="%b",system="tests"} %b\n'
            return name % (slot.encode(), secs) in runtime.metrics.text()

        async with runner(runtime, [sending]), asyncio.timeout(10):
            while not waits(b"100.0"):
                await asyncio.sleep(0.02)
        # The lease has been given back: another process tells now.
        assert waits(b"0.0")

    in_kit(tablewright_backend, work)


@pytest.mark.e2e
def test_kill_between_sending_and_writing_it_down(tablewright_url: str, tmp_path: Path) -> None:
    file = tmp_path / "sent"
    file.touch()
    subjects, each, began = ("a", "b", "c"), 6, datetime.now(UTC)
    with Db(HttpTransport(tablewright_url)) as db:
        db.create_tables(kit)
        for number in range(each):
            for subject in subjects:
                db.run(note(subject, number, 1_800_000_000 + number))
        for sends in (1, 3, 2, 5):
            with child(
                "tests.service.kit.sender", tablewright_url, str(file), str(sends)
            ) as killed:
                assert killed.wait() == -9
        with child("tests.service.kit.sender", tablewright_url, str(file), "0") as last:
            assert last.wait() == 0
        left = [
            entry
            for slot in range(OUTBOX_SLOTS)
            for entry in db.iterate(messages_in(f"PENDING#{slot:02d}"))
        ]
        days = {began.date(), datetime.now(UTC).date()}
        kept = [entry for day in days for entry in db.iterate(sent_on(day))]
    assert left == []
    lines = [tuple(line.split()) for line in file.read_text().splitlines()]
    # The kills did hit, and every message arrived, each subject's in order.
    assert len(lines) > len(subjects) * each
    assert len(kept) == len(subjects) * each
    for subject in subjects:
        numbers = [int(number) for name, number in lines if name == subject]
        assert list(dict.fromkeys(numbers)) == list(range(each))
        assert numbers == sorted(numbers)
