"""Seats by the API, and followed as they go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import orjson
from tests.service.support import running
from tests.systems.kurukshetra.checkout.support import checkout, ready
from tests.systems.kurukshetra.support import (
    API,
    EVENT,
    NOW,
    ORGANIZER,
    api_on,
    event_made,
    festival_on,
    moment,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend, in_process


def test_seats_checkout_and_queue_by_the_api(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        async with api_on(engine_backend, clock, sandbox=True) as api:
            await event_made(api.festival, max_teams=1)
            first, second = [await team_made(api.festival) for _ in range(2)]
            lead, other = api.as_(first.leader.principal), api.as_(second.leader.principal)
            seats = f"/events/{EVENT}/seats"
            assert await api.get(seats) == {
                "event_id": EVENT,
                "capacity": 1,
                "free": 1,
                "waiting": 0,
                "available": True,
                "phase": "open",
            }
            for path in ("/events/none/seats", "/events/..%2Fx/seats", "/events/none/seats/stream"):
                assert await api.refused("GET", path) == (404, "NOT_FOUND")
            mine, theirs = (f"/events/{EVENT}/team/{each.team_id}" for each in (first, second))
            assert await lead.refused("POST", f"{mine}/waitlist") == (409, "NOT_SOLD_OUT")
            assert await api.refused("POST", f"{mine}/checkout", {}) == (401, "UNAUTHENTICATED")
            assert await other.refused("POST", f"{mine}/checkout", {}) == (404, "NOT_FOUND")
            assert await lead.refused("POST", f"{mine}/checkout", {"x": 1}) == (422, "INVALID")
            none = f"/events/{EVENT}/team/none/checkout"
            assert await lead.refused("POST", none, {}) == (404, "NOT_FOUND")
            member = api.as_(first.members[1].principal)
            assert await member.refused("POST", f"{mine}/checkout", {}) == (403, "FORBIDDEN")
            begun = await lead.done("POST", f"{mine}/checkout")
            assert await lead.done("POST", f"{mine}/checkout", {}) == begun
            assert begun.pop("order_id").startswith("order_")
            assert begun.pop("key_id").startswith("rzp_test_")
            assert begun.pop("payment_id")
            assert begun == {
                "team_id": first.team_id,
                "paid": False,
                "amount": 99900,
                "currency": "INR",
                "voucher": None,
                "expires_at": moment(NOW.replace(minute=NOW.minute + 20)),
            }
            assert await other.refused("POST", f"{theirs}/checkout", {}) == (409, "SOLD_OUT")
            place = await other.done("POST", f"{theirs}/waitlist")
            assert (place["payment_status"], place["ahead"]) == ("waitlisted", 0)
            assert (await api.get(seats))["waiting"] == 1
            waits = f"/events/{EVENT}/admin/waitlist"
            assert await lead.refused("GET", waits) == (403, "FORBIDDEN")
            (line,) = (await api.as_(ORGANIZER).get(waits))["items"]
            assert (line["position"], line["name"]) == (0, second.team.name)
            assert await other.done("DELETE", f"{theirs}/waitlist") is None
            assert await lead.refused("DELETE", f"{mine}/waitlist") == (409, "NOT_WAITING")

    run(check())


def told(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The events of a stream, as they come."""
    kind = ""
    for line in lines:
        name, _, text = line.partition(": ")
        if name == "event":
            kind = text
        elif name == "data":
            yield kind, orjson.loads(text)


def test_seats_are_followed_whoever_takes_them(tablewright_engine: Engine) -> None:
    """This process, and another one: both are told; nobody looks when nobody follows."""
    clock = ManualClock(NOW.timestamp())

    async def prepare(runtime: Runtime) -> None:
        await event_made(Festival(runtime), max_teams=5)

    with in_process(tablewright_engine) as backend:

        async def take() -> None:
            async with festival_on(backend, clock, sandbox=True) as festival:
                (team,) = await ready(festival, 1)
                await checkout(festival, team)

        with (
            running(system, backend, clock=clock, opened=prepare, workers=False) as service,
            httpx2.Client(base_url=service.url, timeout=20) as http,
        ):
            path = f"{API}/events/{EVENT}/seats/stream"
            with http.stream("GET", path) as one, http.stream("GET", path) as two:
                first, second = told(one.iter_lines()), told(two.iter_lines())
                for each in (first, second):
                    kind, seats = next(each)
                    assert (kind, seats["free"], seats["phase"]) == ("snapshot", 5, "open")
                asyncio.run(take())
                for each in (first, second):
                    kind, seats = next(each)
                    assert (kind, seats["free"]) == ("seats", 4)
