"""Messages: nothing personal in them; they find whom they are for, when they are sent."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import orjson
from tests.systems.kurukshetra.checkout.support import checkout
from tests.systems.kurukshetra.messages.support import mails, received, send, waiting
from tests.systems.kurukshetra.support import (
    EVENT,
    NOW,
    Made,
    event_made,
    festival_on,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.model import Put, attr, update
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import discard
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service import messages as kinds
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend

TITLE = "Kurukshetra 2026: "


def payment(made: Made) -> m.Payment:
    return m.Payment(
        event_id=EVENT,
        payment_id=str(uuid4()),
        team_id=made.team_id,
        payer_ref="somebody",
        amount=99900,
        day=NOW.date(),
        created_at=NOW,
        updated_at=NOW,
    )


def made_members(made: Made) -> list[m.Member]:
    return [
        m.Member(
            event_id=EVENT,
            team_id=made.team_id,
            participant_id=each.participant_id or "",
            joined_at=NOW,
            created_at=NOW,
        )
        for each in made.members
    ]


def all_kinds(festival: Festival, config: m.Config, made: Made) -> list[Put[OutboxEntry]]:
    told, team, paid = festival.messages, made.team, payment(made)
    p = made.leader.participant_id or ""
    ended = team.model_copy(update={"payment_status": "paid"})
    return [
        told.welcome(config, p),
        told.confirmation(config, team, paid),
        told.payment_failed(config, team, paid),
        told.hold_ended(config, team),
        *told.tickets(config, team, made_members(made)),
        told.offer(config, team, NOW + timedelta(hours=24)),
        told.refund(config, team, paid, 50000, "late"),
        told.reminder(config, team, 24),
        told.reminder(config, ended, 2, p),
        told.certificate(config, p, "7ZKX3M9QH2C4W8TN"),
        told.broadcast(config, p, "Doors open at eight", "Bring something to sleep on."),
    ]


def test_every_message_says_what_happened_and_to_nobody_by_name(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival, contact_email="help@people.test")
            made = await team_made(festival, name="Asha and Friends")
            await festival.teams.invite(made.leader, made.team_id, ["guest@people.test"])
            for put_ in all_kinds(festival, config, made):
                await festival.db.run(put_)
            stored = await waiting(festival)
            assert {each.kind for each in stored} == {
                kinds.WELCOME,
                kinds.INVITED,
                kinds.PAID,
                kinds.FAILED,
                kinds.HOLD_ENDED,
                kinds.TICKET,
                kinds.REFUNDED,
                kinds.OFFERED,
                kinds.REMINDER,
                kinds.CERTIFICATE,
                kinds.BROADCAST,
            }
            text = orjson.dumps([each.body for each in stored]).decode()
            for secret in ("people.test", "Verma", "Asha and Friends", made.code, "member-"):
                assert secret not in text
            await send(festival, tmp_path)
            assert await waiting(festival) == []
            by_title = {str(each["Subject"]).strip(): each for each in mails(tmp_path)}
            refund = by_title[f"{TITLE}We refund Asha and Friends"].get_content()
            assert "INR 500.00" in refund
            assert "no longer held" in refund
            assert f"/kurukshetra/events/{EVENT}/team" in refund
            offered = by_title[f"{TITLE}A seat is free for Asha and Friends"].get_content()
            assert "16 November 2026, 12:00 (Asia/Kolkata)" in offered
            inviter = f"{made.leader.principal.name} Verma"
            invited = by_title[f"{TITLE}{inviter} invites you to join Asha and Friends"]
            said = invited.get_content()
            assert f"{inviter} would like you in the team Asha and Friends" in " ".join(
                said.split()
            )
            assert invited["To"] == "guest@people.test"
            assert f"/events/{EVENT}/join?team={made.team_id}" in invited.get_content()
            leader = made.leader.email
            paid = by_title[f"{TITLE}Asha and Friends has its place"]
            assert (paid["To"], paid["Reply-To"]) == (leader, "help@people.test")
            assert f"Hello {made.leader.principal.name}," in paid.get_content()
            assert "{" not in "".join(str(each["Subject"]) for each in by_title.values())

    run(go())


def test_mails_go_to_who_is_there_when_they_are_sent(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival)
            made = await team_made(festival)
            await send(festival, tmp_path / "before")
            leader, other = made.members
            assert other.participant_id is not None
            guest = ["guest@people.test", "gone@people.test"]
            invited = await festival.teams.invite(leader, made.team_id, guest)
            gone = festival.privacy.blind.email("gone@people.test")
            assert gone in [each.email_hash for each in invited]
            await festival.teams.withdraw(leader, made.team_id, gone)
            await festival.db.run(festival.messages.offer(config, made.team, NOW))
            await festival.teams.hand_over(leader, made.team_id, other.participant_id)
            # Somebody who is no more: as erasing leaves them.
            ravi = await registered(festival, EVENT, "ravi")
            assert ravi.participant_id is not None
            emptied = update(m.Participant, EVENT, ravi.participant_id).do(
                attr(m.Participant.email).remove()
            )
            await festival.db.run(emptied)
            await send(festival, tmp_path)
            assert await waiting(festival) == []
            name = other.principal.name
            assert received(tmp_path) == sorted(
                [
                    (str(other.email), f"{TITLE}A seat is free for {made.team.name}"),
                    (
                        "guest@people.test",
                        f"{TITLE}{name} Verma invites you to join {made.team.name}",
                    ),
                ]
            )
            address_of = festival.messages.address_of
            for nonsense in ("", "participant/x", f"leader/{EVENT}/nobody", "organizer/a/b"):
                assert await address_of(nonsense) is None
            assert await address_of(f"invited/{EVENT}/{uuid4()}/{gone}") is None

    run(go())


def test_leader_is_told_once_when_the_hold_ends(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival)
            made = await team_made(festival, name="Night Market")
            await checkout(festival, made.team)
            for each in await waiting(festival):
                await festival.db.run(discard(each))
            await festival.seats.sweep()
            assert await waiting(festival) == []
            clock.advance(26 * 60)
            await asyncio.gather(festival.seats.sweep(), festival.seats.sweep())
            await festival.seats.sweep()
            (message,) = await waiting(festival)
            assert message.kind == kinds.HOLD_ENDED
            assert "Night Market" not in orjson.dumps(message.body).decode()
            await send(festival, tmp_path)
            (mail,) = mails(tmp_path)
            assert mail["To"] == made.leader.email
            assert mail["Subject"].strip() == f"{TITLE}The seat of Night Market is no longer held"
            said = " ".join(mail.get_content().split())
            assert "Night Market at Kurukshetra 2026" in said
            assert "INR 999.00" in said
            assert f"/kurukshetra/events/{EVENT}/team" in said

    run(go())


def test_leader_is_told_when_an_offered_seat_was_not_taken(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival)
            made = await team_made(festival)
            ends = NOW + timedelta(hours=1)
            offered = update(m.Team, EVENT, made.team_id).given(track=made.team.track)
            await festival.db.run(
                offered.do(
                    attr(m.Team.payment_status).set("offered"),
                    attr(m.Team.hold_expires_at).set(ends),
                )
            )
            team = await festival.db.require(m.team(EVENT, made.team_id))
            clock.advance(2 * 3600)
            assert await festival.seats.expire(team)
            (message,) = await waiting(festival, kinds.HOLD_ENDED)
            assert "offered" in str(message.body["text"])

    run(go())


def test_leader_who_checks_out_again_is_not_told_that_the_hold_ended(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock, sandbox=True) as festival:
            await event_made(festival)
            made = await team_made(festival)
            await checkout(festival, made.team)
            clock.advance(26 * 60)
            await checkout(festival, made.team)
            assert await waiting(festival, kinds.HOLD_ENDED) == []

    run(go())


def test_so_many_mails_a_day_and_those_to_many_stop_first(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock, mails_per_day=5) as festival:
            config = await event_made(festival)
            people = [await registered(festival, EVENT, f"reader-{n}") for n in range(6)]
            for each in await waiting(festival):
                await festival.db.run(discard(each))
            for each in people:
                p = each.participant_id or ""
                await festival.db.run(festival.messages.broadcast(config, p, "News", "None."))
            await send(festival, tmp_path)
            assert [title for _, title in received(tmp_path)] == [f"{TITLE}News"] * 4
            late = festival.messages.welcome(config, people[0].participant_id or "")
            await festival.db.run(late)
            await send(festival, tmp_path)
            assert (str(people[0].email), f"{TITLE}You are registered") in received(tmp_path)
            assert len(received(tmp_path)) == 5
            left = await waiting(festival)
            assert [each.kind for each in left] == [kinds.BROADCAST] * 2
            # They wait for the next day, and are not given up before.
            for _ in range(17):
                clock.advance(3600)
                await send(festival, tmp_path)
            assert len(received(tmp_path)) == 5
            clock.advance(2 * 3600)
            await send(festival, tmp_path)
            assert await waiting(festival) == []
            assert len(received(tmp_path)) == 7

    run(go())
