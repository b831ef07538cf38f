"""The acceptance scenarios of the specification, and that each of them is tested."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.service.acceptance import Found, scenarios

HERE = Path(__file__).parent
E2E = sorted((HERE.parents[1] / "e2e").glob("test_kurukshetra*.py"))

SCENARIOS = {
    1: "register, invite, join, sandbox-pay, scan",
    2: "parallel registration, emails differing in case: one 409",
    3: "600 checkouts, 500 seats: the invariant holds",
    4: "one slot, 10 joins: one wins; the leader leaves: 409 until the hand-over",
    5: "kill between T3 and T3b, retry: one order",
    6: "a webhook five times, reordered, beside verify: one effect, one mail",
    7: "a byte of the body flipped: 400, no change",
    8: "A's payment sent for B: B unpaid",
    9: "expiry: the seat to the queue's head; a late capture is refunded once",
    10: "capture against sweeper, 1,000 races: never both",
    11: "all webhooks dropped: paid within 5 minutes",
    12: "parallel refunds above the amount: one 422; timeout, retry: one refund",
    13: "a raw dump has no demo PII; moved ciphertext fails; keys rotate under load",
    14: "erase a paid leader: e-mail reusable, revenue the same",
    15: "one ticket, two offline doors: one ok; forged: invalid",
    16: "an =HYPERLINK answer is inert; a non-production export is masked",
    17: "close during checkouts: none after the commit",
    18: "handover twice: each paid team once",
}
#: Where a process of its own is part of the matter.
WITH_PROCESSES = (3, 4, 5, 10, 14)
#: What starts one for a test that has it.
STARTERS = frozenset({"Place"})


@cache
def index() -> dict[int, list[Found]]:
    return scenarios([HERE, *E2E], STARTERS)


@pytest.mark.parametrize("number", SCENARIOS)
def test_every_scenario_is_tested(number: int) -> None:
    """And not only by tests that take too long to be run each time."""
    tests = index().get(number, [])
    assert [each for each in tests if not each.slow], SCENARIOS[number]


@pytest.mark.parametrize("number", WITH_PROCESSES)
def test_where_processes_matter_there_are_some(number: int) -> None:
    tests = index()[number]
    assert [each for each in tests if each.starts and not each.slow], SCENARIOS[number]


def test_no_test_is_of_a_scenario_that_is_none() -> None:
    assert index().keys() <= SCENARIOS.keys()


def test_every_scenario_is_named() -> None:
    """``pytest -k scenario_07`` finds it."""
    named = {number for number, tests in index().items() if any(map(_is_named, tests))}
    assert named == SCENARIOS.keys()


def _is_named(test: Found) -> bool:
    return test.name.startswith("test_scenario_")
