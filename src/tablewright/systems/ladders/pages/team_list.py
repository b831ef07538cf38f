"""Teams by their ids, where a page is about something else; and all there are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tablewright.systems.ladders import reads
from tablewright.systems.ladders.entities import Team
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: More than a company of this system's size has.
MOST: Final = 1000
#: Of one request.
_AT_ONCE: Final = 100


def by_name(teams: Iterable[Team]) -> list[Team]:
    """Those that are closed come last."""
    return sorted(teams, key=lambda each: (not each.is_active, each.team_name.casefold()))


async def teams_of(company: Company, team_ids: Iterable[str]) -> list[Team]:
    """Some teams, by their names; ids of none are left out."""
    wanted = sorted(set(team_ids))
    found: list[Team] = []
    for start in range(0, len(wanted), _AT_ONCE):
        some = await company.db.run(reads.teams(wanted[start : start + _AT_ONCE]))
        found += [each for each in some if each is not None]
    return by_name(found)


async def all_teams(company: Company, by: Caller) -> list[Team]:
    """Every team, for administrators."""
    found: list[Team] = []
    cursor: str | None = None
    while len(found) < MOST:
        page = await company.teams.list(by, cursor=cursor)
        found += page
        cursor = page.cursor
        if cursor is None:
            break
    return by_name(found)
