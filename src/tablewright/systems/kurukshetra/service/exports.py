"""Registrations, teams and payments as CSV, in pieces, so that any size needs little memory.

What names people is masked, the same person always in the same way. Only where real people are
(``production``), and with a reason, it leaves in full. Every export is in the audit log.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.service.csv_cells import lines
from tablewright.service.problems import FieldError, Problem, forbidden, invalid
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.lists.rows import Row, sign_of
from tablewright.systems.kurukshetra.service.lists.walking import TEAM_STATUSES
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

ExportKind: TypeAlias = Literal["registrations", "teams", "payments"]
#: Who may have which.
_ROLES: dict[ExportKind, tuple[RoleName, ...]] = {
    "registrations": ("organizer", "auditor"),
    "teams": ("organizer", "finance", "auditor"),
    "payments": ("finance", "auditor"),
}
#: Rows that are read and written at once.
_PAGE = 100
_PEOPLE = (
    "participant_id",
    "first_name",
    "last_name",
    "email",
    "phone",
    "github_username",
    "linkedin",
    "college",
    "year",
    "student",
    "registered_at",
    "team_id",
    "team",
    "track",
    "team_status",
)
_TEAMS = (
    "team_id",
    "team",
    "track",
    "status",
    "members",
    "amount",
    "currency",
    "founded_at",
    "repository",
    "handed_over_as",
)
_PAYMENTS = (
    "payment_id",
    "team_id",
    "status",
    "amount",
    "refundable",
    "currency",
    "method",
    "voucher",
    "order_id",
    "gateway_payment_id",
    "payer",
    "day",
    "paid_at",
)


class Exports:
    """Lists for spreadsheets."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def csv(
        self, by: Caller, kind: ExportKind, *, full: bool = False, reason: str | None = None
    ) -> AsyncIterator[bytes]:
        """The file in pieces; what is refused is refused before the first."""
        by.require(*_ROLES[kind])
        if full and kind == "registrations":
            self._check_full(by, reason)
        await self._note(by, kind, full, reason)
        if kind == "registrations":
            return self._registrations(by.event_id, masked=not full)
        return self._teams(by.event_id) if kind == "teams" else self._payments(by.event_id)

    def _check_full(self, by: Caller, reason: str | None) -> None:
        if not by.has("organizer"):
            raise forbidden("Your role sees people masked.")
        if not self._festival.options.production:
            detail = "People leave in full only where real people are: in production."
            raise Problem(403, "MASKED_ONLY", detail)
        if reason is None or not reason.strip():
            raise invalid(FieldError("reason", "an export in full needs one"))

    async def _note(self, by: Caller, kind: str, full: bool, reason: str | None) -> None:
        detail = {"kind": kind, "full": full, "reason": (reason or "").strip()}
        subject, now = f"event/{by.event_id}/export", self._festival.now()
        noted = recorded(by.principal, "export.csv", subject, at=now, detail=detail)
        await self._festival.db.run(noted)

    # --- people ----------------------------------------------------------------------------------

    async def _registrations(self, event_id: str, *, masked: bool) -> AsyncIterator[bytes]:
        setup = await self._festival.events.setup(event_id)
        questions = setup.questions
        yield lines([(*_PEOPLE, *(f"answer_{each.question_id}" for each in questions))])
        for shard in range(SHARDS):
            some: list[str] = []
            async for link in self._festival.db.iterate(m.people(event_id, shard)):
                some.append(link.participant_id)
                if len(some) == _PAGE:
                    yield await self._piece(event_id, some, questions, masked)
                    some = []
            if some:
                yield await self._piece(event_id, some, questions, masked)

    async def _piece(
        self, event_id: str, ids: Sequence[str], questions: Sequence[m.Question], masked: bool
    ) -> bytes:
        rows = await self._festival.lists.rows.of(event_id, ids, masked=masked)
        answers = await self._answers(event_id, rows, questions, masked)
        return lines(
            [
                *_person(row),
                *(
                    answers.get((row.participant.participant_id, each.question_id))
                    for each in questions
                ),
            ]
            for row in rows
        )

    async def _answers(
        self, event_id: str, rows: Sequence[Row], questions: Sequence[m.Question], masked: bool
    ) -> dict[tuple[str, str], str]:
        personal = {each.question_id: each.pii for each in questions}
        asked = [(row.participant.participant_id, each) for row in rows for each in personal]
        if not asked:
            return {}
        signs = {row.participant.participant_id: sign_of(row.participant) for row in rows}
        found = await self._festival.db.run(m.answers_listed(event_id, asked))
        return {
            (each.participant_id, each.question_id): (
                self._masked(each, signs[each.participant_id], personal[each.question_id])
                if masked
                else text_of(self._festival.privacy.vault.opened(each).value)
            )
            for each in found
            if each is not None
        }

    def _masked(self, answer: m.Answer, sign: str, personal: bool) -> str:
        masks = self._festival.privacy.masks
        return text_of(masks.masked(answer, sign, always=personal).value)

    # --- teams and money -------------------------------------------------------------------------

    async def _teams(self, event_id: str) -> AsyncIterator[bytes]:
        yield lines([_TEAMS])
        db = self._festival.db
        for status in TEAM_STATUSES:
            some: list[str] = []
            async for line in db.iterate(m.teams_by_status(event_id, status)):
                some.append(line.team_id)
                if len(some) == _PAGE:
                    yield await self._team_piece(event_id, some)
                    some = []
            if some:
                yield await self._team_piece(event_id, some)

    async def _team_piece(self, event_id: str, ids: Sequence[str]) -> bytes:
        db = self._festival.db
        teams = await db.run(m.teams_listed(event_id, ids))
        repositories = await db.run(m.submissions(event_id, ids))
        pairs = zip(teams, repositories, strict=True)
        return lines(_team(team, own) for team, own in pairs if team is not None)

    async def _payments(self, event_id: str) -> AsyncIterator[bytes]:
        yield lines([_PAYMENTS])
        db = self._festival.db
        for status in PAYMENT_STATUSES:
            some: list[str] = []
            async for line in db.iterate(m.payments_by_status(event_id, status)):
                some.append(line.payment_id)
                if len(some) == _PAGE:
                    yield await self._payment_piece(event_id, some)
                    some = []
            if some:
                yield await self._payment_piece(event_id, some)

    async def _payment_piece(self, event_id: str, ids: Sequence[str]) -> bytes:
        found = await self._festival.db.run(m.payments_listed(event_id, ids))
        return lines(_payment(each) for each in found if each is not None)


def _person(row: Row) -> list[object]:
    person, team = row.participant, row.team
    return [
        person.participant_id,
        text_of(person.first_name),
        text_of(person.last_name),
        text_of(person.email),
        text_of(person.phone),
        text_of(person.github_username),
        text_of(person.linkedin),
        person.college,
        person.year,
        _yes(person.student_status),
        _moment(person.created_at),
        person.team_id,
        None if team is None else team.name,
        None if team is None else team.track,
        None if team is None else team.payment_status,
    ]


def _team(team: m.Team, submission: m.Submission | None) -> list[object]:
    return [
        team.team_id,
        team.name,
        team.track,
        team.payment_status,
        team.member_count,
        team.amount,
        team.currency,
        _moment(team.created_at),
        None if submission is None else submission.repo_url,
        None if submission is None else submission.sub_id,
    ]


def _payment(payment: m.Payment) -> list[object]:
    return [
        payment.payment_id,
        payment.team_id,
        payment.status,
        payment.amount,
        payment.refundable,
        payment.currency,
        payment.payment_method,
        payment.voucher,
        payment.razorpay_order_id,
        payment.razorpay_payment_id,
        payment.payer_ref,
        payment.day.isoformat(),
        _moment(payment.paid_at),
    ]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%dT%H:%M:%SZ}"
