"""Requests to the database that took long."""

from __future__ import annotations

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.metrics import Metrics
from tablewright.service.slow_calls import SLOW_SECS


def event(seconds: float, pattern: str = "read") -> RequestEvent:
    return RequestEvent(pattern, "tests", "GetItem", "t", None, seconds, 1, 0, 0, None)


def test_only_slow_ones_are_kept_and_only_the_latest() -> None:
    metrics, clock = Metrics(process=False), ManualClock(1_000_000)
    hook = metrics.db_hook("shelf", clock=clock)
    assert metrics.slow_calls("shelf") == metrics.slow_calls("other") == []
    hook(event(SLOW_SECS))
    assert metrics.slow_calls("shelf") == []
    for number in range(150):
        clock.advance(1)
        hook(event(SLOW_SECS + 0.1, f"read-{number}"))
    kept = metrics.slow_calls("shelf")
    assert [each.pattern for each in kept] == [f"read-{n}" for n in range(149, 49, -1)]
    assert (kept[0].seconds, kept[0].at.timestamp()) == (1.1, 1_000_150)
    assert metrics.slow_calls("other") == []
