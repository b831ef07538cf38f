"""The demo with a few of its teams."""

from __future__ import annotations

import pytest

from tablewright.systems.kurukshetra.live_demo import filling, plans
from tablewright.systems.kurukshetra.live_demo.cast import ASHA, FULL, OPEN, OVER, RAVI

#: How many of each, by event; the first ones lead or have the people one can sign in as.
_KEPT = {
    OVER.event_id: {"paid": 3, "unpaid": 1},
    FULL.event_id: {"paid": 1},
    OPEN.event_id: {"unpaid": 1, "paid": 2, "pending": 1, "refunded": 1, "expired": 1},
}


def small() -> dict[str, list[plans.Plan]]:
    """Of each kind the first ones."""
    return {event_id: list(_first(event_id, teams)) for event_id, teams in plans.plans().items()}


def _first(event_id: str, teams: list[plans.Plan]) -> list[plans.Plan]:
    left = dict(_KEPT[event_id])
    kept = []
    for each in teams:
        if left.get(each.goal):
            left[each.goal] -= 1
            kept.append(each)
    return kept


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = small()
    leaders = {each.people[0] for teams in kept.values() for each in teams}
    everybody = {one.email for teams in kept.values() for each in teams for one in each.people}
    assert ASHA in leaders
    assert RAVI.email in everybody
    monkeypatch.setattr(filling, "plans", lambda: kept)
