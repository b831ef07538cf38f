"""Registrations, teams, payments and refunds as files for spreadsheets.

Personal data is masked, the same person always in the same way. Only in production, and with a
reason, it leaves in full. Every export is in the audit log.

Rows are sorted: people and teams by name, money by day. For that only names and ids are read first
and kept; the rows themselves are read and written in batches, so any size needs little memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tablewright.service.gathering import at_most
from tablewright.service.problems import FieldError, Problem, forbidden, invalid
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES, TAKEN, PaymentStatus
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules import answers as answer_rules
from tablewright.systems.kurukshetra.rules.fees import minor_digits
from tablewright.systems.kurukshetra.rules.local_time import zone_of
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.lists.rows import Row, sign_of
from tablewright.systems.kurukshetra.service.lists.walking import TEAM_STATUSES
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.service.spreadsheets import (
    Cell,
    Column,
    FileFormat,
    Table,
    write_table,
)

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

ExportKind: TypeAlias = Literal["registrations", "teams", "payments", "refunds"]
#: Who may have which.
ROLES: Final[dict[ExportKind, tuple[RoleName, ...]]] = {
    "registrations": ("organizer", "auditor"),
    "teams": ("organizer", "finance", "auditor"),
    "payments": ("finance", "auditor"),
    "refunds": ("finance", "auditor"),
}
#: Rows that are read and written at once, and payments whose refunds are read side by side.
_BATCH: Final = 100
_PARALLEL: Final = 8

_PEOPLE: Final = (
    Column("first_name", "First name"),
    Column("last_name", "Last name"),
    Column("email", "E-mail"),
    Column("phone", "Phone"),
    Column("github_username", "GitHub"),
    Column("linkedin", "LinkedIn"),
    Column("college", "College"),
    Column("year", "Year"),
    Column("student", "Student"),
    Column("registered_at", "Registered", "time"),
    Column("team", "Team"),
    Column("track", "Track"),
    Column("team_status", "Team state"),
    Column("leads", "Leads the team"),
)
_IDS: Final = (Column("participant_id", "Participant id"), Column("team_id", "Team id"))
_TEAMS: Final = (
    Column("team", "Team"),
    Column("track", "Track"),
    Column("status", "State"),
    Column("members", "Members", "number"),
)
#: Finance works with payments, and sees nobody.
_CONTACT: Final = (
    Column("leader", "Leader"),
    Column("leader_email", "Leader's e-mail"),
    Column("leader_phone", "Leader's phone"),
)
_TEAM_REST: Final = (
    Column("amount", "Fee", "amount"),
    Column("currency", "Currency"),
    Column("founded_at", "Created", "time"),
    Column("repository", "Repository"),
    Column("handed_over_as", "Handed over as"),
    Column("team_id", "Team id"),
)
_PAYMENTS: Final = (
    Column("team", "Team"),
    Column("status", "State"),
    Column("amount", "Amount", "amount"),
    Column("refunded", "Refunded", "amount"),
    Column("refundable", "Refundable", "amount"),
    Column("currency", "Currency"),
    Column("method", "Method"),
    Column("voucher", "Voucher"),
    Column("begun_at", "Begun", "time"),
    Column("paid_at", "Paid", "time"),
    Column("order_id", "Order id"),
    Column("gateway_payment_id", "Gateway payment id"),
    Column("payment_id", "Payment id"),
    Column("team_id", "Team id"),
    Column("payer", "Payer"),
    Column("day", "Day"),
)
_REFUNDS: Final = (
    Column("team", "Team"),
    Column("amount", "Amount", "amount"),
    Column("currency", "Currency"),
    Column("status", "State"),
    Column("reason", "Reason"),
    Column("origin", "Origin"),
    Column("requested_at", "Requested", "time"),
    Column("changed_at", "Last change", "time"),
    Column("gateway_refund_id", "Gateway refund id"),
    Column("gateway_payment_id", "Gateway payment id"),
    Column("refund_id", "Refund id"),
    Column("payment_id", "Payment id"),
    Column("team_id", "Team id"),
)

_Rows: TypeAlias = AsyncIterator[Sequence[Sequence[Cell]]]


class Exports:
    """Files for spreadsheets."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def csv(
        self, by: Caller, kind: ExportKind, *, full: bool = False, reason: str | None = None
    ) -> AsyncIterator[bytes]:
        """Write a CSV file in pieces; a refusal comes before the first."""
        return await self.file(by, kind, "csv", full=full, reason=reason)

    async def file(
        self,
        by: Caller,
        kind: ExportKind,
        file_format: FileFormat,
        *,
        full: bool = False,
        reason: str | None = None,
    ) -> AsyncIterator[bytes]:
        """Write a file of a format in pieces; a refusal comes before the first."""
        by.require(*ROLES[kind])
        people = kind == "registrations" or (kind == "teams" and _sees_people(by))
        if full and people:
            self._check_full(by, reason)
        await self._note(by, kind, file_format, full, reason)
        return write_table(await self._table(by, kind, masked=not full), file_format)

    async def _table(self, by: Caller, kind: ExportKind, *, masked: bool) -> Table:
        event_id = by.event_id
        setup = await self._festival.events.setup(event_id)
        zone = zone_of(setup.config.zone)
        if kind == "registrations":
            columns = (*_PEOPLE, *_question_columns(setup.questions), *_IDS)
            return Table(kind, columns, self._registrations(event_id, masked), zone)
        if kind == "teams":
            contact = _sees_people(by)
            columns = (*_TEAMS, *(_CONTACT if contact else ()), *_TEAM_REST)
            return Table(kind, columns, self._teams(event_id, contact, masked), zone)
        if kind == "payments":
            return Table(kind, _PAYMENTS, self._payments(event_id), zone)
        return Table(kind, _REFUNDS, self._refunds(event_id), zone)

    def _check_full(self, by: Caller, reason: str | None) -> None:
        if not by.has("organizer"):
            raise forbidden("Your role sees people masked.")
        if not self._festival.options.production:
            detail = "Personal data is exported in full only in production."
            raise Problem(403, "MASKED_ONLY", detail)
        if reason is None or not reason.strip():
            raise invalid(FieldError("reason", "an export in full needs one"))

    async def _note(
        self, by: Caller, kind: str, file_format: FileFormat, full: bool, reason: str | None
    ) -> None:
        detail = {"kind": kind, "full": full, "reason": (reason or "").strip()}
        subject, now = f"event/{by.event_id}/export", self._festival.now()
        action = f"export.{file_format}"
        noted = recorded(by.principal, action, subject, at=now, detail=detail)
        await self._festival.db.run(noted)

    # --- people ----------------------------------------------------------------------------------

    async def _registrations(self, event_id: str, masked: bool) -> _Rows:
        setup = await self._festival.events.setup(event_id)
        async for ids in self._people_by_name(event_id, masked):
            rows = await self._festival.lists.rows.of(event_id, ids, masked=masked)
            answers = await self._answers(event_id, rows, setup.questions, masked)
            yield [_person(row, answers, setup.questions) for row in rows]

    async def _people_by_name(self, event_id: str, masked: bool) -> AsyncIterator[list[str]]:
        """Ids of all people in the order of their names, as the export shows them."""
        order: list[tuple[str, str, str]] = []
        for shard in range(SHARDS):
            links = self._festival.db.iterate(m.people(event_id, shard))
            ids = [link.participant_id async for link in links]
            for some in _batches(ids):
                for person in await self._festival.db.run(m.participants(event_id, some)):
                    if person is None or person.erased_at is not None:
                        continue
                    shown = self._festival.lists.rows.shown(person, masked)
                    first, last = text_of(shown.first_name), text_of(shown.last_name)
                    order.append((first.casefold(), last.casefold(), person.participant_id))
        order.sort()
        for batch in _batches([each for _, _, each in order]):
            yield batch

    async def _answers(
        self, event_id: str, rows: Sequence[Row], questions: Sequence[m.Question], masked: bool
    ) -> dict[tuple[str, str], str]:
        by_id = {each.question_id: each for each in questions}
        asked = [(row.participant.participant_id, each) for row in rows for each in by_id]
        if not asked:
            return {}
        signs = {row.participant.participant_id: sign_of(row.participant) for row in rows}
        found = await self._festival.db.run(m.answers_listed(event_id, asked))
        return {
            (each.participant_id, each.question_id): (
                self._masked(each, signs[each.participant_id], by_id[each.question_id].pii)
                if masked
                else _answer_text(
                    by_id[each.question_id],
                    text_of(self._festival.privacy.vault.opened(each).value),
                )
            )
            for each in found
            if each is not None
        }

    def _masked(self, answer: m.Answer, sign: str, personal: bool) -> str:
        masks = self._festival.privacy.masks
        return text_of(masks.masked(answer, sign, always=personal).value)

    # --- teams -----------------------------------------------------------------------------------

    async def _teams(self, event_id: str, contact: bool, masked: bool) -> _Rows:
        db = self._festival.db
        order: dict[str, str] = {}
        for status in TEAM_STATUSES:
            async for line in db.iterate(m.teams_by_status(event_id, status)):
                order[line.team_id] = line.name.casefold()
        for ids in _batches(sorted(order, key=lambda each: (order[each], each))):
            found = await db.run(m.teams_listed(event_id, ids))
            repositories = await db.run(m.submissions(event_id, ids))
            teams = [each for each in found if each is not None]
            leaders = await self._leaders(event_id, teams, masked) if contact else None
            submissions = {each.team_id: each for each in repositories if each is not None}
            yield [_team(each, submissions.get(each.team_id), leaders) for each in teams]

    async def _leaders(
        self, event_id: str, teams: Sequence[m.Team], masked: bool
    ) -> dict[str, m.Participant]:
        ids = sorted({each.leader_participant_id for each in teams})
        found = await self._festival.db.run(m.participants(event_id, ids)) if ids else []
        people = [each for each in found if each is not None and each.erased_at is None]
        shown = self._festival.lists.rows.shown
        return {each.participant_id: shown(each, masked) for each in people}

    # --- money -----------------------------------------------------------------------------------

    async def _payments(self, event_id: str) -> _Rows:
        async for payments in self._payments_by_day(event_id, PAYMENT_STATUSES):
            names = await self._team_names(event_id, payments)
            yield [_payment(each, names) for each in payments]

    async def _refunds(self, event_id: str) -> _Rows:
        db = self._festival.db
        async for payments in self._payments_by_day(event_id, TAKEN):
            names = await self._team_names(event_id, payments)
            work = (db.run(m.payment_page(event_id, each.payment_id)) for each in payments)
            pages = await at_most(_PARALLEL, work)
            found = [(page.payment, each) for page in pages for each in page.refunds]
            found.sort(key=lambda pair: (pair[1].created_at, pair[1].refund_id))
            yield [_refund(payment, refund, names) for payment, refund in found]

    async def _payments_by_day(
        self, event_id: str, statuses: Iterable[PaymentStatus]
    ) -> AsyncIterator[list[m.Payment]]:
        """Payments in batches: by day, and by time in each batch."""
        db = self._festival.db
        days: dict[str, str] = {}
        for status in statuses:
            async for line in db.iterate(m.payments_by_status(event_id, status)):
                days[line.payment_id] = line.day.isoformat()
        for ids in _batches(sorted(days, key=lambda each: (days[each], each))):
            found = await db.run(m.payments_listed(event_id, ids))
            payments = [each for each in found if each is not None]
            yield sorted(payments, key=lambda each: (each.created_at, each.payment_id))

    async def _team_names(self, event_id: str, payments: Sequence[m.Payment]) -> dict[str, str]:
        ids = sorted({each.team_id for each in payments})
        found = await self._festival.db.run(m.teams_listed(event_id, ids)) if ids else []
        return {each.team_id: each.name for each in found if each is not None}


def _sees_people(by: Caller) -> bool:
    return by.has("organizer", "auditor")


def _batches(ids: Sequence[str]) -> Iterable[list[str]]:
    return (list(ids[at : at + _BATCH]) for at in range(0, len(ids), _BATCH))


def _question_columns(questions: Sequence[m.Question]) -> tuple[Column, ...]:
    """By what was asked; a label that is there already gets a number."""
    taken = {each.name.casefold() for each in (*_PEOPLE, *_IDS)}
    columns = []
    for question in questions:
        label, number = question.label, 1
        while label.casefold() in taken:
            number += 1
            label = f"{question.label} ({number})"
        taken.add(label.casefold())
        columns.append(Column(label, label))
    return tuple(columns)


def _answer_text(question: m.Question, stored: str) -> str:
    """An answer, as people read it."""
    given = answer_rules.shown(question, stored)
    if isinstance(given, bool):
        return "yes" if given else "no"
    return ", ".join(given) if isinstance(given, list) else given


def _person(
    row: Row, answers: dict[tuple[str, str], str], questions: Sequence[m.Question]
) -> list[Cell]:
    person, team = row.participant, row.team
    return [
        text_of(person.first_name),
        text_of(person.last_name),
        text_of(person.email),
        text_of(person.phone),
        text_of(person.github_username),
        text_of(person.linkedin),
        person.college,
        person.year,
        person.student_status,
        person.created_at,
        None if team is None else team.name,
        None if team is None else team.track,
        None if team is None else team.payment_status,
        team is not None and team.leader_participant_id == person.participant_id,
        *(answers.get((person.participant_id, each.question_id)) for each in questions),
        person.participant_id,
        person.team_id,
    ]


def _team(
    team: m.Team, submission: m.Submission | None, leaders: dict[str, m.Participant] | None
) -> list[Cell]:
    return [
        team.name,
        team.track,
        team.payment_status,
        team.member_count,
        *([] if leaders is None else _contact(leaders.get(team.leader_participant_id))),
        _major(team.amount, team.currency),
        team.currency,
        team.created_at,
        None if submission is None else submission.repo_url,
        None if submission is None else submission.sub_id,
        team.team_id,
    ]


def _contact(leader: m.Participant | None) -> list[Cell]:
    if leader is None:
        return [None, None, None]
    name = f"{text_of(leader.first_name)} {text_of(leader.last_name)}".strip()
    return [name, text_of(leader.email), text_of(leader.phone)]


def _payment(payment: m.Payment, names: dict[str, str]) -> list[Cell]:
    return [
        names.get(payment.team_id),
        payment.status,
        _major(payment.amount, payment.currency),
        _major(payment.refunded, payment.currency),
        _major(payment.refundable, payment.currency),
        payment.currency,
        payment.payment_method,
        payment.voucher,
        payment.created_at,
        payment.paid_at,
        payment.razorpay_order_id,
        payment.razorpay_payment_id,
        payment.payment_id,
        payment.team_id,
        payment.payer_ref,
        payment.day.isoformat(),
    ]


def _refund(payment: m.Payment, refund: m.Refund, names: dict[str, str]) -> list[Cell]:
    return [
        names.get(payment.team_id),
        _major(refund.amount, payment.currency),
        payment.currency,
        refund.status,
        refund.reason,
        refund.origin,
        refund.created_at,
        refund.updated_at,
        refund.razorpay_refund_id,
        refund.razorpay_payment_id or payment.razorpay_payment_id,
        refund.refund_id,
        payment.payment_id,
        payment.team_id,
    ]


def _major(amount: int, currency: str) -> Decimal:
    """Minor units in the major unit: 99900 paise are 999.00 rupees."""
    return Decimal(amount).scaleb(-minor_digits(currency))
