"""Several lists as one: the eighths of all people, or teams in one state after the other.

The cursor says which list it is, how far in it, and how many teams and members of the next page
were given already. What it stands on is signed by the data layer; the rest only counts.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar, get_args

from tablewright.client import AsyncDb
from tablewright.model import PageOp
from tablewright.model.errors import CursorError
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus, slug_of
from tablewright.systems.kurukshetra.service.lists.rows import Row

T = TypeVar("T")

TEAM_STATUSES: tuple[TeamStatus, ...] = get_args(TeamStatus)
_CURSOR = re.compile(r"([0-9]{1,2})-([0-9]{1,4})-([0-9]{1,4})-(.*)\Z", re.ASCII | re.DOTALL)
#: Requests for one page, if filters leave little of what is read.
_MOST_READS = 20


class Place(NamedTuple):
    """Where a walk goes on."""

    lane: int = 0
    teams: int = 0
    people: int = 0
    inner: str | None = None

    def cursor(self, lanes: int) -> str | None:
        if self.lane >= lanes:
            return None
        return f"{self.lane}-{self.teams}-{self.people}-{self.inner or ''}"


def place_of(cursor: str | None) -> Place:
    if cursor is None:
        return Place()
    found = _CURSOR.match(cursor)
    if found is None:
        raise CursorError("the cursor was not made here")
    lane, teams, people, inner = found.groups()
    return Place(int(lane), int(teams), int(people), inner or None)


@dataclass(frozen=True)
class Wanted:
    """Which registrations; None is all."""

    status: TeamStatus | None = None
    track: str | None = None
    college: str | None = None
    #: An address, a number, the name of a team, or an id.
    q: str | None = None

    @property
    def by_team(self) -> bool:
        return self.college is None and (self.status is not None or self.track is not None)

    def fits(self, row: Row) -> bool:
        team = row.team
        if self.college is not None and row.participant.college_slug != slug_of(self.college):
            return False
        if self.status is not None and (team is None or team.payment_status != self.status):
            return False
        return self.track is None or (team is not None and team.track == self.track)


#: The results of a walk, and the cursor of what follows.
Walked: TypeAlias = tuple[list[T], str | None]


async def walk(
    db: AsyncDb,
    lanes: Sequence[PageOp[Any]],
    cursor: str | None,
    limit: int,
    read: Callable[[Sequence[Any]], Awaitable[list[T]]],
) -> Walked[T]:
    """One list after the other; ``read`` makes results of what a page gives, or fewer."""
    place, found = place_of(cursor), list[T]()
    for _ in range(_MOST_READS):
        if place.lane >= len(lanes) or len(found) >= limit:
            break
        page = await db.run(lanes[place.lane], limit=limit - len(found), cursor=place.inner)
        found += await read(list(page))
        place = (
            Place(place.lane + 1) if page.cursor is None else Place(place.lane, inner=page.cursor)
        )
    return found, place.cursor(len(lanes))


async def walk_teams(
    db: AsyncDb,
    lanes: Sequence[PageOp[m.TeamLine]],
    cursor: str | None,
    limit: int,
    members: Callable[[m.TeamLine], Awaitable[list[str]]],
) -> Walked[str]:
    """The members of one team after the other: their ids."""
    place, found = place_of(cursor), list[str]()
    while place.lane < len(lanes) and len(found) < limit:
        page = await db.run(lanes[place.lane], limit=limit, cursor=place.inner)
        end = Place(place.lane + 1) if page.cursor is None else Place(place.lane, inner=page.cursor)
        lines = list(page)
        while place.teams < len(lines) and len(found) < limit:
            some = (await members(lines[place.teams]))[place.people :]
            room = limit - len(found)
            found += some[:room]
            place = (
                place._replace(people=place.people + room)
                if len(some) > room
                else place._replace(teams=place.teams + 1, people=0)
            )
        if place.teams >= len(lines):
            place = end
    return found, place.cursor(len(lanes))


# --- the lanes -----------------------------------------------------------------------------------


def team_lanes(event_id: str, wanted: Wanted) -> list[PageOp[m.TeamLine]]:
    statuses = TEAM_STATUSES if wanted.status is None else (wanted.status,)
    return [m.teams_by_status(event_id, status, wanted.track) for status in statuses]


def payment_lanes(
    event_id: str, statuses: Sequence[PaymentStatus], **days: Any
) -> list[PageOp[m.PaymentLine]]:
    return [m.payments_by_status(event_id, status, **days) for status in statuses]
