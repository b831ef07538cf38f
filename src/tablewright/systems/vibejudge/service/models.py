"""The agents that ask a model, as a hackathon and the settings say."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from tablewright.service.problems import FieldError, conflict, invalid
from tablewright.service.settings import SettingsError
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.llm.agents import ModelAgents
from tablewright.systems.vibejudge.llm.bedrock import Bedrock
from tablewright.systems.vibejudge.llm.calls import ModelCaller
from tablewright.systems.vibejudge.llm.models import NO_MODEL, model_of
from tablewright.systems.vibejudge.llm.openai import OpenAiCompatible
from tablewright.systems.vibejudge.llm.prompts import prompt_version
from tablewright.systems.vibejudge.rules.rates import (
    BadRates,
    Rates,
    UnknownModel,
    provider_id,
    rates_of,
)
from tablewright.systems.vibejudge.table import Agent, Provider

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Models:
    """The agents that ask a model, as a hackathon and the settings say."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._rates: Rates | None = None
        # One for all hackathons: connections, and what a server was found to understand.
        self._callers: dict[Provider, ModelCaller] = {}

    async def open(self) -> None:
        """A file of rates that cannot be gone by is told before anything starts."""
        try:
            _ = self.rates
        except BadRates as bad:
            raise SettingsError(f"rates_file in [vibejudge]: {bad}") from bad
        if self._courtroom.options.openai_url is not None:
            self._caller("openai")

    async def close(self) -> None:
        callers, self._callers = self._callers, {}
        for each in callers.values():
            await each.close()

    # --- versions --------------------------------------------------------------------------------

    @property
    def rates(self) -> Rates:
        if self._rates is None:
            self._rates = rates_of(self._courtroom.options.rates_file)
        return self._rates

    @property
    def prompt_version(self) -> str:
        """Of all prompts and schemas: what a run was made with."""
        return prompt_version()

    @property
    def rate_version(self) -> str:
        """Of the prices; those that pricekeeper tells go before the file's."""
        told = "+pricekeeper" if self._courtroom.pricekeeper.linked else ""
        return self.rates.version + told

    # --- agents ----------------------------------------------------------------------------------

    def agents(self, hackathon: HackathonDetail) -> ModelAgents:
        """The agents of a hackathon; 409 MODELS_NOT_CONFIGURED if this process cannot ask any."""
        courtroom, options = self._courtroom, self._courtroom.options
        return ModelAgents(
            provider=hackathon.agent_provider,
            caller=self._caller(hackathon.agent_provider),
            rates=self.rates,
            models=dict(hackathon.agent_models),
            advisor=courtroom.pricekeeper.advisor(hackathon.agent_provider),
            tier=options.service_tier,
            default_model=options.default_model,
            mode=hackathon.ai_policy_mode,
            clock=courtroom.runtime.clock,
        )

    def unknown(self, hackathon: HackathonDetail) -> dict[Agent, str]:
        """Explain which models of a hackathon nobody could be charged for, by agent.

        With pricekeeper, models and their prices are only known when an agent is about to ask.
        """
        options = self._courtroom.options
        if hackathon.agent_provider == "static" or self._courtroom.pricekeeper.linked:
            return {}
        today, tier = self._courtroom.now().date(), options.service_tier
        found: dict[Agent, str] = {}
        for agent in hackathon.agents_enabled:
            try:
                model = hackathon.agent_models.get(agent) or model_of(
                    hackathon.agent_provider, agent, options.default_model
                )
                self.rates.rate(provider_id(model.model_id, self.rates, tier, today), tier, today)
            except UnknownModel as unknown:
                found[agent] = self._explain(unknown, hackathon.agent_provider)
        return found

    def _explain(self, unknown: UnknownModel, provider: Provider) -> str:
        if unknown.model_id == NO_MODEL:
            return "Choose a model: this provider has no default one."
        ids = [] if provider == "static" else self.rates.ids(provider, unknown.tier)
        close = difflib.get_close_matches(unknown.model_id, ids, n=3, cutoff=0.5) or ids[:3]
        known = f" Known models are, for example, {', '.join(close)}." if close else ""
        return f"{unknown}{known}"

    def check_known(self, hackathon: HackathonDetail) -> None:
        """Refuse settings that name a model without a price: 422, at the field of its agent.

        Agents without a model of their own are left to the start of an analysis.
        """
        errors = [
            FieldError(f"body.agent_models.{agent}.model_id", message)
            for agent, message in self.unknown(hackathon).items()
            if agent in hackathon.agent_models
        ]
        if errors:
            raise invalid(*errors)

    def _caller(self, provider: Provider) -> ModelCaller:
        if provider not in self._callers:
            self._callers[provider] = self._made(provider)
        return self._callers[provider]

    def _made(self, provider: Provider) -> ModelCaller:
        options = self._courtroom.options
        if provider == "bedrock":
            return Bedrock(
                options.bedrock_region,
                endpoint_url=options.bedrock_endpoint,
                timeout=options.model_secs,
            )
        if provider == "openai" and options.openai_url is not None:
            clock = self._courtroom.runtime.clock
            return OpenAiCompatible(
                options.openai_url, options.openai_key, timeout=options.model_secs, clock=clock
            )
        raise conflict("MODELS_NOT_CONFIGURED", _WHY[provider])


_WHY: dict[Provider, str] = {
    "static": "The agents of this hackathon ask no model.",
    "openai": "The settings name no openai_url: no model can be asked here.",
    "bedrock": "No model can be asked here.",
}
