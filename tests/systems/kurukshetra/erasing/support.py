"""Teams that hold a seat or have paid for it, and what is left of somebody in the table."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

from tests.systems.kurukshetra.support import EVENT, NOW, Made

from tablewright.engine import Engine
from tablewright.model import put
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.payments.captures import Captured

TABLE = "codekurukshetra_main"


async def holding(festival: Festival, made: Made, *, minutes: int = 20) -> m.Payment:
    """The team holds a seat: what its checkout would have written."""
    config = await festival.events.config(EVENT)
    now = festival.events.moment(config)
    payment = m.Payment(
        event_id=EVENT,
        payment_id=str(uuid4()),
        team_id=made.team_id,
        payer_ref=made.leader.uid_hash,
        amount=config.team_fee,
        day=now.day,
        created_at=now.at,
        updated_at=now.at,
    )
    until = now.at + timedelta(minutes=minutes)
    hold = m.Hold(event_id=EVENT, expires_at=until, team_id=made.team_id, created_at=now.at)
    await festival.db.run(m.checkout(made.team, payment, hold, 1, now))
    await festival.db.run(m.attach_order(payment, f"order_{payment.payment_id[:8]}", now.at))
    return payment


async def paying(festival: Festival, made: Made) -> m.Payment:
    """The same, and it has paid."""
    payment = await holding(festival, made)
    short = payment.payment_id[:8]
    fact = Captured(f"order_{short}", f"pay_{short}", payment.amount, "INR", "card")
    assert (await festival.payments.apply(fact)).result == "paid"
    return await festival.db.require(m.payment(EVENT, payment.payment_id))


async def issued(festival: Festival, made: Made) -> None:
    """A certificate of the leader."""
    code = festival.certificates.codes_of(EVENT, made.leader.participant())[0]
    certificate = m.Certificate(
        code=code,
        event_id=EVENT,
        participant_id=made.leader.participant(),
        kind="participation",
        name=Plain("Asha Verma"),
        created_at=NOW,
        updated_at=NOW,
    )
    await festival.db.run(put(festival.privacy.vault.sealed(certificate)))


async def person_of(festival: Festival, participant_id: str | None) -> m.Participant:
    return await festival.db.require(m.participant(EVENT, participant_id or ""))


async def team_of(festival: Festival, made: Made) -> m.TeamPage:
    return await festival.db.run(m.team_page(EVENT, made.team_id))


def dump(engine: Engine) -> str:
    """Everything in both tables, as it is stored."""
    items: list[dict[str, Any]] = []
    for name in engine.call("ListTables", {})["TableNames"]:
        request: dict[str, Any] = {"TableName": name}
        while True:
            found = engine.call("Scan", request)
            items += found["Items"]
            if "LastEvaluatedKey" not in found:
                break
            request["ExclusiveStartKey"] = found["LastEvaluatedKey"]
    return json.dumps(items, default=str)


def kinds(engine: Engine, participant_id: str) -> list[str]:
    """What kinds of items name a participant."""
    items = engine.call("Scan", {"TableName": TABLE})["Items"]
    return sorted(
        each["entity_type"]["S"]
        for each in items
        if participant_id in json.dumps(each, default=str)
    )
