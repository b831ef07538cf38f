"""The budget of a hackathon is held by the writes of the model, on a real engine."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from decimal import Decimal

import pytest
from tests.systems.vibejudge.llm.support import NOW, Desk, material

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import new_ulid, put
from tablewright.model.errors import TransactionCancelled
from tablewright.systems.vibejudge import cost_writes
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost, Reservation
from tablewright.systems.vibejudge.job_reads import reservations
from tablewright.systems.vibejudge.llm.agents import Attempt
from tablewright.systems.vibejudge.llm.failures import AgentFailed, BudgetRefused
from tablewright.systems.vibejudge.llm.ports import CallCost
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.reads import costs_of_submission, hackathon_cost
from tablewright.systems.vibejudge.service.budgets.purse import reservation_of
from tablewright.systems.vibejudge.stand_in import Manner


@dataclass
class Books:
    """T7 and T8 around every call."""

    db: Db
    hack_id: str
    sub_id: str
    org_id: str

    async def reserve(self, most: CallCost) -> Page:
        amount = most.total_usd
        reservation = reservation_of(most, self.hack_id, self.sub_id, self.org_id, NOW)
        try:
            self.db.run(cost_writes.reserve(reservation, NOW))
        except TransactionCancelled as error:
            raise BudgetRefused(str(amount)) from error
        return Page(self, reservation)


@dataclass
class Page:
    books: Books
    reservation: Reservation

    async def started(self) -> None:
        self.books.db.run(cost_writes.start_call(self.reservation, NOW))

    async def settle(self, cost: CallCost) -> None:
        books = self.books
        record = CostRecord(
            sub_id=books.sub_id, hack_id=books.hack_id, created_at=cost.at, **cost.values()
        )
        books.db.run(cost_writes.settle(self.reservation, record, NOW))


def opened(db: Db, amount: Decimal) -> Books:
    """The books of a new hackathon with so much to spend."""
    made = Books(db, new_ulid(), new_ulid(), new_ulid())
    given = HackathonCost(
        hack_id=made.hack_id, budget_remaining_usd=amount, created_at=NOW, updated_at=NOW
    )
    db.run(put(given))
    return made


@pytest.fixture
def db(tablewright_engine: Engine) -> Db:
    """Without the demo: each test has its own books."""
    made = Db(Embedded(tablewright_engine))
    made.create_tables(model)
    return made


@pytest.fixture
def books(db: Db) -> Books:
    return opened(db, Decimal(1))


def total(books: Books) -> HackathonCost:
    found = books.db.run(hackathon_cost(books.hack_id))
    assert isinstance(found, HackathonCost)
    return found


def records(books: Books) -> list[CostRecord]:
    return list(books.db.run(costs_of_submission(books.sub_id)))


def judge(either: Desk, books: Books, run_id: str | None = None) -> object:
    attempt = Attempt(run_id or new_ulid(), 1)
    return either.run(either.agents.judge("bug_hunter", material(), {}, attempt, books))


def test_scenario_14_bad_json_twice(either: Desk, books: Books) -> None:
    """Bad JSON twice: the agent has failed, and both calls are in the books."""
    either.stand_in.always = Manner(spoilt="json")
    with pytest.raises(AgentFailed) as failed:
        judge(either, books)
    written = records(books)
    assert [each.call for each in written] == [1, 2]
    spent = sum((each.total_cost_usd for each in written), Decimal(0))
    assert spent == sum((each.total_usd for each in failed.value.costs), Decimal(0)) > 0
    assert total(books).total_cost_usd == spent
    assert total(books).budget_remaining_usd == 1 - spent
    assert total(books).cost_by_model == {written[0].model_id: spent}


def test_who_comes_at_once_spends_no_more_than_there_is(either: Desk, db: Db) -> None:
    told = asyncio.run(either.agents.estimate("bug_hunter", material()))
    books = opened(db, told.amount * 3)
    either.stand_in.always = Manner(slow=0.2)

    async def all_of_them() -> list[object]:
        return await asyncio.gather(
            *(
                either.agents.judge("bug_hunter", material(), {}, Attempt(new_ulid(), 1), books)
                for _ in range(8)
            ),
            return_exceptions=True,
        )

    ended = either.run(all_of_them())
    assert sum(isinstance(each, BudgetRefused) for each in ended) == 5
    assert len(either.stand_in.asked) == len(records(books)) == 3
    assert total(books).budget_remaining_usd >= 0


def test_whoever_dies_during_a_call_leaves_it_to_be_charged(either: Desk, books: Books) -> None:
    either.stand_in.always = Manner(slow=0.5)

    async def died() -> None:
        asking = either.agents.judge("bug_hunter", material(), {}, Attempt(new_ulid(), 1), books)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asking, 0.3)

    either.run(died())
    (left,) = books.db.run(reservations(books.hack_id))
    assert left.call_started_at is not None
    assert total(books).budget_remaining_usd == 1 - left.amount_usd
