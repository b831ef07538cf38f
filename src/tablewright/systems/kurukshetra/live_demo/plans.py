"""What every team does, and when: the same for the same day."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from tablewright.systems.kurukshetra.events import TRACKS, Config
from tablewright.systems.kurukshetra.live_demo.cast import (
    ASHA,
    EARLY,
    FULL,
    HOSTEL,
    KABIR,
    MEERA,
    OPEN,
    OVER,
    RAVI,
    SPONSOR,
    Stage,
    elsewhere,
)
from tablewright.systems.kurukshetra.live_demo.names import TEAMS, Someone, everybody

Kind: TypeAlias = Literal[
    "found", "checkout", "expire", "pay", "fail", "wait", "refund", "part", "repository", "invite"
]
#: How a team ends.
Goal: TypeAlias = Literal[
    "unpaid", "pending", "paid", "failed", "expired", "refunded", "part", "waits", "late", "taken"
]


@dataclass(frozen=True)
class Plan:
    """A team, and what becomes of it."""

    name: str
    track: str
    people: tuple[Someone, ...]
    goal: Goal
    voucher: str | None = None
    repository: bool = False
    invites: tuple[str, ...] = ()


class Act(NamedTuple):
    """Something that a team does. Earlier ones come first."""

    at: datetime
    number: int
    kind: Kind


@dataclass
class _Crowd:
    """People and names that nobody has taken yet."""

    people: Iterator[Someone] = field(default_factory=everybody)
    names: Iterator[str] = field(default_factory=lambda: iter(TEAMS))
    chance: random.Random = field(default_factory=lambda: random.Random(18))

    def team(self, goal: Goal, *first: Someone, size: int = 0, **more: object) -> Plan:
        size = size or self.chance.choice((2, 2, 3, 3, 4))
        others = list(islice(self.people, max(0, size - len(first))))
        college = (*first, *others)[0].college
        same = [elsewhere(each, college) if self.chance.random() < 0.8 else each for each in others]
        track = self.chance.choice(TRACKS)
        return Plan(next(self.names), track, (*first, *same), goal, **more)  # type: ignore[arg-type]


def plans() -> dict[str, list[Plan]]:
    """The teams of all events."""
    crowd = _Crowd()
    return {
        OVER.event_id: _over(crowd),
        FULL.event_id: _full(crowd),
        OPEN.event_id: _open(crowd),
    }


def _over(crowd: _Crowd) -> list[Plan]:
    winners = crowd.team("paid", ASHA, size=3, repository=True)
    with_ravi = _second(crowd.team("paid", size=3, repository=True), RAVI)
    rest = [crowd.team("paid", repository=number % 8 != 5) for number in range(16)]
    left = [crowd.team("waits"), crowd.team("waits"), crowd.team("unpaid", size=1)]
    return [winners, with_ravi, crowd.team("expired"), *rest, *left]


def _full(crowd: _Crowd) -> list[Plan]:
    paid = [crowd.team("paid", repository=number % 3 == 0) for number in range(12)]
    released = [crowd.team("refunded") for _ in range(3)]
    waiting = [
        crowd.team("waits", KABIR, size=3),
        crowd.team("taken"),
        *(crowd.team("waits") for _ in range(5)),
    ]
    return [crowd.team("late"), *paid, *released, *waiting, crowd.team("unpaid")]


def _open(crowd: _Crowd) -> list[Plan]:
    asha = crowd.team("unpaid", ASHA, size=3, invites=(MEERA.email,))
    with_ravi = _second(crowd.team("paid", size=4, repository=True), RAVI)
    vouchers = (EARLY, EARLY, EARLY, HOSTEL, SPONSOR)
    return [
        asha,
        with_ravi,
        *(crowd.team("paid", voucher=each) for each in vouchers),
        *(crowd.team("paid", repository=number % 4 == 0) for number in range(14)),
        *(crowd.team("pending") for _ in range(3)),
        *(crowd.team("unpaid", size=1 + number % 3) for number in range(7)),
        *(crowd.team("failed") for _ in range(2)),
        *(crowd.team("expired") for _ in range(2)),
        *(crowd.team("refunded") for _ in range(2)),
        crowd.team("part"),
    ]


def _second(plan: Plan, someone: Someone) -> Plan:
    """A team with somebody who does not lead it."""
    leader, _, *others = plan.people
    people = (leader, elsewhere(someone, leader.college), *others)
    return Plan(plan.name, plan.track, people, plan.goal, plan.voucher, plan.repository)


# --- when ----------------------------------------------------------------------------------------

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
#: By which share of the time teams have been founded. Where people queue, seats go before that.
_BEGUN: Final = {OVER.event_id: 0.8, FULL.event_id: 0.5, OPEN.event_id: 1.0}
#: What follows the founding of a team.
_ACTS: Final[dict[Goal, tuple[Kind, ...]]] = {
    "unpaid": (),
    "pending": ("checkout",),
    "paid": ("checkout", "pay"),
    "failed": ("checkout", "fail"),
    "expired": ("checkout", "expire"),
    "refunded": ("checkout", "pay", "refund"),
    "part": ("checkout", "pay", "part"),
    "waits": ("wait",),
    "taken": ("wait", "checkout"),
    "late": ("checkout", "expire", "pay"),
}


def acts(stage: Stage, config: Config, today: datetime, teams: Sequence[Plan]) -> list[Act]:
    """All that teams do at an event, in its order."""
    chance = random.Random(stage.event_id)
    until = min(today, config.registration_end)
    span = until - config.registration_start
    found: list[Act] = []
    for number, plan in enumerate(teams):
        # Most come early or late, as everywhere.
        share = chance.betavariate(0.9, 0.7) * _BEGUN[stage.event_id]
        if plan.goal in ("late", "expired") and stage is not OPEN:
            share = 0.03  # as long as there is a seat
        begins = min(config.registration_start + span * share, until - 6 * _HOUR)
        found += _acts_of(number, plan, begins, until, chance)
    return sorted(found)


def _acts_of(
    number: int, plan: Plan, begins: datetime, until: datetime, chance: random.Random
) -> Iterator[Act]:
    yield Act(_whole(begins), number, "found")
    at = begins + 2 * _HOUR + (until - begins) * 0.15 * chance.random()
    for kind in _ACTS[plan.goal]:
        at = _when(plan.goal, kind, at, until, chance)
        yield Act(_whole(at), number, kind)
    if plan.invites:
        # Not long ago: invitations are forgotten after a fortnight.
        yield Act(_whole(until - 20 * _HOUR), number, "invite")
    if plan.repository:
        yield Act(_whole(at + (until - at) * 0.6 * chance.random()), number, "repository")


def _when(
    goal: Goal, kind: Kind, before: datetime, until: datetime, chance: random.Random
) -> datetime:
    """Who holds a seat has just begun; who waits came when all was gone."""
    some = chance.random()
    if kind == "checkout" and goal in ("pending", "failed", "taken"):
        return until - (2 + 8 * some) * _MINUTE
    if kind == "fail" or (kind == "pay" and goal != "late"):
        return before + (1 + 3 * some) * _MINUTE
    if kind == "expire":
        return before + 40 * _MINUTE
    left = {"wait": 3.0, "pay": 1.6, "part": 1.0, "refund": 0.25}.get(kind)
    if left is None:
        return before
    # Days before the end: first all seats go, then people queue, then seats come back; offers of
    # these stand for a day.
    return max(before + _HOUR, until - (left - 0.15 * some) * _DAY)


def _whole(at: datetime) -> datetime:
    return at.replace(microsecond=0)
