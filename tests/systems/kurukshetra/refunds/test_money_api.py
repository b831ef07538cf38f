"""The routes about money, as browsers, the gateway and finance use them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx2
import orjson
from tests.systems.kurukshetra.checkout.support import checkout
from tests.systems.kurukshetra.support import (
    API,
    AUDITOR,
    EVENT,
    FINANCE,
    ORGANIZER,
    QUICK,
    Api,
    Made,
    api_on,
    code_of,
    event_made,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.systems.kurukshetra.gateway import webhook_signature
from tablewright.systems.kurukshetra.sandbox import Running, sandbox
from tablewright.testing.backends import Backend
from tablewright.testing.faults import injected

FEE = 99900
AT = f"/events/{EVENT}"


@dataclass(frozen=True)
class Shop:
    api: Api
    gateway: Running

    async def ordered(self) -> tuple[Made, str]:
        made = await team_made(self.api.festival)
        order = (await checkout(self.api.festival, made.team)).order_id
        assert order is not None
        return made, order

    def told(self, kind: str) -> tuple[bytes, str]:
        """Body and signature of the latest event of a kind."""
        row = self.gateway.bank.store.row(
            "SELECT body, signature FROM events WHERE type = ? ORDER BY number DESC", kind
        )
        assert row is not None
        return bytes(row["body"]), str(row["signature"])

    def paid_back(self) -> list[int]:
        """The amounts that the gateway returned."""
        rows = self.gateway.bank.store.rows(
            "SELECT amount FROM journal WHERE kind = 'refunded' ORDER BY number"
        )
        return [int(row["amount"]) for row in rows]

    async def hook(self, body: bytes, signature: str) -> httpx2.Response:
        headers = {"X-Razorpay-Signature": signature, "Content-Type": "application/json"}
        return await self.api.http.post(f"{API}/payment/webhook", content=body, headers=headers)


@asynccontextmanager
async def shop(backend: Backend, clock: ManualClock) -> AsyncIterator[Shop]:
    with sandbox(clock=clock, deliver=False) as gateway:
        async with api_on(backend, clock, sandbox_url=gateway.url) as api:
            await event_made(api.festival)
            yield Shop(api, gateway)


def test_a_browser_the_gateway_and_finance(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with shop(tablewright_backend, clock) as at:
            made, order = await at.ordered()
            brought = at.gateway.bank.succeed(order)
            member = at.api.as_(made.members[1].principal)
            paid = await member.done("POST", f"{AT}/payment/verify", brought)
            assert (paid["status"], paid["amount"], paid["team_id"]) == ("paid", FEE, made.team_id)
            body, signature = at.told("payment.captured")
            answer = await at.hook(body, signature)
            assert (answer.status_code, answer.json()) == (200, {"result": "done"})
            finance = at.api.as_(FINANCE)
            path, sent = f"{AT}/admin/refund/{made.team_id}", {"amount": 500, "reason": "no room"}
            refund = await finance.done("POST", path, sent, Idempotency_Key="one")
            again = await finance.done("POST", path, sent, Idempotency_Key="one")
            assert refund == again
            assert refund["status"] == "processed"
            page = await at.api.as_(AUDITOR).get(f"{AT}/admin/payments/{paid['payment_id']}")
            assert (page["status"], page["refundable"]) == ("partially_refunded", FEE - 500)
            assert [each["amount"] for each in page["refunds"]] == [500]
            assert [each["what"] for each in page["timeline"]] == [
                "checkout",
                "captured",
                "paid",
                "refund_requested",
                "refund_processed",
            ]
            assert page["team_name"] == made.team.name

    run(scenario())


def test_a_part_is_paid_back_with_a_key_only(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Without one nobody could tell a request that is repeated from a second refund."""

    async def scenario() -> None:
        async with shop(tablewright_backend, clock) as at:
            made, order = await at.ordered()
            member = at.api.as_(made.leader.principal)
            await member.done("POST", f"{AT}/payment/verify", at.gateway.bank.succeed(order))
            finance, path = at.api.as_(FINANCE), f"{AT}/admin/refund/{made.team_id}"
            part = {"amount": 500, "reason": "no room"}
            for _ in range(2):
                refused = await finance.refused("POST", path, part)
                assert refused == (400, "IDEMPOTENCY_KEY_REQUIRED")
            assert at.paid_back() == []
            await finance.done("POST", path, part, Idempotency_Key="one")
            # All that is left can go back once, so that needs none.
            await finance.done("POST", path, {"reason": "no room"})
            refused = await finance.refused("POST", path, {"reason": "no room"})
            assert refused == (422, "REFUND_EXCEEDS")
            assert at.paid_back() == [500, FEE - 500]

    run(scenario())


def test_what_routes_refuse(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with shop(tablewright_backend, clock) as at:
            made, order = await at.ordered()
            finance, organizer = at.api.as_(FINANCE), at.api.as_(ORGANIZER)
            member = at.api.as_(made.leader.principal)
            refund = f"{AT}/admin/refund/{made.team_id}"
            assert await organizer.refused("POST", refund, {"reason": "x"}) == (403, "FORBIDDEN")
            assert await member.refused("POST", refund, {"reason": "x"}) == (403, "FORBIDDEN")
            assert await at.api.refused("POST", refund, {"reason": "x"}) == (401, "UNAUTHENTICATED")
            part = {"reason": "x", "amount": 1}
            refused = await finance.refused("POST", refund, part, Idempotency_Key="part")
            assert refused == (422, "REFUND_EXCEEDS")
            # Whether it could be repeated does not matter, then.
            assert await finance.refused("POST", refund, part) == (422, "REFUND_EXCEEDS")
            refused = await organizer.refused("POST", refund, part)
            assert refused == (403, "FORBIDDEN")
            refused = await finance.refused("POST", refund, {"reason": "x", "more": 1})
            assert refused == (422, "INVALID")
            refused = await finance.refused("GET", f"{AT}/admin/payments/nothing")
            assert refused == (404, "NOT_FOUND")
            forged = {
                "razorpay_order_id": order,
                "razorpay_payment_id": "pay_1",
                "razorpay_signature": "0" * 64,
            }
            refused = await member.refused("POST", f"{AT}/payment/verify", forged)
            assert refused == (400, "BAD_SIGNATURE")
            assert code_of(await at.hook(b"{}", "0" * 64)) == (400, "BAD_SIGNATURE")
            signed = webhook_signature(b"[]", "sandbox-webhook")
            assert code_of(await at.hook(b"[]", signed)) == (400, "MALFORMED")
            assert code_of(await at.hook(b"x" * 300_000, "0")) == (413, "TOO_LARGE")
            other = orjson.dumps({"event": "invoice.paid", "payload": {}, "created_at": 1})
            answer = await at.hook(other, webhook_signature(other, "sandbox-webhook"))
            assert answer.json() == {"result": "ignored"}

    run(scenario())


def test_a_delivery_that_cannot_be_written_comes_again(
    engine_backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def scenario() -> None:
        async with shop(engine_backend, clock) as at:
            made, order = await at.ordered()
            at.gateway.bank.succeed(order)
            body, signature = at.told("payment.captured")
            away = Fault("TransactWriteItems", error="InternalServerError", times=50)
            db = at.api.runtime.db
            db.context = replace(db.context, retries=QUICK)
            with injected(tablewright_engine, away):
                assert code_of(await at.hook(body, signature)) == (500, "NOT_APPLIED")
            answer = await at.hook(body, signature)
            assert answer.json() == {"result": "paid"}
            assert made.team_id

    run(scenario())


def test_reconciliation_is_a_job(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with shop(tablewright_backend, clock) as at:
            _, order = await at.ordered()
            at.gateway.bank.succeed(order)
            finance = at.api.as_(FINANCE)
            answer = await finance("POST", f"{AT}/admin/reconcile", {"day": "2026-11-15"})
            assert answer.status_code == 202, answer.text
            assert await at.api.festival.jobs.work_all() == 1
            where = answer.headers["Location"].partition("/api/v1")[2]
            job = await finance.get(where)
            assert (job["state"], job["result"]["findings"]) == ("done", 1)
            found = await at.api.as_(AUDITOR).get(f"{AT}/admin/recon?since=2026-11-15")
            assert [each["kind"] for each in found["items"]] == ["missing_capture"]
            empty = await finance.get(f"{AT}/admin/recon?until=2026-11-14")
            assert empty == {"items": [], "next_cursor": None}
            # Of yesterday, if nobody says of which day.
            yesterday = await finance("POST", f"{AT}/admin/reconcile")
            assert (yesterday.status_code, yesterday.json()["kind"]) == (202, job["kind"])

    run(scenario())
