"""Teams as their people, and administrators, see them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.systems.ladders import reads
from tablewright.systems.ladders.entities import Team, User
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.callers import Caller, Standing

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Makes a write of what there is now; None is for nothing to do.
Made: TypeAlias = Callable[[], Awaitable[Op[object] | None]]


@dataclass(frozen=True)
class MemberLine:
    """Somebody in a team, or its manager."""

    user_id: str
    name: str
    #: For who runs the team.
    email: str | None
    is_active: bool


@dataclass(frozen=True)
class TeamView:
    """A team with its people."""

    team: Team
    manager: MemberLine | None
    members: tuple[MemberLine, ...]
    #: What the caller is to it.
    who: frozenset[Who]


class Looking:
    """Finding teams."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def list(
        self, by: Caller, *, limit: int | None = None, cursor: str | None = None
    ) -> Page[Team]:
        """Every team, in no order, closed ones too. [T3]"""
        by.require("list_teams")
        return await self._company.db.run(reads.all_teams(), limit=limit, cursor=cursor)

    async def mine(self, by: Caller) -> tuple[Team, ...]:
        """The teams that the caller is in, or manages, by name. [T4, T5]"""
        by.require("read_own_teams")
        wanted = sorted(by.user.team_ids | by.user.managed_team_ids)
        found = await self._company.db.run(reads.teams(wanted)) if wanted else ()
        # What was left since the user was read is not theirs any more.
        own = [each for each in found if each is not None and _is_own(by, each)]
        return tuple(sorted(own, key=lambda each: (each.team_name.casefold(), each.team_id)))

    async def read(self, by: Caller, team_id: str) -> TeamView:
        """A team with its people; addresses are for who runs it. [T1]"""
        standing = await self._standing(by, team_id, "read_team")
        return await self._view(standing)

    # --- inside ----------------------------------------------------------------------------------

    async def _standing(self, by: Caller, team_id: str, action: str) -> Standing:
        standing = await self._company.people.seen(by, team_id)
        standing.require(action)
        return standing

    async def _view(self, standing: Standing) -> TeamView:
        team = standing.team
        users = await self._users({*team.member_ids, *filter(None, (team.manager_id,))})
        shown = standing.may("edit_team")
        lines = {each.user_id: _line(each, shown) for each in users}
        members = [lines[each] for each in team.member_ids if each in lines]
        return TeamView(
            team,
            lines.get(team.manager_id or ""),
            tuple(sorted(members, key=lambda each: (each.name.casefold(), each.user_id))),
            standing.who,
        )

    async def _users(self, user_ids: Iterable[str]) -> tuple[User, ...]:
        wanted = sorted(set(user_ids))
        found = await self._company.db.run(reads.users(wanted)) if wanted else ()
        return tuple(each for each in found if each is not None)

    def _noted(
        self, by: Caller, op: Op[object], action: str, team_id: str, **detail: object
    ) -> Op[object]:
        noted = self._company.auditing.noted(by, action, f"team/{team_id}", **detail)
        return together(op, noted)


def _is_own(by: Caller, team: Team) -> bool:
    return by.user_id in team.member_ids or by.user_id == team.manager_id


def _line(user: User, shown: bool) -> MemberLine:
    return MemberLine(user.user_id, user.name, user.email if shown else None, user.is_active)
