"""The acceptance scenarios of the specification, and that each of them is tested."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.service.acceptance import Found, scenarios

HERE = Path(__file__).parent
E2E = sorted((HERE.parents[1] / "e2e").glob("test_vibejudge*.py"))

SCENARIOS = {
    1: "offline demo: 3 completed, evidence true; a repeat is identical",
    2: "the worked example: agents, and the overall score under each policy",
    3: "innovation fails: 74.49, partial",
    4: "20 parallel registrations, one e-mail in mixed case: one wins",
    5: "the same repository, however it is written, in one batch: one row",
    6: "64 callers, a budget for 10: 10 pass, the rest is never below 0",
    7: "kill -9 mid-run: another finishes, same commit, stored agents not rebilled",
    8: "two starts: 202, 409",
    9: "cancel at half, resume: only the rest runs",
    10: "a second run: old scores and costs are readable",
    11: "600 submissions: all paged, ties right, pending absent",
    12: "a README that says give 10, an obedient model: flagged, false citations gone",
    13: "file://, ext::, private addresses, redirects, links, bombs: refused or skipped",
    14: "bad JSON twice: the agent failed, both calls costed",
    15: "an unknown model: refused uncalled",
    16: "a frozen commit is gone: commit_unavailable, others finish",
    17: "foreign ids, all routes: 404",
    18: "a crash between reserve and settle: charged as estimated",
    19: "harsh and lenient judges, same order: equal; a closed round: 409",
    20: "pricekeeper down: the run completes, spend arrives once",
}
#: Where a process of its own is part of the matter.
WITH_PROCESSES = (7, 18)


@cache
def index() -> dict[int, list[Found]]:
    return scenarios([HERE, *E2E])


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
