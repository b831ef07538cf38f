"""What an agent needs of others: somebody with the money, somebody who knows models.

The order around a call is what makes it safe to die at any point::

    reserve     the money is set aside, or the call is refused
    started     from here on it is charged, whatever becomes of us
    (the call)
    settle      what it has cost instead of what was set aside

Dead before ``started``: what was set aside is given back. Dead after it: it is charged as
estimated. Both are up to whoever sweeps up reservations.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from tablewright.systems.vibejudge.entities import AgentModel
from tablewright.systems.vibejudge.rules.estimates import Estimate
from tablewright.systems.vibejudge.rules.rates import (
    NOTHING,
    Cost,
    Rate,
    ServiceTier,
    TokenUsage,
    cost_of,
)
from tablewright.systems.vibejudge.table import Agent

#: The names of calls, for those who are told of them more than once.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:tablewright:vibejudge:call")


@dataclass(frozen=True, slots=True)
class CallId:
    """One call: of an agent, in an attempt of a run."""

    run_id: str
    agent: Agent
    attempt: int
    call: int

    @property
    def request_id(self) -> uuid.UUID:
        """The same whenever this call is told of."""
        name = f"{self.run_id}|{self.agent}|{self.attempt}-{self.call}"
        return uuid.uuid5(NAMESPACE, name)

    def next(self) -> CallId:
        return replace(self, call=self.call + 1)


@dataclass(frozen=True, slots=True)
class CallCost:
    """What a call has cost: all that a record of it says."""

    id: CallId
    model_id: str
    label: str
    service_tier: ServiceTier
    usage: TokenUsage
    cost: Cost
    latency_ms: int
    #: When it went out.
    at: datetime
    #: The call was made, but what it cost was never told.
    estimated: bool = False

    @property
    def total_usd(self) -> Decimal:
        return self.cost.total

    def values(self) -> dict[str, object]:
        """The attributes of a ``CostRecord``, but for whose it is and when it is written."""
        return {
            "run_id": self.id.run_id,
            "agent_name": self.id.agent,
            "attempt": self.id.attempt,
            "call": self.id.call,
            "model_id": self.model_id,
            "service_tier": self.service_tier,
            "input_tokens": self.usage.input,
            "output_tokens": self.usage.output,
            "cache_read_tokens": self.usage.cache_read,
            "cache_write_tokens": self.usage.cache_write,
            "total_tokens": self.usage.total,
            "input_cost_usd": self.cost.input,
            "output_cost_usd": self.cost.output,
            "cache_cost_usd": self.cost.cache,
            "total_cost_usd": self.cost.total,
            "latency_ms": self.latency_ms,
            "estimated": self.estimated,
        }


@dataclass(frozen=True, slots=True)
class Priced:
    """A model and its price: what turns the tokens of a call into what it has cost."""

    model: AgentModel
    rate: Rate

    def told(self, id: CallId, usage: TokenUsage, latency_ms: int, at: datetime) -> CallCost:
        return self._record(id, usage, cost_of(usage, self.rate), latency_ms, at)

    def unknown(self, id: CallId, most: Estimate, latency_ms: int, at: datetime) -> CallCost:
        """Nobody told: what was set aside is what it costs."""
        found = self._record(id, most.usage, most.cost, latency_ms, at)
        return replace(found, estimated=True)

    def nothing(self, id: CallId, latency_ms: int, at: datetime) -> CallCost:
        return self._record(id, TokenUsage(), NOTHING, latency_ms, at)

    def _record(
        self, id: CallId, usage: TokenUsage, cost: Cost, latency_ms: int, at: datetime
    ) -> CallCost:
        tier = self.rate.service_tier
        model_id, label = self.model.model_id, self.model.label
        return CallCost(id, model_id, label, tier, usage, cost, latency_ms, at)


class Reserved(Protocol):
    """Money set aside for one call."""

    async def started(self) -> None:
        """The call goes out now."""
        ...

    async def settle(self, cost: CallCost) -> None:
        """This is what it has cost; nothing at all if it was refused."""
        ...


class Budget(Protocol):
    async def reserve(self, most: CallCost) -> Reserved:
        """Set aside what a call may cost at the most; ``BudgetRefused`` if it is not there.

        It is what the call is charged with if nobody settles it.
        """
        ...


class ModelAdvisor(Protocol):
    async def advise(self, agent: Agent) -> AgentModel | None:
        """The model that an agent should ask now; None leaves it to the settings.

        ``BudgetRefused`` if it should ask none, since no quota is left.
        """
        ...

    def rate(self, model_id: str, tier: ServiceTier) -> Rate | None:
        """What it knows a model to cost; None leaves it to the file of rates."""
        ...


class NoAdvice:
    """Nobody to ask: the settings say it."""

    async def advise(self, agent: Agent) -> AgentModel | None:
        return None

    def rate(self, model_id: str, tier: ServiceTier) -> Rate | None:
        return None
