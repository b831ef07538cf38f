"""More teams than seats, all at the checkout at once, over HTTP.

Exactly as many get a seat as there are, nobody is told to come again, and many clients at once do
not make it slower than few do.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from benchmarks.asking import request
from benchmarks.clients import Asked, asked
from benchmarks.findings import Finding, at_least, at_most, exactly, part_of
from benchmarks.kurukshetra.gateway import gateway
from benchmarks.kurukshetra.running import API, DATA, Service, service
from benchmarks.kurukshetra.stage import Led, festival_on, peopled, planned, tokens
from tablewright.engine import Engine
from tablewright.systems.kurukshetra import model as m

TEAMS, SEATS, FEW, MANY = 600, 500, 8, 64
#: How often each number of clients has its turn: what else the machine does meets both.
ROUNDS = 3


@dataclass(frozen=True)
class Event:
    """One run: an event of its own."""

    event_id: str
    clients: int
    leaders: Sequence[Led]


@dataclass(frozen=True)
class Ran:
    """What its clients were told, and what was stored."""

    event: Event
    asked: Asked
    cpu_secs: float
    states: Counter[str]
    free: int
    orders: int


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    teams, seats = (TEAMS // 5, SEATS // 5) if quick else (TEAMS, SEATS)
    with tempfile.TemporaryDirectory(dir=folder) as place, gateway() as address:
        data = Path(place) / DATA
        events = asyncio.run(_prepared(data, teams, seats, 1 if quick else ROUNDS))
        with service(Path(place), address) as running:
            runs = [asyncio.run(_run(running, data, each)) for each in events]
        ran = [asyncio.run(_looked(data, *each)) for each in runs]
    # The first one is to make it warm.
    return _findings(ran[1:], teams, seats)


async def _prepared(data: Path, teams: int, seats: int, rounds: int) -> list[Event]:
    wanted = [("warm", FEW, teams // 5, seats // 5)]
    for number in range(rounds):
        wanted += [(f"few-{number}", FEW, teams, seats), (f"many-{number}", MANY, teams, seats)]
    found = []
    with Engine(data, durability="relaxed") as engine:
        async with festival_on(engine, data=data) as festival:
            for event_id, clients, count, free in wanted:
                await planned(festival, event_id, free)
                leaders = await peopled(festival, event_id, count, teams=True)
                found.append(Event(event_id, clients, leaders))
    return found


async def _run(running: Service, data: Path, event: Event) -> tuple[Event, Asked, float]:
    with Engine(None) as engine:
        async with festival_on(engine, data=data) as festival:
            shown = tokens(festival, running.url, event.leaders)
    requests = [
        request("POST", f"{API}/events/{event.event_id}/team/{led.team_id}/checkout", token, b"{}")
        for led, token in zip(event.leaders, shown, strict=True)
    ]
    cpu = running.cpu
    done = await asked(running.port, requests, event.clients)
    return event, done, running.cpu - cpu


async def _looked(data: Path, event: Event, done: Asked, cpu: float) -> Ran:
    orders = set()
    with Engine(data) as engine:
        async with festival_on(engine, data=data) as festival:
            seats = await festival.db.require(m.seats(event.event_id))
            states: Counter[str] = Counter()
            for led in event.leaders:
                team = await festival.db.require(m.team(event.event_id, led.team_id))
                states[team.payment_status] += 1
                if team.payment_id is not None:
                    held = m.payment(event.event_id, team.payment_id)
                    orders.add((await festival.db.require(held)).razorpay_order_id)
    return Ran(event, done, cpu, states, seats.free, len(orders - {None}))


def _codes(ran: Ran) -> Counter[str]:
    """What was answered, by its code; the status where there is none."""
    found: Counter[str] = Counter()
    for each in ran.asked.answers:
        told = orjson.loads(each.body) if each.status >= 400 else {}
        found[str(told.get("code", each.status))] += 1
    return found


def _findings(ran: Sequence[Ran], teams: int, seats: int) -> list[Finding]:
    codes = sum(map(_codes, ran), Counter[str]())
    runs = len(ran)
    few, many = (_speed(ran, clients) for clients in (FEW, MANY))
    slow = max(part_of([a.secs for a in each.asked.answers], 0.95) for each in _with(ran, MANY))
    slowest = min(each.asked.per_second for each in _with(ran, MANY))
    cpu = sum(each.cpu_secs for each in ran) / (runs * teams)
    others = codes.total() - codes["200"] - codes["SOLD_OUT"] - codes["BUSY"]
    return [
        Finding("checkouts", codes.total(), note=f"{runs} events of {teams} teams, {seats} seats"),
        exactly("got a seat", codes["200"], runs * seats),
        exactly("were told SOLD_OUT", codes["SOLD_OUT"], runs * (teams - seats)),
        exactly("were told BUSY", codes["BUSY"], 0),
        exactly("anything else", others, 0),
        exactly("teams that hold a seat", sum(e.states["pending"] for e in ran), runs * seats),
        exactly("seats that are left", sum(each.free for each in ran), 0),
        exactly("orders at the gateway", sum(each.orders for each in ran), runs * seats),
        Finding(f"checkouts a second, {FEW} clients", few, "/s"),
        Finding(f"the same, {MANY} clients", many, "/s"),
        at_least(f"{MANY} clients against {FEW}", many / few, 0.9, "x"),
        at_most(
            f"p95, {MANY} clients",
            slow * 1000,
            round(2 * MANY / slowest * 1000),
            "ms",
            f"of {2 * MANY} / throughput; the slowest run",
        ),
        Finding("CPU of a checkout", cpu * 1000, "ms", note="of the service, all of it"),
    ]


def _with(ran: Sequence[Ran], clients: int) -> list[Ran]:
    return [each for each in ran if each.event.clients == clients]


def _speed(ran: Sequence[Ran], clients: int) -> float:
    found = _with(ran, clients)
    return sum(len(each.asked.answers) for each in found) / sum(each.asked.secs for each in found)
