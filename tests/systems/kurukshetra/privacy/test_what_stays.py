"""What stays of people where nobody looks for them: the audit log, and keys outside of KMS."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from tests.systems.kurukshetra.support import (
    EVENT,
    ORGANIZER,
    START,
    caller,
    event_made,
    festival_on,
    run,
    team_made,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.keys import Keys
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AUDIT_SHARDS, AuditEntry
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.mail import MailIn
from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.tickets.token import KEYS
from tablewright.testing.backends import Backend


async def log_of(festival: Festival) -> list[AuditEntry]:
    return list(await audit.entries(festival.db, until=START + 10**6, limit=100))


def test_tickets_and_certificates_are_made_with_the_keys_of_the_event_s_place(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    """With KMS those are not the process's own: every process has to have the same."""

    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            festival.keys = place = Keys(tmp_path)
            p = "4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10"
            code = codes.of(place.secret(codes.KEY), EVENT, p, "winner")
            assert festival.certificates.code_of(EVENT, p, "winner") == code
            assert festival.tickets.keys.jwks() == place.signing(KEYS).jwks()

    run(work())


def test_the_log_does_not_keep_what_a_mail_said(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            body = MailIn(subject="About Asha", text="Asha Verma is ill")
            await festival.mailing.start(await caller(festival, ORGANIZER), body)
            (entry,) = [each for each in await log_of(festival) if each.action == "job.mail"]
            assert "Asha" not in str(entry)
            assert entry.detail["leaders"] is False

    run(work())


def test_the_log_does_not_say_who_a_participant_signs_in_as(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """It would lead from the row that erasure leaves behind to the person."""

    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival, team_fee=0)
            made = await team_made(festival)
            await festival.checkout.start(made.leader, made.team_id, CheckoutIn())
            assert (await festival.tickets.renew(made.leader)).version == 2
            who = made.leader.participant()
            await festival.tickets.revoke(await caller(festival, ORGANIZER), who)
            told = [(each.actor, each.action) for each in await log_of(festival)]
            assert (ORGANIZER.id, "ticket.revoke") in told
            assert made.leader.principal.id not in {actor for actor, _ in told}

    run(work())


def test_the_log_is_kept_as_long_as_the_books(engine_backend: Backend, clock: ManualClock) -> None:
    """Eight years: payments without who decided about them would be half of it."""

    async def work() -> None:
        heard: list[RequestEvent] = []
        async with festival_on(engine_backend, clock, heard=heard) as festival:
            await event_made(festival)
            by = await caller(festival, ORGANIZER)
            await festival.mailing.start(by, MailIn(subject="Hello", text="all"))
            heard.clear()
            told = ["job.mail", "event.create"]
            assert [each.action for each in await festival.auditing.list(by)] == told
            # An event of today is not looked for in the months before it.
            assert len([each for each in heard if each.pattern == "audit_of_month"]) <= AUDIT_SHARDS
            clock.advance(timedelta(days=7 * 366).total_seconds())
            assert [each.action for each in await festival.auditing.list(by)] == told
            clock.advance(timedelta(days=2 * 366).total_seconds())
            assert not await festival.auditing.list(by)

    run(work())
