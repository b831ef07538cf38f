"""Programs that report what their calls have cost, and ask what they may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from soak.journal import Outcome, outcome_of
from soak.load.driver import Driver, Interrupted, Reply
from tablewright.systems.pricekeeper.client import new_request_id

LABELS = ("premium", "standard")
INPUT_MICROS, OUTPUT_MICROS = 3_000_000, 15_000_000
BATCH = 8


@dataclass
class Client:
    """An app of an organisation, and what it shows."""

    org_id: str
    client_id: str
    secret: str
    token: str = ""

    @property
    def path(self) -> str:
        return f"/orgs/{self.org_id}/apps/soak"


class Pricekeeper(Driver):
    system = "pricekeeper"
    clients = 3

    async def prepare(self) -> None:
        admin = self.admin()
        for label in LABELS:
            model = {"bedrock_model_id": f"soak.{label}", "tier": label, "family": "soak"}
            await self.done("PUT", f"/labels/{label}", model, token=admin)
            price = {
                "region_class": "region",
                "service_tier": "standard",
                "effective_from": "2026-01-01T00:00:00Z",
                "input_price_usd_micros_per_1m": INPUT_MICROS,
                "output_price_usd_micros_per_1m": OUTPUT_MICROS,
            }
            await self.done("PUT", f"/prices/soak.{label}", price, token=admin)
        self.apps = [await self._app(admin) for _ in range(3)]
        #: Records that were acknowledged, to be sent again.
        self.sent: list[tuple[Client, dict[str, Any]]] = []

    async def _app(self, admin: str) -> Client:
        org_id = str(uuid4())
        org = {
            "org_name": "Soak",
            "timezone": "Europe/Oslo",
            "model_ordering": list(LABELS),
            "quotas": dict.fromkeys(LABELS, 10**13),
            # From the first midnight that the clock passes.
            "reservations": "on",
        }
        await self.done("PUT", f"/orgs/{org_id}", org, token=admin)
        app = f"/orgs/{org_id}/apps/soak"
        made = await self.done("PUT", app, {"app_name": "Soak"}, token=admin)
        token = {"token": made["retrieval_token"]}
        found = await self.done("POST", "/credentials/secret", token, token=admin)
        return Client(org_id, found["client_id"], found["client_secret"])

    async def step(self) -> None:
        app = self.chance.choice(self.apps)
        if not app.token:
            await self._sign_in(app)
        kinds = {
            self._record: 40,
            self._batch: 15,
            self._resend: 12,
            self._select: 12,
            self._look: 10,
            self._reserve: 6,
            self._change: 5,
        }
        (kind,) = self.chance.choices(list(kinds), list(kinds.values()))
        await kind(app)

    async def _sign_in(self, app: Client) -> None:
        grant = {
            "grant_type": "client_credentials",
            "client_id": app.client_id,
            "client_secret": app.secret,
        }
        reply = await self.ask("POST", "/auth/token", grant, token="", root="")
        if not reply.ok:
            raise Interrupted("no token")
        app.token = reply.body["access_token"]

    async def _asked(self, app: Client, method: str, path: str, body: object = None) -> Reply:
        reply = await self.ask(method, app.path + path, body, token=app.token)
        if reply.status == 401:  # the clock has gone past its end
            app.token = ""
        return reply

    def _usage(self, **more: Any) -> dict[str, Any]:
        return {
            "request_id": new_request_id(self.now()),
            "label": self.chance.choice(LABELS),
            "timestamp": int(self.now()),
            "input_tokens": self.chance.randrange(100, 2000),
            "output_tokens": self.chance.randrange(10, 500),
            **more,
        }

    # --- recording -------------------------------------------------------------------------------

    async def _record(self, app: Client) -> None:
        await self._recorded(app, self._usage())

    async def _recorded(self, app: Client, usage: dict[str, Any]) -> None:
        """Most programs send it again until they know; some give up."""
        reply = await self._asked(app, "POST", "/costs", usage)
        if not reply.known and self.chance.random() < 0.7:
            reply = await self.surely("POST", f"{app.path}/costs", usage, token=app.token)
        self._noted(app, usage, reply.outcome)

    async def _batch(self, app: Client) -> None:
        usages = [self._usage() for _ in range(BATCH)]
        reply = await self._asked(app, "POST", "/costs/batch", {"records": usages})
        if not reply.ok:
            for usage in usages:
                self._noted(app, usage, reply.outcome)
            return
        for usage, result in zip(usages, reply.body["results"], strict=True):
            self._noted(app, usage, outcome_of(int(result["status"])))

    def _noted(self, app: Client, usage: dict[str, Any], outcome: Outcome) -> None:
        self.note(
            "record",
            usage["request_id"],
            outcome,
            org=app.org_id,
            picos=cost_picos(usage),
        )
        if outcome == "acknowledged":
            self.sent.append((app, usage))
            del self.sent[:-200]

    async def _resend(self, app: Client) -> None:
        """What was counted is not counted again."""
        if not self.sent:
            return
        owner, usage = self.chance.choice(self.sent)
        if not owner.token:
            await self._sign_in(owner)
        reply = await self._asked(owner, "POST", "/costs", usage)
        if reply.ok and reply.body["result"] != "duplicate":
            self.journal.complain(self.system, f"{usage['request_id']} was counted a second time")

    async def _reserve(self, app: Client) -> None:
        label = self.chance.choice(LABELS)
        wanted = {"label": label, "max_usd_micros": 50_000, "ttl_secs": 60}
        reply = await self._asked(app, "POST", "/reservations", wanted)
        if not reply.ok:
            return
        promise = reply.body["reservation_id"]
        if self.chance.random() < 0.5:
            await self._recorded(app, self._usage(label=label, reservation_id=promise))
        else:
            await self._asked(app, "DELETE", f"/reservations/{promise}")

    # --- looking and changing --------------------------------------------------------------------

    async def _select(self, app: Client) -> None:
        await self._asked(app, "GET", "/model-selection")

    async def _look(self, app: Client) -> None:
        await self._asked(app, "GET", "/aggregates/today")

    async def _change(self, app: Client) -> None:
        """An administrator gives an organisation another name."""
        admin, path = self.admin(), f"/orgs/{app.org_id}"
        found = await self.ask("GET", path, token=admin)
        if not found.ok:
            return
        members = ("timezone", "model_ordering", "quotas", "reservations")
        body = {name: found.body[name] for name in members if name in found.body}
        body["org_name"] = f"Soak {self.chance.randrange(1_000_000)}"
        reply = await self.ask("PUT", path, body, token=admin, If_Match=found.headers["etag"])
        self.audited(reply, "org.change", f"org/{app.org_id}")


def cost_picos(usage: dict[str, Any]) -> int:
    """What it costs by the prices above, in millionths of a millionth of a dollar."""
    micros = usage["input_tokens"] * INPUT_MICROS + usage["output_tokens"] * OUTPUT_MICROS
    return int(micros)
