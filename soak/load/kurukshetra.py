"""People who register, found teams, pay, and come; staff that pays back.

An event has fewer seats than teams that want one, so that the last ones are fought for. When an
event is over-subscribed enough, the next one opens.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import httpx2 as httpx

from soak.load.driver import Driver, Interrupted

SEATS, WANTED, FEE = 8, 14, 99900
_PATIENCE_SECS = 180.0


@dataclass
class Event:
    event_id: str
    wanted: int = 0
    #: Teams that somebody of us knows to be paid: team and leader.
    paid: list[tuple[str, str]] = field(default_factory=list)


class Kurukshetra(Driver):
    system = "kurukshetra"
    clients = 3
    #: Where payers go; set by who starts the sandbox.
    gateway = ""

    async def prepare(self) -> None:
        self.numbers = count()
        self.events = [await self._event()]

    async def _event(self) -> Event:
        event_id = f"soak-{next(self.numbers)}"
        body = {
            "event_id": event_id,
            "event_name": "Soak",
            "registration_open": True,
            "registration_start": self.after(days=-30),
            "registration_end": self.after(days=30),
            "event_start": self.after(days=40),
            "event_end": self.after(days=42),
            "team_fee": FEE,
            "max_teams": SEATS,
            "min_team_size": 1,
        }
        reply = await self.surely("POST", "/events", body, token=self.admin())
        self.audited(reply, "event.create", f"event/{event_id}")
        if not reply.ok and reply.code != "EVENT_EXISTS":
            raise Interrupted("no event")
        return Event(event_id)

    async def step(self) -> None:
        event = self.events[-1]
        if event.wanted >= WANTED:
            event = await self._event()
            self.events.append(event)
        kinds = {self._take_part: 55, self._look: 15, self._pay_back: 12, self._come: 10}
        kinds[self._seats] = 8
        (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
        await kind(self.chance.choice(self.events) if kind != self._take_part else event)

    # --- taking part -----------------------------------------------------------------------------

    async def _take_part(self, event: Event) -> None:
        event.wanted += 1
        base, name = f"/events/{event.event_id}", f"p{next(self.numbers)}"
        token = self.person(name)
        team_id = await self._founded(base, name, token)
        await self._joined(base, f"{name}b", team_id, token)
        reply = await self.surely("POST", f"{base}/team/{team_id}/checkout", {}, token=token)
        if reply.code == "SOLD_OUT":
            reply = await self.ask("POST", f"{base}/team/{team_id}/waitlist", token=token)
            return
        if not reply.ok:
            raise Interrupted("no seat")
        self.note("seat", team_id, reply.outcome, event=event.event_id)
        if self.chance.random() < 0.85:
            await self._paid(event, base, team_id, token, reply.body)

    async def _founded(self, base: str, name: str, token: str) -> str:
        person = {"first_name": name.capitalize(), "college": "Example University"}
        wanted = {"person": person, "team": {"name": f"Team {name}", "track": "ai-ml"}}
        reply = await self.surely("POST", f"{base}/register/team", wanted, token=token)
        event = base.rpartition("/")[2]
        self.note("registration", f"{name}@people.example", reply.outcome, event=event)
        if not reply.ok:
            raise Interrupted("no team")
        team_id = str(reply.body["team_id"])
        self.note("team", team_id, reply.outcome, event=event)
        return team_id

    async def _joined(self, base: str, name: str, team_id: str, leader: str) -> None:
        if self.chance.random() < 0.5:
            return
        token = self.person(name)
        code = (await self.done("GET", f"{base}/team/{team_id}", token=leader))["invite_code"]
        body = {"first_name": name.capitalize()}
        reply = await self.surely("POST", f"{base}/register", body, token=token)
        event = base.rpartition("/")[2]
        self.note("registration", f"{name}@people.example", reply.outcome, event=event)
        await self.ask("POST", f"{base}/team/join", {"code": code}, token=token)

    async def _paid(
        self, event: Event, base: str, team_id: str, token: str, order: dict[str, Any]
    ) -> None:
        """At the gateway; then the browser tells, or the gateway alone does."""
        proof = await self._at_gateway(order["order_id"])
        self.note("capture", order["order_id"], "acknowledged", event=event.event_id, team=team_id)
        if self.chance.random() < 0.6:
            names = ("razorpay_order_id", "razorpay_payment_id", "razorpay_signature")
            body = {name: proof[name] for name in names}
            reply = await self.ask("POST", f"{base}/payment/verify", body, token=token)
            if reply.ok and reply.body["status"] == "paid":
                event.paid.append((team_id, token))

    async def _at_gateway(self, order_id: str) -> dict[str, Any]:
        try:
            url = f"{self.gateway}/checkout/{order_id}/succeed"
            found = await self.http.post(url, json={"method": "upi"})
        except httpx.HTTPError as error:
            raise Interrupted("the gateway is away") from error
        if found.is_error:
            raise Interrupted(f"not paid: {found.text}")
        proof: dict[str, Any] = found.json()
        return proof

    # --- looking, paying back, coming ------------------------------------------------------------

    async def _look(self, event: Event) -> None:
        await self.ask("GET", f"/events/{event.event_id}/config", token="")

    async def _seats(self, event: Event) -> None:
        reply = await self.ask("GET", f"/events/{event.event_id}/seats", token="")
        if reply.ok and not 0 <= reply.body["free"] <= reply.body["capacity"]:
            self.journal.complain(self.system, f"seats of {event.event_id}: {reply.body}")

    async def _pay_back(self, event: Event) -> None:
        if not event.paid:
            return
        team_id, _ = event.paid.pop(self.chance.randrange(len(event.paid)))
        body = {"reason": "They cannot come.", "release": self.chance.random() < 0.7}
        path, key = f"/events/{event.event_id}/admin/refund/{team_id}", f"soak-{team_id}"
        admin = self.admin()
        reply = await self.surely("POST", path, body, token=admin, Idempotency_Key=key)
        self.note("refund", team_id, reply.outcome, event=event.event_id)

    async def _come(self, event: Event) -> None:
        if not event.paid:
            return
        _, token = self.chance.choice(event.paid)
        base = f"/events/{event.event_id}"
        ticket = await self.done("GET", f"{base}/ticket", token=token)
        scan = {
            "ticket": ticket["ticket"],
            "list_id": "entry",
            "nonce": f"door-{next(self.numbers):08d}",
        }
        reply = await self.ask("POST", f"{base}/checkin/scan", scan, token=self.admin())
        if reply.ok:
            self.note("checkin", ticket["ticket"], reply.outcome, event=event.event_id)

    async def settle(self) -> None:
        """As every night: our books beside the gateway's, for what nobody ever told of."""
        day = datetime.fromtimestamp(self.now(), ZoneInfo("Asia/Kolkata")).date()
        jobs = [await self._reconcile(event, str(day)) for event in self.events]
        for path in jobs:
            # Each may wait for those before it.
            ends = time.monotonic() + _PATIENCE_SECS
            while time.monotonic() < ends:
                reply = await self.ask("GET", path, token=self.admin())
                if reply.ok and reply.body["state"] not in ("queued", "running"):
                    break
                await asyncio.sleep(0.3)
            else:
                self.journal.complain(self.system, f"{path} does not end")

    async def _reconcile(self, event: Event, day: str) -> str:
        base = f"/events/{event.event_id}"
        body = {"day": day}
        reply = await self.surely("POST", f"{base}/admin/reconcile", body, token=self.admin())
        if not reply.ok:
            self.journal.complain(self.system, f"no reconciliation: {reply.status} {reply.body}")
            return f"{base}/config"
        return f"{base}/jobs/{reply.body['job_id']}"
