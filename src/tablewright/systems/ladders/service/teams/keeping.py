"""New teams, their names, and their end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from tablewright.model import Op
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import outdated, refused, refused_at
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import forbidden
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders.entities import MAX_MANAGED_TEAMS, Team, User
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.revisions import (
    check_if_given,
    check_seen,
    revision_conflict,
)
from tablewright.systems.ladders.service.settling import renewed, settled
from tablewright.systems.ladders.service.teams.looking import Looking, TeamView
from tablewright.systems.ladders.service.teams.refusals import (
    closed,
    not_a_manager,
    open_plans,
    too_many_managed,
)


class _Unchanged:
    """Nothing is said of it; None would take it away."""


UNCHANGED: Final = _Unchanged()


@dataclass(frozen=True)
class TeamChange:
    """What is to be different."""

    team_name: str | None = None
    description: str | _Unchanged | None = UNCHANGED


class Keeping(Looking):
    """New teams, their names, and their end."""

    async def create(
        self,
        by: Caller,
        team_name: str,
        description: str | None = None,
        manager_id: str | None = None,
    ) -> TeamView:
        """A team without members: a manager's own, or that of whom an administrator names.

        One transaction: the team, which is new; its manager, active and with the role; the audit
        entry.
        """
        by.require("create_team")
        now = self._company.now()
        team = Team(
            team_id=str(uuid4()),
            team_name=team_name,
            description=description,
            manager_id=_manager(by, manager_id),
            created_by=by.user_id,
            created_at=now,
            updated_at=now,
        )
        op = self._noted(by, writes.create_team(team), "team.create", team.team_id)
        try:
            await settled(self._company.db, op)
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, User):
                raise await self._unfit(team.manager_id) from None
            raise
        return await self.read(by, team.team_id)

    async def edit(
        self, by: Caller, team_id: str, change: TeamChange, said: Precondition
    ) -> TeamView:
        """Another name or description, of the team that the caller has seen.

        One transaction: the team at the revision that was read; the audit entry.
        """
        team = (await self._standing(by, team_id, "edit_team")).team
        check_seen(said, team.revision)
        if not team.is_active:
            raise closed()
        name = team.team_name if change.team_name is None else change.team_name
        text = team.description
        if not isinstance(change.description, _Unchanged):
            text = change.description
        if (name, text) != (team.team_name, team.description):
            op = writes.edit_team(team, name, text, self._company.now())
            await self._write(self._noted(by, op, "team.edit", team_id))
        return await self.read(by, team_id)

    async def close(self, by: Caller, team_id: str, said: Precondition = UNSAID) -> Team:
        """The team is no more; what there was stays to be read.

        One transaction: the team at the revision that was read, without open plans; the audit
        entry. Made anew if the team has changed. One that is closed already stays as it is.
        """

        async def made() -> Op[object] | None:
            team = (await self._standing(by, team_id, "delete_team")).team
            if not team.is_active:
                return None
            check_if_given(said, team.revision)
            if team.open_plan_ids:
                raise open_plans()
            op = writes.close_team(team, self._company.now())
            return self._noted(by, op, "team.close", team_id)

        await renewed(self._company.db, made, when=refused)
        return (await self._company.people.seen(by, team_id)).team

    # --- inside ----------------------------------------------------------------------------------

    async def _write(self, op: Op[object]) -> None:
        try:
            await settled(self._company.db, op)
        except (TransactionCancelled, ConditionFailed) as error:
            raise (revision_conflict() if outdated(error) else error) from None

    async def _unfit(self, user_id: str | None) -> Exception:
        """Why somebody does not become a manager of one more team."""
        users = await self._users(filter(None, (user_id,)))
        if not users or not users[0].is_active or "manager" not in users[0].roles:
            return not_a_manager()
        full = len(users[0].managed_team_ids) >= MAX_MANAGED_TEAMS
        return too_many_managed() if full else not_a_manager()


def _manager(by: Caller, wanted: str | None) -> str | None:
    """Who leads a new team: an administrator chooses, a manager does it themselves."""
    if by.admin:
        return wanted
    if wanted not in (None, by.user_id):
        raise forbidden("Only an administrator makes a team for somebody else.")
    return by.user_id
