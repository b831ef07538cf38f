"""Who is in a team."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Final, TypeAlias

from tablewright.model import Op
from tablewright.service.conflicts import refused
from tablewright.service.email_addresses import EmailError, comparison_key, parse_email
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders.entities import MAX_MEMBERS, MAX_TEAMS_OF_USER, Team, User
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.settling import renewed
from tablewright.systems.ladders.service.teams.looking import Looking, TeamView
from tablewright.systems.ladders.service.teams.refusals import (
    closed,
    manager_is_member,
    team_full,
    too_many_teams,
)

#: Users who come or go at once: a transaction has room for a hundred.
MOST_AT_ONCE: Final = 50
#: Makes a write of the team as it is; None is for nothing to do.
_Make: TypeAlias = Callable[[Team], Awaitable[Op[object] | None]]


class Roster(Looking):
    """Who is in a team."""

    async def add_members(
        self,
        by: Caller,
        team_id: str,
        user_ids: Iterable[str] = (),
        addresses: Iterable[str] = (),
    ) -> TeamView:
        """One to fifty users join, by id or by address; who is there already stays.

        One transaction: the team, active and with room, whose manager is not among them; each user,
        active and with room for one more team; the audit entry. A refusal is looked into anew.
        """
        await self._standing(by, team_id, "change_members")
        wanted = await self._wanted(tuple(user_ids), tuple(addresses))

        async def joining(team: Team) -> Op[object] | None:
            new = [each for each in wanted if each not in team.member_ids]
            self._check_team(team, new)
            if not new:
                return None
            await self._check_users(new)
            op = writes.add_members(team_id, new, self._company.now())
            return self._noted(by, op, "team.add", team_id, members=new)

        return await self._changed(by, team_id, joining)

    async def remove_members(self, by: Caller, team_id: str, user_ids: Iterable[str]) -> TeamView:
        """One to fifty users leave; their place in open plans they keep until it is withdrawn.

        One transaction: the team, the users, the audit entry. Who is not there stays away.
        """
        wanted = sorted(set(user_ids))
        if not 1 <= len(wanted) <= MOST_AT_ONCE:
            raise _wrong_number()

        async def leaving(team: Team) -> Op[object] | None:
            gone = [each for each in wanted if each in team.member_ids]
            if not gone:
                return None
            op = writes.remove_members(team_id, gone, self._company.now())
            return self._noted(by, op, "team.remove", team_id, members=gone)

        return await self._changed(by, team_id, leaving)

    # --- inside ----------------------------------------------------------------------------------

    async def _changed(self, by: Caller, team_id: str, make: _Make) -> TeamView:
        async def made() -> Op[object] | None:
            return await make((await self._standing(by, team_id, "change_members")).team)

        await renewed(self._company.db, made, when=refused)
        return await self.read(by, team_id)

    async def _wanted(self, user_ids: Sequence[str], addresses: Sequence[str]) -> Sequence[str]:
        """Ids, each once; a problem 422 that names those who are nobody."""
        if not 1 <= len(set(user_ids)) + len(set(addresses)) <= MOST_AT_ONCE:
            raise _wrong_number()
        owners = [await self._owner(each) for each in addresses]
        named = [*(each if ids.is_uuid(each) else None for each in user_ids), *owners]
        users = await self._users(filter(None, named))
        active = {each.user_id for each in users if each.is_active}
        errors = [
            _nobody(place, len(user_ids)) for place, each in enumerate(named) if each not in active
        ]
        if errors:
            raise invalid(*errors)
        return sorted(active)

    async def _owner(self, text: str) -> str | None:
        try:
            address = comparison_key(parse_email(text))
        except EmailError:
            return None
        lock = await self._company.db.run(reads.email_lock(address))
        return None if lock is None else lock.owner_id

    def _check_team(self, team: Team, new: Sequence[str]) -> None:
        if not team.is_active:
            raise closed()
        if team.manager_id in new:
            raise manager_is_member()
        if len(team.member_ids) + len(new) > MAX_MEMBERS:
            raise team_full()

    async def _check_users(self, new: Sequence[str]) -> None:
        users = await self._users(new)
        if len(users) < len(new) or not all(each.is_active for each in users):
            raise invalid(FieldError("body.user_ids", "one of them is not an active user"))
        if any(_is_full(each) for each in users):
            raise too_many_teams()


def _is_full(user: User) -> bool:
    return len(user.team_ids) >= MAX_TEAMS_OF_USER


def _wrong_number() -> Problem:
    return invalid(FieldError("body", f"must name 1 to {MOST_AT_ONCE} users"))


def _nobody(place: int, ids_named: int) -> FieldError:
    """Ids come first, then addresses."""
    where = f"user_ids.{place}" if place < ids_named else f"emails.{place - ids_named}"
    return FieldError(
        f"body.{where}", "must be an active user; invite or reactivate this person first"
    )
