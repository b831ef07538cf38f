"""The acceptance scenarios of the specification, and that each of them is tested."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.service.acceptance import Found, scenarios

HERE = Path(__file__).parent
E2E = HERE.parents[1] / "e2e" / "test_sentiment.py"

SCENARIOS = {
    1: "no network: 30 days of data, the live list moves",
    2: "a file that is replayed twice brings nothing new",
    3: "20 workers, one article: one Article, count +1",
    4: "a tag that is found after analysis: two tag rows, total +1",
    5: "analysis races tagging: rows and counters agree",
    6: "the analyser is killed mid-burst: all done, recount 0",
    7: "workers off for 6 min: the number of stuck articles is exact, above 100 too",
    8: "poison fails at 3; requeuing an expired article makes no ghost",
    9: "a day-old failed article is queued again: not stuck for 5 min",
    10: "NewsAPI 500, 429, 401: breaker, wait, disable; state survives a restart",
    11: "broken JSONL, XML bomb, a feed at 169.254.169.254, script: refused or escaped",
    12: "two editors override: one 412, counters exact, audited",
    13: "promote, kill, resume, roll back: counters as before",
    14: "a stream cut for 30 s: no id missed or repeated; an ancient one resets",
    15: "series of 6h and 1d from an unaligned start: sums match",
    16: "a tenfold spike: one alert, one webhook; a sparse series: none",
    17: "30 days later: articles unread before deletion; hours remain",
    18: "the calls of each component fit its policy; no action unused",
    19: "both benches meet section 10",
}
#: Where a process of its own is part of the matter.
WITH_PROCESSES = (3, 5, 6)
#: What starts one, beyond the standard library's: see the modules ``processes``.
_STARTERS = frozenset({"killed_at_work", "working", "program", "raced"})


@cache
def index() -> dict[int, list[Found]]:
    return scenarios([HERE, *([E2E] if E2E.exists() else [])], _STARTERS)


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
