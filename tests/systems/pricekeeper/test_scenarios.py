"""The acceptance scenarios of the specification, and that each of them is tested."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.service.acceptance import Found, scenarios

HERE = Path(__file__).parent

SCENARIOS = {
    1: "the same id a thousand times over four processes counts once",
    2: "the same id with other tokens is refused, and totals stay",
    3: "killed at each step of a flush: total = ledger = sent",
    4: "a timeout after the commit: the retry is a duplicate",
    5: "whatever happens: ledger = counters = totals, to the pico",
    6: "an aggregator paused past its lease is refused; rev never falls",
    7: "unprocessed keys on every read: no partial total",
    8: "days tile in all time zones, and across a change of the zone",
    9: "an event of 23:59 sent at 00:10 lands on yesterday",
    10: "the chain is used up, then 429 with the right Retry-After",
    11: "two apps with other orderings: neither is pushed off an open label",
    12: "a raised quota gives the label back within 30 s",
    13: "BOTH: the app has room and the organisation has not; a week spans days",
    14: "a burst overruns by little, with reservations by nothing; abandoned ones are freed",
    15: "rotation: the old secret in its grace; a retrieval token works once, in a race too",
    16: "revoked families end within 30 s; reuse of a refresh token revokes",
    17: "delimiters forge nothing; a token of another app is 403",
    18: "a price change at noon; small costs sum exactly over a million rows",
    19: "the store is down: 503, the spool grows and drains; fail_mode open is stale",
    20: "ten processes cross 95 %: one alert",
}
#: Where a process of its own is part of the matter.
WITH_PROCESSES = (1, 3, 6, 14, 15, 20)


@cache
def index() -> dict[int, list[Found]]:
    return scenarios([HERE])


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
