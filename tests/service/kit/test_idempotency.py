"""Requests that may be repeated: done once, answered the same."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from tests.service.kit.support import in_kit

from tablewright.client import AsyncDb
from tablewright.clock import ManualClock
from tablewright.model import Entity, Key, put
from tablewright.model.errors import OutcomeUnknown, TransactionCancelled
from tablewright.service.kit.entities import IdempotencyRecord, kit
from tablewright.service.kit.idempotency import (
    MOST_BYTES,
    Answer,
    Attempt,
    Idempotency,
    request_hash,
)
from tablewright.service.problems import Problem
from tablewright.testing import Backend

NOW = 1_800_000_000.0
SECRET = b"s" * 32
REQUEST = request_hash("POST", "/things", "application/json", b'{"a":1}')
ANSWER = Answer(201, b'{"secret":"only shown once"}', {"content-type": "application/json"})


class Thing(Entity, table=kit, keys={"primary": Key("TESTTHING#{name}", "THING")}):
    """What a request makes."""

    name: str


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


class Work:
    """Counts how often it was done."""

    def __init__(self, answer: Answer | Exception = ANSWER, secs: float = 0.0) -> None:
        self.answer = answer
        self.secs = secs
        self.done = 0

    async def __call__(self, attempt: Attempt) -> Answer:
        self.done += 1
        await asyncio.sleep(self.secs)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def code(work: Any) -> str:
    """The code of the problem that it raises."""
    with pytest.raises(Problem) as raised:
        await work
    return raised.value.code


def test_the_same_again(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work()
        first = await store.run("ada", "k1", REQUEST, work)
        assert (first, first.repeated) == (ANSWER, False)
        clock.advance(23 * 3600)
        again = await store.run("ada", "k1", REQUEST, work)
        assert (again.status, again.body, again.headers) == (201, ANSWER.body, ANSWER.headers)
        assert (again.repeated, work.done) == (True, 1)
        # Another caller's key of the same name is another key.
        await store.run("bo", "k1", REQUEST, work)
        assert work.done == 2
        clock.advance(2 * 3600)
        await store.run("ada", "k1", REQUEST, work)
        assert work.done == 3

    in_kit(tablewright_backend, run, clock=clock)


def test_a_key_for_two_requests(tablewright_backend: Backend, clock: ManualClock) -> None:
    other = request_hash("POST", "/things", "application/json", b'{"a":2}')

    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work()
        await store.run("ada", "k1", REQUEST, work)
        assert await code(store.run("ada", "k1", other, work)) == "IDEMPOTENCY_MISMATCH"
        assert work.done == 1

    in_kit(tablewright_backend, run, clock=clock)


def test_twenty_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work(secs=0.05)

        async def one() -> str:
            try:
                answer = await store.run("ada", "k1", REQUEST, work)
            except Problem as problem:
                return f"{problem.status} {problem.code} after {problem.headers['Retry-After']}"
            return "repeated" if answer.repeated else "done"

        heard = Counter(await asyncio.gather(*(one() for _ in range(20))))
        assert heard["done"] == 1
        assert heard["done"] + heard["409 IN_PROGRESS after 1"] + heard["repeated"] == 20
        assert work.done == 1
        assert await one() == "repeated"

    in_kit(tablewright_backend, run, clock=clock)


@pytest.mark.parametrize("wrong", [Problem(409, "X", "x"), ValueError("x"), Answer(503)])
def test_what_had_no_effect_may_be_tried_again(
    tablewright_backend: Backend, clock: ManualClock, wrong: Any
) -> None:
    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work(wrong)
        if isinstance(wrong, Answer):
            assert await store.run("ada", "k1", REQUEST, work) == wrong
        else:
            with pytest.raises(type(wrong)):
                await store.run("ada", "k1", REQUEST, work)
        work.answer = ANSWER
        assert not (await store.run("ada", "k1", REQUEST, work)).repeated

    in_kit(tablewright_backend, run, clock=clock)


def test_an_attempt_that_was_lost(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Its process died: after a while somebody else may do the work."""

    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work()
        assert isinstance(await store.begin("ada", "k1", REQUEST), Attempt)
        assert await code(store.run("ada", "k1", REQUEST, work)) == "IN_PROGRESS"
        clock.advance(61)
        tries = (store.run("ada", "k1", REQUEST, work) for _ in range(10))
        found = await asyncio.gather(*tries, return_exceptions=True)
        assert sum(isinstance(each, Answer) and not each.repeated for each in found) == 1
        assert work.done == 1

    in_kit(tablewright_backend, run, clock=clock)


def test_what_may_have_happened_is_not_done_again_at_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work(OutcomeUnknown("?"))
        with pytest.raises(OutcomeUnknown):
            await store.run("ada", "k1", REQUEST, work)
        assert await code(store.run("ada", "k1", REQUEST, work)) == "IN_PROGRESS"

    in_kit(tablewright_backend, run, clock=clock)


def test_work_and_record_in_one(tablewright_backend: Backend, clock: ManualClock) -> None:
    """An attempt that comes back after it was taken over cannot commit any more."""

    async def run(db: AsyncDb) -> None:
        store = Idempotency(db, clock, SECRET)
        slow = await store.begin("ada", "k1", REQUEST)
        assert isinstance(slow, Attempt)
        clock.advance(61)
        quick = await store.begin("ada", "k1", REQUEST)
        assert isinstance(quick, Attempt)
        await db.transact(put(Thing(name="quick")).new(), quick.done(ANSWER))
        with pytest.raises(TransactionCancelled):
            await db.transact(put(Thing(name="slow")).new(), slow.done(ANSWER))
        again = await store.begin("ada", "k1", REQUEST)
        assert isinstance(again, Answer)
        assert again.body == ANSWER.body

    in_kit(tablewright_backend, run, clock=clock)


def test_killed_after_the_commit(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The work was in the transaction, so the answer is there without anybody writing it."""

    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work()
        attempt = await store.begin("ada", "k1", REQUEST)
        assert isinstance(attempt, Attempt)
        await db.transact(put(Thing(name="x")).new(), attempt.done(ANSWER))
        clock.advance(3600)
        assert (await store.run("ada", "k1", REQUEST, work)).body == ANSWER.body
        assert work.done == 0

    in_kit(tablewright_backend, run, clock=clock)


def test_answers_are_not_stored_in_clear(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def run(db: AsyncDb) -> None:
        store = Idempotency(db, clock, SECRET)
        attempt = await store.begin("ada", "the caller's key", REQUEST)
        assert isinstance(attempt, Attempt)
        kept = await db.run(attempt.done(ANSWER))
        assert isinstance(kept, IdempotencyRecord)
        assert b"only shown once" not in (kept.sealed or b"")
        assert "the caller's key" not in repr(kept)
        # A process with another secret does not even find it; with a damaged one, it says so.
        await db.run(put(kept.model_copy(update={"sealed": b"x" * 40})))
        assert await code(store.begin("ada", "the caller's key", REQUEST)) == "ANSWER_LOST"

    in_kit(tablewright_backend, run, clock=clock)


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 1_000_000])
def test_an_answer_that_is_too_large_is_lost_but_not_the_work(
    tablewright_backend: Backend, clock: ManualClock, size: int
) -> None:
    async def run(db: AsyncDb) -> None:
        store, work = Idempotency(db, clock, SECRET), Work(Answer(200, b"x" * size))
        assert len((await store.run("ada", "k1", REQUEST, work)).body) == size
        assert await code(store.run("ada", "k1", REQUEST, work)) == "ANSWER_LOST"
        assert work.done == 1
        largest = Work(Answer(200, b"x" * MOST_BYTES))
        await store.run("ada", "k2", REQUEST, largest)
        assert (await store.run("ada", "k2", REQUEST, largest)).repeated

    in_kit(tablewright_backend, run, clock=clock)


@pytest.mark.parametrize("key", ["", "x" * 256, "é", "a\nb"])
def test_keys_that_are_none(tablewright_backend: Backend, clock: ManualClock, key: str) -> None:
    async def run(db: AsyncDb) -> None:
        store = Idempotency(db, clock, SECRET)
        assert await code(store.begin("ada", key, REQUEST)) == "BAD_IDEMPOTENCY_KEY"

    in_kit(tablewright_backend, run, clock=clock)


def test_what_makes_a_request_the_same() -> None:
    same = ("POST", "/a?b", "text/plain", b"x")
    assert request_hash(*same) == request_hash(*same)
    others = [
        ("PUT", "/a?b", "text/plain", b"x"),
        ("POST", "/a?c", "text/plain", b"x"),
        ("POST", "/a?b", "text/html", b"x"),
        ("POST", "/a?b", "text/plain", b"y"),
        ("POST", "/a?b", "text/plai", b"nx"),
    ]
    assert len({request_hash(*each) for each in [same, *others]}) == 6
