"""A small repository, somebody with a purse, and agents that ask the stand-in."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any, TypeVar

from pydantic import SecretStr

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge.entities import ALL_AGENTS, AgentModel
from tablewright.systems.vibejudge.llm.agents import Attempt, Judged, ModelAgents
from tablewright.systems.vibejudge.llm.asking import Pauses
from tablewright.systems.vibejudge.llm.bedrock import Bedrock
from tablewright.systems.vibejudge.llm.calls import ModelCaller
from tablewright.systems.vibejudge.llm.context import Material, material_of
from tablewright.systems.vibejudge.llm.failures import BudgetRefused
from tablewright.systems.vibejudge.llm.openai import OpenAiCompatible
from tablewright.systems.vibejudge.llm.ports import CallCost, CallId
from tablewright.systems.vibejudge.repos.languages import language_of
from tablewright.systems.vibejudge.repos.snapshot import (
    Change,
    Commit,
    Diff,
    Snapshot,
    SourceFile,
)
from tablewright.systems.vibejudge.rules.rates import bundled_rates
from tablewright.systems.vibejudge.rules.scoring import Scores
from tablewright.systems.vibejudge.stand_in import StandIn, serving
from tablewright.systems.vibejudge.table import Agent

T = TypeVar("T")
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
RUN = Attempt("01HX0000000000000000000RNA", 1)
#: A model of OpenAI's list for every agent.
OPENAI_MODELS = {agent: AgentModel(label="quick", model_id="gpt-4.1-mini") for agent in ALL_AGENTS}

APP = '''\
"""Lends bicycles."""

import os
from bikes.store import Store


def lend(store: Store, number: int) -> bool:
    # TODO: what if it is broken?
    try:
        return store.take(number)
    except:
        return False


def run(expression: str) -> object:
    return eval(expression)
'''
STORE = """\
class Store:
    def __init__(self) -> None:
        self.free = {1, 2, 3}

    def take(self, number: int) -> bool:
        if number not in self.free:
            return False
        self.free.remove(number)
        return True
"""
TEST = """\
from bikes.store import Store


def test_a_bicycle_is_lent_once() -> None:
    store = Store()
    assert store.take(1)
    assert not store.take(1)
"""
README = "# Bikes\n\nLend a bicycle to a neighbour.\n\n## Run\n\n    python -m bikes.app\n"
FILES = {
    "README.md": README,
    "bikes/app.py": APP,
    "bikes/store.py": STORE,
    "pyproject.toml": '[project]\nname = "bikes"\nversion = "1"\n',
    "tests/test_store.py": TEST,
}


def file_of(path: str, text: str | None) -> SourceFile:
    size = len((text or "").encode())
    lines = (text or "").count("\n")
    return SourceFile(path, size, text, language_of(path), lines)


def commit_of(number: int, message: str) -> Commit:
    changes = (Change("bikes/app.py", 10 + number, number),)
    return Commit(f"{number:040x}", "author-1", NOW + timedelta(hours=number), message, changes)


def snapshot_of(
    files: Mapping[str, str | None] | None = None,
    messages: tuple[str, ...] = ("Lend", "Give back", "Test", "Explain", "Tidy up", "Run"),
) -> Snapshot:
    given = FILES if files is None else files
    commits = tuple(commit_of(at, each) for at, each in enumerate(messages, start=1))
    return Snapshot(
        sha="c" * 40,
        files=tuple(file_of(path, given[path]) for path in sorted(given)),
        commits=commits,
        commit_count=len(commits),
        diffs=tuple(Diff(each.sha, "+def lend():\n-pass") for each in commits),
    )


def material(files: Mapping[str, str | None] | None = None, **more: Any) -> Material:
    return material_of(snapshot_of(files, **more), ALL_AGENTS)


# --- money ---------------------------------------------------------------------------------------


@dataclass
class Purse:
    """Keeps books of what agents do, and checks their order."""

    left: Decimal = Decimal(5)
    #: ("reserve" | "started" | "settle", attempt-call)
    steps: list[tuple[str, str]] = field(default_factory=list)
    reserved: list[Decimal] = field(default_factory=list)
    settled: list[CallCost] = field(default_factory=list)

    async def reserve(self, most: CallCost) -> _Set:
        id, amount = most.id, most.total_usd
        if amount > self.left:
            raise BudgetRefused(f"{amount} of {self.left}")
        self.left -= amount
        self.reserved.append(amount)
        self.steps.append(("reserve", _name(id)))
        return _Set(self, id, amount)

    @property
    def spent(self) -> Decimal:
        return sum((each.total_usd for each in self.settled), Decimal(0))


@dataclass
class _Set:
    purse: Purse
    id: CallId
    amount: Decimal

    async def started(self) -> None:
        self.purse.steps.append(("started", _name(self.id)))

    async def settle(self, cost: CallCost) -> None:
        assert cost.id == self.id
        self.purse.steps.append(("settle", _name(self.id)))
        self.purse.settled.append(cost)
        self.purse.left += self.amount - cost.total_usd


def _name(id: CallId) -> str:
    return f"{id.attempt}-{id.call}"


# --- agents --------------------------------------------------------------------------------------


@dataclass
class Waits:
    """Does not wait, and knows for how long it did not."""

    waited: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


@dataclass
class Desk:
    """Agents beside the stand-in that they ask."""

    stand_in: StandIn
    agents: ModelAgents
    url: str
    waits: Waits
    clock: ManualClock
    purse: Purse = field(default_factory=Purse)

    def judge(
        self,
        agent: Agent = "bug_hunter",
        shown: Material | None = None,
        static_scores: Scores | None = None,
        attempt: Attempt = RUN,
    ) -> Judged:
        """What the agent says."""
        return self.run(
            self.agents.judge(agent, shown or material(), static_scores or {}, attempt, self.purse)
        )

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """In an event loop of its own, which no connection outlives."""

        async def closed_after() -> T:
            try:
                return await work
            finally:
                if isinstance(self.agents.caller, OpenAiCompatible):
                    await self.agents.caller.close()

        return asyncio.run(closed_after())


@contextmanager
def desk(provider: str, monkeypatch: Any, *, timeout: float = 10.0, **more: Any) -> Iterator[Desk]:
    """Agents of a provider; the credentials are nobody's."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    stand_in, waits, clock = StandIn(), Waits(), ManualClock(NOW.timestamp())
    with serving(stand_in) as url:
        if provider == "bedrock":
            caller: ModelCaller = Bedrock("us-east-1", endpoint_url=url, timeout=timeout)
        else:
            caller = OpenAiCompatible(f"{url}/v1", SecretStr(stand_in.key), timeout=timeout)
            more.setdefault("models", OPENAI_MODELS)
        agents = ModelAgents(
            provider,  # type: ignore[arg-type]
            caller,
            bundled_rates(),
            clock=clock,
            pauses=Pauses(waits.sleep, Random(1)),
            **more,
        )
        yield Desk(stand_in, agents, url, waits, clock)
        asyncio.run(caller.close())
