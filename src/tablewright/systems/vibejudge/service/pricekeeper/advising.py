"""Which model an agent should ask: pricekeeper's selection, kept for a moment.

An agent is an app there. If it does not answer, agents ask the models of their hackathon, and for
a moment nobody asks again; if no quota is left, there is no money for a call.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from pydantic import ValidationError

from tablewright.clock import Clock
from tablewright.systems.vibejudge.entities import AgentModel
from tablewright.systems.vibejudge.llm.failures import BudgetRefused
from tablewright.systems.vibejudge.rules.rates import Rate, Rates, ServiceTier, UnknownModel
from tablewright.systems.vibejudge.service.pricekeeper.link import Answer, Away, Link
from tablewright.systems.vibejudge.table import Agent, Provider

log = logging.getLogger("tablewright.vibejudge")

#: An answer is good for so long at the most, and its absence.
MOST_SECS, AWAY_SECS = 30.0, 15.0
#: A price there is in micro-USD for a million tokens.
_PER_TOKEN = Decimal("0.000000000001")
_KINDS = ("input", "output", "cache_read", "cache_write")


@dataclass(frozen=True)
class Selection:
    """What it said, and until when that is good."""

    until: float
    model: AgentModel | None = None
    pricing: Mapping[str, Any] | None = None
    #: No label is open: no call may be made.
    exhausted: str | None = None


class Selections:
    """What pricekeeper says about each agent, asked for once for all who want to know."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._known: dict[Agent, Selection] = {}
        self._asking: defaultdict[Agent, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._prices: dict[str, Mapping[str, Any]] = {}

    async def of(self, agent: Agent) -> Selection:
        async with self._asking[agent]:
            known = self._known.get(agent)
            if known is None or not self._clock.now() < known.until <= self._clock.now() + 60:
                known = self._known[agent] = await self._asked(agent)
                if known.model is not None and known.pricing is not None:
                    self._prices[known.model.model_id] = known.pricing
            return known

    def price(self, model_id: str) -> Mapping[str, object] | None:
        """What it last said that a model costs."""
        return self._prices.get(model_id)

    async def _asked(self, agent: Agent) -> Selection:
        try:
            answer = await self._link.get(agent, "model-selection")
        except Away as away:
            log.warning("%s; agents ask the models of their hackathons", away)
            return Selection(self._clock.now() + AWAY_SECS)
        return self._read(agent, answer)

    def _read(self, agent: Agent, answer: Answer) -> Selection:
        now, body = self._clock.now(), answer.body
        if answer.status == 429 and answer.code == "QUOTA_EXCEEDED":
            wait = min(MOST_SECS, max(1.0, answer.retry_after or MOST_SECS))
            return Selection(now + wait, exhausted=answer.detail or "no quota is left")
        label, model_id = body.get("recommended_label"), body.get("bedrock_model_id")
        if answer.status != 200 or not label or not model_id:
            log.warning("pricekeeper selects no model for %s: %s", agent, answer.code)
            return Selection(now + AWAY_SECS)
        pricing = body.get("pricing")
        return Selection(
            until=now + _secs(body.get("client_guidance")),
            model=AgentModel(label=str(label), model_id=str(model_id)),
            pricing=pricing if isinstance(pricing, dict) else None,
        )


class Advisor:
    """The selections as agents of one provider take them."""

    def __init__(self, selections: Selections, provider: Provider, rates: Rates) -> None:
        self._selections = selections
        self._provider = provider
        self._others = {each.model_id for each in rates.known() if each.provider != provider}
        self._others -= {each.model_id for each in rates.known() if each.provider == provider}

    async def advise(self, agent: Agent) -> AgentModel | None:
        found = await self._selections.of(agent)
        if found.exhausted is not None:
            raise BudgetRefused(f"pricekeeper: {found.exhausted}")
        if found.model is not None and found.model.model_id in self._others:
            log.warning("%s is no model of %s", found.model.model_id, self._provider)
            return None
        return found.model

    def rate(self, model_id: str, tier: ServiceTier) -> Rate | None:
        told = self._selections.price(model_id)
        if told is None or told.get("service_tier") != tier or self._provider == "static":
            return None
        try:
            return _rate(told, model_id, self._provider, tier)
        except (KeyError, TypeError, ValueError, ValidationError, UnknownModel):
            log.warning("pricekeeper tells a price of %s that cannot be read", model_id)
            return None


def _rate(told: Mapping[str, Any], model_id: str, provider: str, tier: ServiceTier) -> Rate:
    prices = {kind: int(told[f"{kind}_price_usd_micros_per_1m"]) * _PER_TOKEN for kind in _KINDS}
    begins = datetime.fromisoformat(str(told["effective_from"]).replace("Z", "+00:00"))
    return Rate.model_validate(
        {
            "model_id": model_id,
            "provider": provider,
            "service_tier": tier,
            "effective_from": begins.date(),
            "source": f"pricekeeper {told.get('price_id', '')}"[:500],
            **prices,
        }
    )


def _secs(guidance: object) -> float:
    told = guidance.get("cache_duration_secs") if isinstance(guidance, dict) else None
    return min(MOST_SECS, float(told)) if isinstance(told, int | float) else AWAY_SECS
