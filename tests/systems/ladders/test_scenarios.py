"""The acceptance scenarios of the specification, and that each of them is tested."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.service.acceptance import Found, scenarios

HERE = Path(__file__).parent
E2E = sorted((HERE.parents[1] / "e2e").glob("test_ladders*.py"))

SCENARIOS = {
    1: "setup: 6 tables, 8 indexes, exit 0; rerun verified; a dry run creates nothing",
    2: "four things are different: verify exits 1 with four issues",
    3: "one create fails: exit 2; no credentials: exit 1, remediation",
    4: "isActive as BOOL: the engine rejects it",
    5: "8 faults: 8 exact lines; the example has 112 levels; export-import identical",
    6: "20 concurrent config activations: one active; rollback; an old plan keeps its version",
    7: "50 concurrent first sign-ins, one e-mail: one user; unverified 403",
    8: "an empty team works; an injected failure leaves both sides equal",
    9: "an activation of 200 killed midway resumes to exactly 400 assessments",
    10: "two tabs, the same revision: one wins; any names save",
    11: "no evidence 422; edit after submit 403; submit never lands after completion",
    12: "both submit at once: one report; 2,3 gives 2; flags at 2; unmatched listed",
    13: "reopen: no reason 422; the report is stale; a rebuild keeps actions",
    14: "before release 403, after 200; a second acknowledge is harmless",
    15: "every role x route x own/foreign: no mismatch",
    16: "the manager changed: the old one is out at once, the new one continues the draft",
    17: "assign manager racing deactivate: never an inactive manager",
    18: "clock at T-7: one mail each, also after 3 runs and an SMTP outage",
    19: "PDF >= 3 pages, selectable text; CSV =1+1 inert",
}
#: Where a process of its own is part of the matter.
WITH_PROCESSES = (9,)


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
