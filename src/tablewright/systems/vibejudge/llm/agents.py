"""From a snapshot to scores: the agents that ask a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import TypeAlias

from tablewright.clock import Clock, SystemClock
from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.entities import AgentModel, PolicyMode
from tablewright.systems.vibejudge.llm.answers import Answer, BadAnswer, read_answer, schema_of
from tablewright.systems.vibejudge.llm.asking import Conversation, Pauses, gate
from tablewright.systems.vibejudge.llm.boundary import Boundary, Token, random_token, visible
from tablewright.systems.vibejudge.llm.calls import Message, ModelCaller, Reply, Request
from tablewright.systems.vibejudge.llm.citations import check
from tablewright.systems.vibejudge.llm.context import Material
from tablewright.systems.vibejudge.llm.doubts import doubts, is_credible
from tablewright.systems.vibejudge.llm.failures import (
    AgentFailed,
    CallFailed,
    Misconfigured,
)
from tablewright.systems.vibejudge.llm.models import max_tokens_of, model_of
from tablewright.systems.vibejudge.llm.ports import (
    Budget,
    CallCost,
    CallId,
    ModelAdvisor,
    NoAdvice,
    Priced,
)
from tablewright.systems.vibejudge.llm.prompts import correction, system_prompt
from tablewright.systems.vibejudge.rules.estimates import Estimate
from tablewright.systems.vibejudge.rules.rates import Rates, ServiceTier, provider_id
from tablewright.systems.vibejudge.rules.scoring import Scores, agent_overall
from tablewright.systems.vibejudge.static.results import AgentResult
from tablewright.systems.vibejudge.table import Agent, Provider

Models: TypeAlias = Mapping[Agent, AgentModel]
_ASKED = "Judge the repository above. Answer with one JSON object of the schema."
MOST_SUMMARY = 2000
#: An answer that says nothing cannot be repeated to a model.
_SILENCE = "(nothing)"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which run, and which attempt at it: a later one makes calls of its own."""

    run_id: str
    number: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What an agent says, after it was looked into."""

    agent: Agent
    model_id: str
    scores: Scores
    static_scores: Scores
    #: Computed here, 0 to 100. None if nothing that counts applies.
    overall_score: Decimal | None
    confidence: Decimal
    evidence: tuple[Evidence, ...]
    summary: str
    flags: tuple[str, ...]
    #: Of every call, in their order; all are settled.
    costs: tuple[CallCost, ...]
    #: What the model said, every time, to be kept for a while.
    answers: tuple[str, ...]
    latency_ms: int
    #: Whether what it cites is there, and high scores rest on anything.
    credible: bool = True

    def result(self) -> AgentResult:
        """The part of it that agents without a model have, too."""
        return AgentResult(self.scores, self.evidence, self.summary, self.confidence)


@dataclass(frozen=True)
class ModelAgents:
    """Agents that ask a model of one provider. One for all runs of a hackathon's settings."""

    provider: Provider
    caller: ModelCaller
    rates: Rates
    models: Models = field(default_factory=dict)
    advisor: ModelAdvisor = field(default_factory=NoAdvice)
    tier: ServiceTier = "standard"
    #: For agents without a model of their own, where the provider has no usual one.
    default_model: str | None = None
    mode: PolicyMode = "ai_assisted"
    clock: Clock = field(default_factory=SystemClock)
    pauses: Pauses = field(default_factory=Pauses)
    token: Token = random_token

    async def priced(self, agent: Agent) -> Priced:
        """The model to ask and its price; ``UnknownModel`` if there is none."""
        model = await self.advisor.advise(agent) or self.models.get(agent)
        if model is None:
            model = model_of(self.provider, agent, self.default_model)
        today = datetime.fromtimestamp(self.clock.now(), UTC).date()
        told = self.advisor.rate(model.model_id, self.tier)
        if told is None:
            model_id = provider_id(model.model_id, self.rates, self.tier, today)
            model = model.model_copy(update={"model_id": model_id})
        return Priced(model, told or self.rates.rate(model.model_id, self.tier, today))

    async def estimate(self, agent: Agent, material: Material) -> Estimate:
        """What would be set aside for the first call: the request is made, and not sent."""
        priced = await self.priced(agent)
        return gate(self._request(agent, material, priced, Boundary(self.token())), priced)

    async def estimates(self, material: Material) -> dict[Agent, Estimate]:
        """The same for all agents that the material was made for: what a submission takes."""
        return {agent: await self.estimate(agent, material) for agent in material.shown}

    async def judge(
        self,
        agent: Agent,
        material: Material,
        static_scores: Scores,
        attempt: Attempt,
        budget: Budget,
    ) -> Judged:
        """Ask, correct once, look into it.

        ``AgentFailed`` with all costs if no answer can be used; ``BudgetRefused`` if there is no
        money for a call; ``UnknownModel`` before anything is reserved or called.
        """
        priced = await self.priced(agent)
        first = CallId(attempt.run_id, agent, attempt.number, 1)
        talk = Conversation(first, priced, self.caller, budget, self.clock, self.pauses)
        said: list[str] = []
        boundary = Boundary(self.token())
        request = self._request(agent, material, priced, boundary)
        try:
            answer = await self._answer(agent, request, boundary, talk, said)
        except (BadAnswer, CallFailed) as error:
            code = error.code if isinstance(error, CallFailed) else "bad_answer"
            failed = AgentFailed(agent, code, str(error), tuple(talk.costs), tuple(said))
            failed.misconfigured = isinstance(error, Misconfigured)
            raise failed from error
        return self._judged(agent, material, static_scores, answer, talk, tuple(said), priced)

    async def _answer(
        self,
        agent: Agent,
        request: Request,
        boundary: Boundary,
        talk: Conversation,
        said: list[str],
    ) -> Answer:
        reply = await talk.ask(request)
        said.append(reply.text)
        try:
            return read_answer(agent, reply.text)
        except BadAnswer as error:
            again = _corrected(request, boundary, reply, str(error))
        reply = await talk.ask(again)
        said.append(reply.text)
        return read_answer(agent, reply.text)

    def _request(
        self, agent: Agent, material: Material, priced: Priced, boundary: Boundary
    ) -> Request:
        data = boundary.enclosed(material.shown[agent])
        return Request(
            model_id=priced.model.model_id,
            system=system_prompt(agent, boundary.name),
            messages=(Message("user", f"{data}\n\n{_ASKED}"),),
            max_tokens=max_tokens_of(agent),
            schema=schema_of(agent),
            service_tier=self.tier,
        )

    def _judged(
        self,
        agent: Agent,
        material: Material,
        static_scores: Scores,
        answer: Answer,
        talk: Conversation,
        said: tuple[str, ...],
        priced: Priced,
    ) -> Judged:
        checked = check(answer.evidence, material.texts)
        doubted = doubts(
            agent,
            answer.scores,
            static_scores,
            stated=answer.confidence,
            false_share=checked.false_share,
            commits=material.commit_count,
        )
        suspicions = tuple(each.flag() for each in material.suspicions)
        return Judged(
            agent=agent,
            model_id=priced.model.model_id,
            scores=answer.scores,
            static_scores=static_scores,
            overall_score=agent_overall(agent, answer.scores, self.mode),
            confidence=doubted.confidence,
            evidence=checked.kept,
            summary=visible(answer.summary)[:MOST_SUMMARY],
            flags=doubted.flags + suspicions,
            costs=tuple(talk.costs),
            answers=said,
            latency_ms=talk.latency_ms,
            credible=is_credible(agent, answer.scores, checked),
        )


def _corrected(request: Request, boundary: Boundary, reply: Reply, problem: str) -> Request:
    """The whole conversation again, and what was wrong with its end."""
    if reply.stop_reason == "max_tokens":
        problem = f"it was cut after {request.max_tokens} tokens, so {problem}"
    said = Message("assistant", reply.text.strip() or _SILENCE)
    wanted = Message("user", correction(problem, boundary.name))
    return replace(request, messages=(*request.messages, said, wanted))
