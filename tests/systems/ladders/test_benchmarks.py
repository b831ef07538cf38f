"""The benchmarks, short: the same services and the same checks as in the long ones.

What is counted is held to here as it is there; how long things take is not, on a machine that does
much else.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from benchmarks.findings import Finding
from benchmarks.ladders import units
from benchmarks.ladders.__main__ import PARTS

#: Units of what takes its time.
_TIMES = ("s", "ms", "x")


def check(findings: list[Finding]) -> None:
    judged = [each for each in findings if each.wanted]
    assert judged
    for each in judged:
        assert each.met or each.unit in _TIMES, each


def test_an_autosave_costs_what_is_planned(tmp_path: Path) -> None:
    check(units.measure(quick=True, folder=tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_all_that_is_counted_is_as_wanted(part: Callable[..., list[Finding]]) -> None:
    check(part(quick=True, folder=None))
