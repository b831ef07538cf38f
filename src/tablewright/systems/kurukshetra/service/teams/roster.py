"""Members: joining, leaving, leading; and the end of a team."""

from __future__ import annotations

from typing import Final

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, refused_at
from tablewright.service.limits import Rate
from tablewright.service.problems import not_found
from tablewright.systems.kurukshetra import reads, teaming
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.reads import TeamPage
from tablewright.systems.kurukshetra.rules import team_states
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.refusing import ended
from tablewright.systems.kurukshetra.service.teams.looking import Looking, is_member
from tablewright.systems.kurukshetra.service.teams.refusals import (
    already_in_team,
    invite_invalid,
    not_invited,
    not_unpaid,
    roster,
)
from tablewright.systems.kurukshetra.teams import Member, Team

#: Wrong codes, of one user and of one address: somebody who guesses gets nowhere.
GUESSES: Final = Rate(10)
_TRIES = 8


class Roster(Looking):
    """Who is in a team."""

    async def join(self, by: Caller, code: str, address: str = "-") -> Team:
        """Take a place in the team of a code. [T2]

        One transaction: the team, if it has room and the code is the one that is valid; the
        member, who is new to it; the participant, who is in no team; the day's statistics; and an
        invitation of the same address, which goes. Who has joined already is told the same again.
        """
        limits = self._festival.runtime.limits
        who = await self._registered(by)
        async with (
            limits.attempt("invite-codes", by.principal.id, GUESSES) as mine,
            limits.attempt("invite-codes-from", address, GUESSES) as theirs,
        ):
            t = await self._team_of(by.event_id, code)
            if t is None:
                mine.failed()
                theirs.failed()
                raise invite_invalid()
        return await self._entered(by, who, t, self._festival.privacy.blind.invite(code))

    async def accept(self, by: Caller, t: str) -> Team:
        """Take a place in a team that has invited the caller's address; needs no code. [T2]

        The transaction is that of :meth:`join`.
        """
        who = await self._registered(by)
        return await self._entered(by, who, t, None)

    async def leave(self, by: Caller, t: str) -> None:
        """Go, as long as the roster is open. [T2b]

        One transaction: the team, if enough are left and somebody else leads it, or if it has
        ended; the member, who is there; and the participant, who is in this team.
        """
        config = await self._festival.events.config(by.event_id)
        for _ in range(_TRIES):
            page = await self.owned(by, t)
            who = by.participant_id
            if who is None or not is_member(by, page):
                raise not_found("member of this team")
            now = self._festival.now()
            fault = team_states.leave_fault(page.team, who, config, now)
            if fault is not None:
                raise roster(fault, config)
            least = config.min_team_size
            try:
                await self._settle(teaming.leave_team(by.event_id, t, who, least, now))
            except TransactionCancelled as cancelled:
                if not _moved(cancelled):
                    raise
                continue
            self._festival.access.forget(by)
            return
        raise busy("BUSY")

    async def hand_over(self, by: Caller, t: str, p: str) -> Team:
        """Another member leads. [T2c]

        One transaction: the team at the version that was read, with the same leader, and the
        member, who is there.
        """

        def handed(page: TeamPage) -> Op[object] | None:
            if team_states.is_over(page.team.payment_status):
                raise ended()
            if p not in [each.participant_id for each in page.members]:
                raise not_found("member of this team")
            if p == page.team.leader_participant_id:
                return None
            return teaming.hand_over(page.team, p, self._festival.now())

        try:
            return (await self._changed(by, t, "team.hand-over", handed)).team
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, Member):
                raise not_found("member of this team") from None
            raise

    async def disband(self, by: Caller, t: str) -> None:
        """An unpaid team gives up; its name, code and repository are free again.

        One transaction: the team, unpaid and at the version that was read; its locks, invitations
        and submission, which go; each member, and each participant, who is in this team.
        """

        def ended_(page: TeamPage) -> Op[object]:
            if page.team.payment_status != "unpaid":
                raise not_unpaid(page.team)
            return teaming.disband_team(
                page.team, page.members, page.invited, page.submission, self._festival.now()
            )

        await self._changed(by, t, "team.disband", ended_)
        self._festival.access.forget(by)

    # --- inside ----------------------------------------------------------------------------------

    async def _team_of(self, event_id: str, code: str) -> str | None:
        try:
            invite_hash = self._festival.privacy.blind.invite(code)
        except BadCode:
            return None
        lock = await self._festival.db.run(reads.invite(event_id, invite_hash))
        return None if lock is None else lock.owner

    async def _entered(self, by: Caller, who: str, t: str, invite_hash: str | None) -> Team:
        config = await self._festival.events.config(by.event_id)
        for _ in range(_TRIES):
            page = await self._found(by.event_id, t)
            if page is None:
                raise invite_invalid() if invite_hash else not_invited()
            if who in [each.participant_id for each in page.members]:
                return page.team
            op = self._entering(by, page, who, config, invite_hash)
            try:
                await self._settle(op)
            except TransactionCancelled as cancelled:
                if refused_at(cancelled, Participant):
                    await self._check_free(by.event_id, who, t)
                if not _moved(cancelled):
                    raise
                continue
            self._festival.access.forget(by)
            return await self._festival.db.require(reads.team(by.event_id, t))
        raise busy("BUSY")

    def _entering(
        self, by: Caller, page: TeamPage, who: str, config: Config, invite_hash: str | None
    ) -> Op[object]:
        """The transaction, or a problem that is plain before it."""
        team, mine = page.team, self._invitation(by, page)
        if invite_hash is None and mine is None:
            raise not_invited()
        # Who is invited by name needs no code: the one that is valid now is taken for them.
        valid = team.invite_hash if invite_hash is None else invite_hash
        fault = team_states.join_fault(team, config, self._festival.now())
        if valid is None or valid != team.invite_hash or fault == "team_ended":
            raise not_invited() if invite_hash is None else invite_invalid()
        if fault is not None:
            raise roster(fault, config)
        moment = self._festival.events.moment(config)
        op = teaming.join_team(team.event_id, team.team_id, valid, who, moment)
        if mine is None:
            return op
        gone = teaming.withdraw_invitation(team.event_id, team.team_id, mine)
        return together(op, gone)

    def _invitation(self, by: Caller, page: TeamPage) -> str | None:
        """The hash of the caller's own address, if it is invited."""
        if not by.email or not by.verified:
            return None
        mine = self._festival.privacy.blind.email(by.email)
        return mine if mine in [each.email_hash for each in page.invited] else None

    async def _check_free(self, event_id: str, who: str, t: str) -> None:
        """Whether it is another team that somebody is in."""
        person = await self._festival.db.run(reads.participant(event_id, who))
        if person is not None and person.team_id not in (None, t):
            raise already_in_team()


def _moved(cancelled: TransactionCancelled) -> bool:
    """Whether what was read has changed, so that it is worth looking again."""
    return any(refused_at(cancelled, kind) for kind in (Team, Member, Participant))
