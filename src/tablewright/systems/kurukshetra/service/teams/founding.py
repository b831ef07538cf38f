"""New teams."""

from __future__ import annotations

from uuid import uuid4

from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, refused_at
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.kurukshetra import reads, teaming
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.rules import invites, team_names, team_states, windows
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.refusing import closed
from tablewright.systems.kurukshetra.service.teams.inviting import Inviting
from tablewright.systems.kurukshetra.service.teams.refusals import (
    already_in_team,
    name_taken,
    unknown_track,
)
from tablewright.systems.kurukshetra.teams import InviteLock, Team, TeamNameLock

#: That a random code is another team's already happens once in a billion.
_CODES = 3


class Founding(Inviting):
    """Registering with a team, and founding one afterwards."""

    async def register_team(
        self, by: Caller, registration: RegistrationIn | None, body: TeamIn
    ) -> Team:
        """Somebody registers and founds a team: T0, then T1, which are two transactions.

        Who comes again after the first goes on with the second; who comes again after both gets the
        team. Without a registration it is somebody who has registered before.
        """
        config = await self._festival.events.config(by.event_id)
        name = _checked(config, body)
        # Before anything is written: what is refused has not half happened.
        self._wanted(config, body.invite, "body.team.invite")
        if registration is None:
            who = await self._registered(by)
        else:
            who = (await self._festival.people.register(by, registration)).participant_id
        team = await self._founded(by, who, config, name, body.track)
        if body.invite:
            # Whoever leads the team now is known by another self than the one that registered.
            leader = await self._festival.access.now(by.principal, by.event_id)
            await self.invite(leader, team.team_id, body.invite)
        return team

    async def found(self, by: Caller, body: TeamIn) -> Team:
        """A team for somebody who has registered. [T1]

        One transaction: the team, its name and its code, which nobody else has; the leader, who is
        in no team; and the day's statistics.
        """
        return await self.register_team(by, None, body)

    async def _founded(
        self, by: Caller, leader: str, config: Config, name: str, track: str
    ) -> Team:
        for _ in range(_CODES):
            team = self._new(by.event_id, leader, config, name, track)
            if not windows.is_open(config, team.created_at):
                raise closed(config, team.created_at)
            moment = self._festival.events.moment(config)
            try:
                await self._settle(teaming.found_team(team, moment))
            except TransactionCancelled as cancelled:
                if refused_at(cancelled, Participant):
                    return await self._own(by.event_id, leader, name)
                if refused_at(cancelled, TeamNameLock):
                    raise name_taken() from None
                if not refused_at(cancelled, InviteLock):
                    raise
                continue
            self._festival.access.forget(by)
            return await self._festival.db.require(reads.team(by.event_id, team.team_id))
        raise busy("BUSY")

    def _new(self, event_id: str, leader: str, config: Config, name: str, track: str) -> Team:
        code, now = invites.new(), self._festival.now()
        team = Team(
            event_id=event_id,
            team_id=str(uuid4()),
            name=name,
            track=track,
            leader_participant_id=leader,
            currency=config.currency,
            max_members=config.max_team_size,
            invite_code=Plain(code),
            invite_hash=self._festival.privacy.blind.invite(code),
            created_at=now,
            updated_at=now,
        )
        return self._festival.privacy.vault.sealed(team)

    async def _own(self, event_id: str, leader: str, name: str) -> Team:
        """Who founds the same team again has it already; else they are in another one."""
        db = self._festival.db
        person = await db.run(reads.participant(event_id, leader))
        t = None if person is None else person.team_id
        team = None if t is None else await db.run(reads.team(event_id, t))
        if team is None or team.leader_participant_id != leader:
            raise already_in_team()
        if team_states.is_over(team.payment_status):
            raise already_in_team()
        if not team_names.same(team.name, name):
            raise already_in_team()
        return team

    async def name_taken(self, event_id: str, text: str) -> bool:
        """Whether another team has a name; only a hint, founding decides. [5b]"""
        lock = reads.team_name(event_id, team_names.lock_of(checked_name(text)))
        return await self._festival.db.run(lock) is not None


def _checked(config: Config, body: TeamIn) -> str:
    if body.track not in config.tracks:
        raise unknown_track(config)
    return checked_name(body.name)


def checked_name(text: str) -> str:
    """The name as it is kept, or a problem 422."""
    try:
        return team_names.parse(text)
    except team_names.BadTeamName as bad:
        raise bad_field("name", bad) from None


def bad_field(field: str, why: object) -> Problem:
    return invalid(FieldError(f"body.{field}", str(why)))
