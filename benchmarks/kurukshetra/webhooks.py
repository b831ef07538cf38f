"""What the gateway tells, four times each and in no order: every payment has its effect once.

All teams are at the checkout. The captures of their payments are signed and delivered over HTTP;
what the service has stored is read afterwards, when it has ended.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from uuid import uuid4

import orjson

from benchmarks.asking import request
from benchmarks.clients import Asked, asked
from benchmarks.findings import Finding, exactly, part_of
from benchmarks.kurukshetra.gateway import gateway
from benchmarks.kurukshetra.running import API, DATA, Service, service
from benchmarks.kurukshetra.stage import festival_on, peopled, planned
from benchmarks.service import Used
from tablewright.engine import Engine
from tablewright.service.kit.entities import OUTBOX_SLOTS
from tablewright.service.kit.patterns import messages_in
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.gateway.signatures import webhook_signature
from tablewright.systems.kurukshetra.sandbox import SandboxSettings, entities
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.messages import PAID

EVENTS, TIMES, CLIENTS = 5_000, 4, 16
EVENT, FEE = "paid", 99900


@dataclass(frozen=True)
class Told:
    """What was delivered, and what the service did for it."""

    asked: Asked
    used: Used
    cpu_secs: float


@dataclass(frozen=True)
class Stored:
    """What came of it."""

    paid: int
    captures: int
    counted: int
    revenue: int
    mails: int


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    events = EVENTS // 10 if quick else EVENTS
    with tempfile.TemporaryDirectory(dir=folder) as place, gateway() as address:
        data = Path(place) / DATA
        requests = asyncio.run(_prepared(data, events))
        with service(Path(place), address) as running:
            told = asyncio.run(_delivered(running, requests))
        stored = asyncio.run(_stored(data))
    return _findings(events, told, stored)


# --- what is told --------------------------------------------------------------------------------


async def _prepared(data: Path, events: int) -> list[bytes]:
    """Every delivery, as the gateway sends it."""
    with Engine(data, durability="relaxed") as engine:
        async with festival_on(engine, data=data) as festival:
            config = await planned(festival, EVENT, events, team_fee=FEE)
            leaders = await peopled(festival, EVENT, events, teams=True)
            orders = [await _at_checkout(festival, config, each.team_id) for each in leaders]
    requests = [_delivery(order) for order in orders] * TIMES
    Random(7).shuffle(requests)
    return requests


async def _at_checkout(festival: Festival, config: m.Config, team_id: str) -> str:
    """A team that holds a seat; its order. As a checkout writes it, without asking anybody."""
    now = festival.events.moment(config)
    team = await festival.db.require(m.team(EVENT, team_id))
    payment = m.Payment(
        event_id=EVENT,
        payment_id=str(uuid4()),
        team_id=team_id,
        payer_ref=hashlib.sha256(team_id.encode()).hexdigest()[:32],
        amount=FEE,
        currency=config.currency,
        day=now.day,
        created_at=now.at,
        updated_at=now.at,
    )
    ends = now.at.replace(year=now.at.year + 1)
    hold = m.Hold(event_id=EVENT, expires_at=ends, team_id=team_id, created_at=now.at)
    await festival.db.run(m.checkout(team, payment, hold, 1, now))
    order = f"order_{payment.payment_id.replace('-', '')[:14]}"
    await festival.db.run(m.attach_order(payment, order, now.at))
    return order


def _delivery(order_id: str) -> bytes:
    body, headers = capture_of(order_id)
    return request("POST", f"{API}/payment/webhook", "", body, headers)


def capture_of(order_id: str) -> tuple[bytes, dict[str, str]]:
    """That the fee was paid, as the gateway tells it: the body, and what it is signed with."""
    order = {"id": order_id, "amount": FEE, "currency": "INR", "notes": []}
    payment = entities.captured(entities.payment(f"pay_{order_id[6:]}", order, "upi", 1.8e9))
    body = orjson.dumps(entities.event("payment.captured", {"payment": payment}, 1.8e9))
    secret = SandboxSettings().credentials.webhook_secrets()[0]
    return body, {
        "X-Razorpay-Signature": webhook_signature(body, secret),
        "X-Razorpay-Event-Id": f"event_{order_id[6:]}",
    }


async def _delivered(running: Service, requests: Sequence[bytes]) -> Told:
    before, cpu = running.used(), running.cpu
    done = await asked(running.port, requests, CLIENTS)
    return Told(done, running.used().since(before), running.cpu - cpu)


# --- what came of it -----------------------------------------------------------------------------


async def _stored(data: Path) -> Stored:
    with Engine(data) as engine:
        async with festival_on(engine, data=data) as festival:
            db, day = festival.db, festival.now().date()
            teams = [each async for each in db.iterate(m.teams_by_status(EVENT, "paid"))]
            lines = [each async for each in db.iterate(m.payments_by_status(EVENT, "paid"))]
            since, until = day.replace(year=day.year - 1), day.replace(year=day.year + 1)
            days = [each async for each in db.iterate(m.statistics(EVENT, since, until))]
            return Stored(
                len(teams),
                len(lines),
                sum(each.paid for each in days),
                sum(each.revenue for each in days),
                await _mails(festival),
            )


async def _mails(festival: Festival) -> int:
    """Confirmations: those that wait, and those that were sent meanwhile."""
    found, today = 0, festival.now()
    days = [f"SENT#{today - timedelta(days=each):%Y%m%d}" for each in range(2)]
    for place in (*(f"PENDING#{slot:02d}" for slot in range(OUTBOX_SLOTS)), *days, "DEAD"):
        async for each in festival.db.iterate(messages_in(place)):
            found += each.kind == PAID
    return found


def _findings(events: int, told: Told, stored: Stored) -> list[Finding]:
    answers = told.asked.answers
    results = Counter(_result(each.status, each.body) for each in answers)
    again = events * (TIMES - 1)
    # Two deliveries of one event may meet: one of them is refused, and looks again.
    met = told.used.requests["TransactWriteItems", _EFFECT] - events
    reads = sum(told.used.requests[each] for each in _READS) - met
    units = told.used.write_units[_EFFECT] / events
    note = f"{events:,} captures, {TIMES} times each, by {CLIENTS} connections"
    secs = [each.secs * 1000 for each in answers]
    return [
        Finding("deliveries", len(answers), note=note),
        exactly("had an effect", results["paid"], events),
        exactly("were known already", sum(results[name] for name in _AGAIN), again),
        exactly("teams that have paid", stored.paid, events),
        exactly("payments", stored.captures, events),
        exactly("counted", stored.counted, events, note=f"revenue {stored.revenue / 100:,.0f}"),
        exactly("revenue, in fees", stored.revenue / FEE, events),
        exactly("confirmations", stored.mails, events),
        Finding("time", told.asked.secs, "s"),
        Finding("deliveries a second", told.asked.per_second, "/s"),
        Finding("a delivery, p95", part_of(secs, 0.95), "ms", note=f"p50 {part_of(secs, 0.5):.1f}"),
        exactly("reads of a delivery", reads / len(answers), 2),
        Finding("that met another one", met, note="of the same event, and looked again"),
        Finding("write units of an effect", units, note="one transaction"),
        Finding("CPU of a delivery", told.cpu_secs / len(answers) * 1000, "ms", note="all of it"),
    ]


#: The transaction that makes a team paid, and what is read before it.
_EFFECT = "capture_payment"
_READS = (("GetItem", "order_link"), ("BatchGetItem", "captured"))
_AGAIN = ("duplicate", "done")


def _result(status: int, body: bytes) -> str:
    return str(orjson.loads(body)["result"]) if status == 200 else f"{status} {body[:80]!r}"
