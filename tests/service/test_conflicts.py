"""Writes that others are in the way of: so many tries, and no more."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.client.scripted import QUICK, AsyncScript, Script, cancelled, failed_condition, throttled
from tests.client.world import Board, Doc

from tablewright.client import AsyncDb
from tablewright.model import Op, Transaction, attr, put, update
from tablewright.model.errors import NotFound
from tablewright.service import conflicts
from tablewright.service.conflicts import RETRIES, settled
from tablewright.service.problems import Problem

BOTH = Transaction[Any]((put(Board(list_id="L")), put(Board(list_id="M"))))
ONE = update(Doc, "1").do(attr(Doc.hits).add(1))
CONFLICT = cancelled({"Code": "None"}, {"Code": "TransactionConflict"})


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts, "_LONGEST_SECS", 0.001)


def made(script: Script, op: Op[Any], **said: Any) -> list[int]:
    """How many requests had been sent whenever the write was made; it must succeed."""
    times: list[int] = []

    def anew() -> Op[Any]:
        times.append(len(script.requests))
        return op

    async def main() -> None:
        async with AsyncDb(AsyncScript(script), retries=QUICK) as db:
            await settled(db, anew, **said)

    asyncio.run(main())
    return times


@pytest.mark.parametrize("retries", [RETRIES, 3])
def test_conflicts_are_tried_again_so_often_and_then_told(retries: int) -> None:
    """By one layer: it is made anew for each try, and the client adds none of its own."""
    script = Script(*[CONFLICT] * retries, {})
    assert made(script, BOTH, retries=retries) == list(range(retries + 1))
    script = Script(*[CONFLICT] * (retries + 1))
    with pytest.raises(Problem) as caught:
        made(script, BOTH, retries=retries, code="BUSY")
    assert (caught.value.status, caught.value.code) == (503, "BUSY")
    assert script.left == 0


def test_a_conflict_of_a_write_alone_is_one_as_well() -> None:
    script = Script(throttled("TransactionConflictException"), {})
    assert made(script, put(Board(list_id="L"))) == [0, 1]


def test_where_units_are_few_the_client_tries_for_a_while_by_itself() -> None:
    script = Script(*[throttled()] * QUICK.attempts, throttled(), {})
    assert made(script, BOTH) == [0, QUICK.attempts]


def test_a_condition_that_is_not_met_is_no_conflict() -> None:
    script = Script(failed_condition())
    with pytest.raises(NotFound):
        made(script, ONE)
