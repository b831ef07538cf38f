"""From a registration to the door, over HTTP, with money from the sandbox."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from tests.service.support import Running, running
from tests.systems.kurukshetra.support import (
    API,
    EVENT,
    ORGANIZER,
    VOLUNTEER,
    event_body,
    person,
    registration_body,
    token_of,
)

from tablewright.clock import ManualClock
from tablewright.service.auth import Principal
from tablewright.systems.kurukshetra.sandbox import SandboxSettings, sandbox
from tablewright.systems.kurukshetra.sandbox.courier import HttpPost
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend

ASHA, MEERA, KABIR = person("asha"), person("meera"), person("kabir")
HOOK = "http://127.0.0.1:9"


@dataclass
class Forwarded:
    """Deliveries to a service whose address is known only after the sandbox's."""

    post: HttpPost = field(default_factory=HttpPost)
    url: str = HOOK

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
        return self.post(url.replace(HOOK, self.url), body, headers)


@dataclass
class World:
    service: Running
    http: httpx2.Client
    #: The sandbox's.
    gateway: str

    def done(self, who: Principal, method: str, path: str, body: object = None) -> Any:
        token = token_of(self.service.runtime, who)
        sent = {} if body is None else {"json": body}
        head = {"Authorization": f"Bearer {token}"}
        answer = self.http.request(method, f"{API}{path}", headers=head, **sent)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def pay(self, order_id: str) -> dict[str, Any]:
        """What a browser gets from the gateway's checkout."""
        answer = httpx2.post(f"{self.gateway}/checkout/{order_id}/succeed", json={"method": "upi"})
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def world(backend: Backend, clock: ManualClock, post: Forwarded) -> Iterator[tuple[World, Any]]:
    settings = SandboxSettings(webhook_url=f"{HOOK}{API}/payment/webhook")
    with (
        sandbox(settings, clock=clock, deliver=False, post=post) as bank,
        running(
            system,
            backend,
            clock=clock,
            environ={"TABLEWRIGHT_KURUKSHETRA_SANDBOX_URL": bank.url},
            workers=False,
        ) as service,
        service.client() as http,
    ):
        post.url = service.url
        yield World(service, http, bank.url), bank


def test_scenario_01_from_a_registration_to_the_door(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Register, invite, join, sandbox-pay, scan."""
    with world(engine_backend, clock, Forwarded()) as (here, bank):
        here.done(ORGANIZER, "POST", "/events", event_body())
        base = f"/events/{EVENT}"
        team = {"name": "Code Warriors", "track": "ai-ml", "invite": ["meera@people.test"]}
        wanted = {"person": registration_body("asha"), "team": team}
        t = here.done(ASHA, "POST", f"{base}/register/team", wanted)["team_id"]
        for who in (MEERA, KABIR):
            body = registration_body(who.name.lower())
            here.done(who, "POST", f"{base}/register", body)
        # One was invited by mail, the other one was told the code.
        here.done(MEERA, "POST", f"{base}/team/join", {"team_id": t})
        code = here.done(ASHA, "GET", f"{base}/team/{t}")["invite_code"]
        here.done(KABIR, "POST", f"{base}/team/join", {"code": code})
        begun = here.done(ASHA, "POST", f"{base}/team/{t}/checkout", {})
        assert (begun["amount"], begun["paid"]) == (99900, False)
        proof = here.pay(begun["order_id"])
        names = ("razorpay_order_id", "razorpay_payment_id", "razorpay_signature")
        verified = {name: proof[name] for name in names}
        assert here.done(ASHA, "POST", f"{base}/payment/verify", verified)["status"] == "paid"
        # What the gateway tells by itself changes nothing any more.
        assert bank.deliver() > 0
        page = here.done(MEERA, "GET", f"{base}/team/{t}")
        assert page["payment_status"] == "paid"
        assert len(page["members"]) == 3
        assert here.done(ASHA, "GET", f"{base}/seats")["free"] == 499
        for number, who in enumerate((ASHA, MEERA, KABIR)):
            ticket = here.done(who, "GET", f"{base}/ticket")["ticket"]
            scan = {"ticket": ticket, "list_id": "entry", "nonce": f"door-{number:04d}"}
            said = here.done(VOLUNTEER, "POST", f"{base}/checkin/scan", scan)
            shown = (said["result"], said["first_name"], said["team_name"])
            assert shown == ("ok", who.name, "Code Warriors")
