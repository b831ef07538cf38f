"""Who manages a team."""

from __future__ import annotations

from tablewright.model import Op
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused_at
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import people as writes
from tablewright.systems.ladders.entities import User
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.revisions import check_if_given
from tablewright.systems.ladders.service.settling import renewed
from tablewright.systems.ladders.service.teams.keeping import Keeping
from tablewright.systems.ladders.service.teams.looking import TeamView
from tablewright.systems.ladders.service.teams.refusals import manager_is_member


class Managing(Keeping):
    """Who manages a team."""

    async def assign_manager(
        self, by: Caller, team_id: str, manager_id: str | None, said: Precondition = UNSAID
    ) -> TeamView:
        """Somebody else manages the team from now on, or nobody.

        One transaction: the team at the revision that was read, in which the new manager is no
        member; the new manager, active and with the role; the old one; the audit entry. Made anew
        if the team has changed. Whoever manages it already goes on.
        """

        async def made() -> Op[object] | None:
            team = (await self._standing(by, team_id, "assign_manager")).team
            if team.manager_id == manager_id:
                return None
            check_if_given(said, team.revision)
            if manager_id in team.member_ids:
                raise manager_is_member()
            op = writes.assign_manager(team, manager_id, self._company.now())
            return self._noted(by, op, "team.manager", team_id, old=team.manager_id, new=manager_id)

        try:
            await renewed(self._company.db, made)
        except (TransactionCancelled, ConditionFailed) as error:
            if isinstance(error, TransactionCancelled) and refused_at(error, User):
                raise await self._unfit(manager_id) from None
            raise
        return await self.read(by, team_id)
