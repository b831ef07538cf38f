"""The suites there are, and how long they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.outcome import Outcome

#: In the order of the report; seconds on two idle cores, in full and quick.
SUITES: dict[str, tuple[float, float]] = {
    "engine": (460, 110),
    "client": (120, 25),
    "pricekeeper": (75, 30),
    "sentiment": (200, 60),
    "vibejudge": (240, 45),
    "kurukshetra": (170, 30),
    "ladders": (140, 45),
}


def expected(suite: str, quick: bool, before: Outcome | None) -> float:
    """As long as the last time, if that was alike."""
    alike = before is not None and before.quick == quick and not before.arguments
    if before is not None and alike and not before.failures:
        return before.seconds
    return SUITES[suite][1 if quick else 0]


def estimate(suites: Sequence[str], quick: bool, before: Mapping[str, Outcome]) -> str:
    """What is going to be run, with the time that it takes."""
    each = {suite: expected(suite, quick, before.get(suite)) for suite in suites}
    parts = ", ".join(f"{suite} {minutes(secs)}" for suite, secs in each.items())
    return f"about {minutes(sum(each.values()))} min on two idle cores ({parts})"


def minutes(secs: float) -> str:
    return f"{secs / 60:.1f}"
