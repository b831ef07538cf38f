"""Invitations: a code for whoever has it, and mails to those who are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Final

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, outdated, refused_at
from tablewright.service.email_addresses import EmailError, parse_email
from tablewright.service.limits import Rate
from tablewright.service.problems import FieldError, Problem, conflict, invalid, not_found
from tablewright.systems.kurukshetra import teaming
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.reads import TeamPage
from tablewright.systems.kurukshetra.rules import emails, invites, retention, team_states, windows
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.refusing import ended
from tablewright.systems.kurukshetra.service.teams.looking import Looking
from tablewright.systems.kurukshetra.service.teams.refusals import roster
from tablewright.systems.kurukshetra.teams import Invited, InviteLock, Team

#: Of one team at a time. Mails go to people who have not asked for them: there are few.
MOST_INVITED: Final = 20
#: Who was asked is not asked again before.
_AGAIN: Final = timedelta(hours=1)
#: Of one user.
_RATE: Final = Rate.per_hour(30)
_TRIES = 8


class Inviting(Looking):
    """Who may join."""

    async def rotate(self, by: Caller, t: str) -> str:
        """A new code; the old one leads nowhere from then on.

        One transaction: the team at the version that was read, the new code, which no other team
        has, and the old one, which goes.
        """
        code = invites.new()

        def rotated(page: TeamPage) -> Op[object]:
            if team_states.is_over(page.team.payment_status):
                raise ended()
            sealed = self._sealed(page.team, code)
            return teaming.rotate_invite(
                page.team, sealed, self._festival.privacy.blind.invite(code), self._festival.now()
            )

        try:
            await self._changed(by, t, "team.rotate", rotated)
        except TransactionCancelled as cancelled:
            # Another team's code: once in a billion.
            if refused_at(cancelled, InviteLock):
                raise busy("BUSY") from None
            raise
        return code

    def _sealed(self, team: Team, code: str) -> str | Plain:
        changed = team.model_copy(update={"invite_code": Plain(code)})
        sealed = self._festival.privacy.vault.sealed(changed).invite_code
        assert sealed is not None
        return sealed

    async def invite(self, by: Caller, t: str, addresses: Sequence[str]) -> tuple[Invited, ...]:
        """Ask people to join, by mail. Who was asked within the hour is not asked again.

        One transaction: each invitation, new or at the version that was read, with its mail.
        """
        config = await self._festival.events.config(by.event_id)
        wanted = self._wanted(config, addresses, "body.emails")
        for _ in range(_TRIES):
            page = await self.owned(by, t, lead=True)
            self._check_open(config, page.team)
            asked = self._asked(page, wanted)
            if not asked:
                return page.invited
            await self._festival.runtime.limits.check(
                "invitations", by.principal.id, _RATE, amount=len(asked)
            )
            try:
                await self._ask(by, config, page, asked)
            except TransactionCancelled as cancelled:
                if not _met(cancelled):
                    raise
                continue
            return (await self.owned(by, t)).invited
        raise busy("BUSY")

    async def withdraw(self, by: Caller, t: str, email_hash: str) -> None:
        """Somebody is not wanted any more; a mail that is on its way does not let them in."""
        page = await self.owned(by, t, lead=True)
        if email_hash not in [each.email_hash for each in page.invited]:
            raise not_found("invitation")
        op = teaming.withdraw_invitation(by.event_id, t, email_hash)
        await self._settle(together(op, *self._noted(by, page, "team.withdraw")))

    # --- inside ----------------------------------------------------------------------------------

    def _wanted(self, config: Config, addresses: Iterable[str], field: str) -> dict[str, str]:
        """By hash: whoever is named twice is meant once. ``field`` is where they were sent in."""
        wanted, wrong = {}, []
        for place, text in enumerate(addresses):
            try:
                address = parse_email(text)
            except EmailError as bad:
                wrong.append(FieldError(f"{field}.{place}", str(bad)))
                continue
            if not emails.is_allowed(address, config.allowed_domains):
                wrong.append(FieldError(f"{field}.{place}", "its domain may not register"))
            wanted[self._festival.privacy.blind.email(address)] = address
        if wrong:
            raise invalid(*wrong)
        return wanted

    def _check_open(self, config: Config, team: Team) -> None:
        if team_states.is_over(team.payment_status):
            raise ended()
        if not windows.roster_open(config, self._festival.now()):
            raise roster("roster_locked", config)

    def _asked(self, page: TeamPage, wanted: dict[str, str]) -> list[Invited]:
        """Invitations that are to be written."""
        now, known = self._festival.now(), {each.email_hash: each for each in page.invited}
        if len(known.keys() | wanted.keys()) > MOST_INVITED:
            raise _too_many()
        asked = []
        for email_hash, address in wanted.items():
            before = known.get(email_hash)
            if before is not None and now - before.updated_at < _AGAIN:
                continue
            invited = Invited(
                event_id=page.team.event_id,
                team_id=page.team.team_id,
                email_hash=email_hash,
                email=Plain(address),
                created_at=now if before is None else before.created_at,
                updated_at=now,
                version=0 if before is None else before.version,
                ttl=retention.ends(now, retention.INVITATION),
            )
            asked.append(self._festival.privacy.vault.sealed(invited))
        return asked

    async def _ask(
        self, by: Caller, config: Config, page: TeamPage, asked: Sequence[Invited]
    ) -> None:
        messages = self._festival.messages
        ops = [
            op
            for each in asked
            for op in (
                teaming.invite_person(each),
                messages.invitation(config, page.team, each),
            )
        ]
        await self._settle(together(*ops, *self._noted(by, page, "team.invite")))


def _met(cancelled: TransactionCancelled) -> bool:
    """Whether somebody else has invited one of them meanwhile."""
    return outdated(cancelled) or refused_at(cancelled, Invited)


def _too_many() -> Problem:
    detail = f"A team has up to {MOST_INVITED} open invitations. Withdraw some, or share the code."
    return conflict("TOO_MANY_INVITATIONS", detail)
