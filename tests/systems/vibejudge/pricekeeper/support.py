"""A real pricekeeper behind a port, which can be away, and agents that heed it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
from tests.service.support import Running, running
from tests.systems.vibejudge.budgets.support import MODELS, Case
from tests.systems.vibejudge.llm.support import material
from tests.systems.vibejudge.support import courtroom_on

from tablewright.clock import ManualClock
from tablewright.model import new_ulid
from tablewright.service.auth import Principal
from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.dispatch import Dispatcher
from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import Sink
from tablewright.service.kit.patterns import messages_in
from tablewright.service.runtime import Runtime
from tablewright.service.workers import run_once
from tablewright.systems.pricekeeper.system import system
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.agents import Attempt, Judged
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.stand_in import StandIn
from tablewright.systems.vibejudge.table import Agent
from tablewright.testing.backends import Backend

API = "/pricekeeper/api/v1"
#: By label: a model of the stand-in, and its prices in micro-USD for a million tokens.
LABELS = {"quick": ("gpt-4.1-mini", 400_000, 1_600_000), "cheap": ("gpt-4.1-nano", 7, 11)}


@dataclass
class Keeper:
    """Where pricekeeper is, whether or not it is there at this moment."""

    backend: Backend
    clock: ManualClock
    data: Path
    port: int = 0
    org_id: str = field(default_factory=lambda: str(uuid4()))
    secret: str = ""
    admin: str = ""

    @contextmanager
    def up(self) -> Iterator[Running]:
        async def opened(runtime: Runtime) -> None:
            if not self.admin:
                tester = Principal("tests", "Tests", "system")
                _, self.admin = await runtime.auth.api_keys.create(
                    tester, name="tests", roles=["admin"]
                )

        with running(
            system, self.backend, clock=self.clock, opened=opened, port=self.port, data=self.data
        ) as service:
            self.port = urlsplit(service.url).port or 0
            yield service

    def options(self, stand_in: StandIn, models: str) -> dict[str, object]:
        """What vibejudge is told of it, and of the models."""
        return {
            "openai_url": f"{models}/v1",
            "openai_key": stand_in.key,
            "pricekeeper_url": f"http://127.0.0.1:{self.port}/pricekeeper",
            "pricekeeper_org": self.org_id,
            "pricekeeper_client_secret": self.secret,
        }

    def call(self, service: Running, method: str, path: str, body: Any = None) -> Any:
        """As an administrator."""
        with service.client(headers={"Authorization": f"Bearer {self.admin}"}) as http:
            answer: httpx2.Response = http.request(method, f"{API}{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def spent(self, service: Running, agent: Agent, day: str) -> dict[str, Any]:
        """What it has counted for an agent on a day."""
        found = self.call(service, "GET", f"/orgs/{self.org_id}/apps/{agent}/aggregates/{day}")
        totals: dict[str, Any] = found["totals"]
        return totals

    def provision(self, service: Running, **org: Any) -> None:
        """Labels, prices, the organisation, and an app for each agent."""
        for label, (model_id, asked, answered) in LABELS.items():
            self.call(service, "PUT", f"/labels/{label}", {"bedrock_model_id": model_id})
            price = {
                "effective_from": "2026-01-01T00:00:00Z",
                "input_price_usd_micros_per_1m": asked,
                "output_price_usd_micros_per_1m": answered,
            }
            self.call(service, "PUT", f"/prices/{model_id}", price)
        settings = {
            "org_name": "Judges",
            "timezone": "UTC",
            "model_ordering": list(LABELS),
            "quotas": dict.fromkeys(LABELS, 10_000_000),
            "late_window_hours": 720,
            **org,
        }
        made = self.call(service, "PUT", f"/orgs/{self.org_id}", settings)
        for agent in ALL_AGENTS:
            self.call(service, "PUT", f"/orgs/{self.org_id}/apps/{agent}", {"app_name": agent})
        token = {"token": made["retrieval_token"]}
        secret = self.call(service, "POST", "/credentials/secret", token)
        self.secret = secret["client_secret"]


@asynccontextmanager
async def linked(
    keeper: Keeper, stand_in: StandIn, models: str, **more: object
) -> AsyncIterator[Courtroom]:
    """A courtroom that knows of it."""
    options = {**keeper.options(stand_in, models), **more}
    async with courtroom_on(keeper.backend, keeper.clock, opened=True, **options) as courtroom:
        yield courtroom


async def judged(
    courtroom: Courtroom, made: Case, agent: Agent = "bug_hunter", run_id: str = ""
) -> Judged:
    """What an agent says, at the cost of the hackathon."""
    run_id = run_id or new_ulid()
    purse = made.purse(courtroom, run_id)
    agents = courtroom.models.agents(made.hackathon)
    return await agents.judge(agent, material(), {}, Attempt(run_id, 1), purse)


class Elsewhere:
    """Where other messages go."""

    name = "elsewhere"

    def __init__(self) -> None:
        self.got: list[Message] = []

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        self.got.append(message)

    async def close(self) -> None:
        return


async def dispatched(courtroom: Courtroom, *others: Sink) -> None:
    """Send what is due, as the process would."""
    runtime = courtroom.runtime
    sender = Dispatcher(
        runtime.db, runtime.clock, "vibejudge", others, own=[courtroom.pricekeeper.sink]
    )
    await run_once(sender.worker())


async def waiting(courtroom: Courtroom, place: str | None = None) -> list[OutboxEntry]:
    """Messages that wait; or those in another place."""
    places = [place] if place else [f"PENDING#{slot:02d}" for slot in range(OUTBOX_SLOTS)]
    found = []
    for each in places:
        found += [entry async for entry in courtroom.db.iterate(messages_in(each))]
    return found


__all__ = ["MODELS", "Elsewhere", "Keeper", "dispatched", "judged", "linked", "waiting"]
