"""The agents of a run: by rules, or by a model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import orjson

from tablewright.model.errors import AlreadyExists
from tablewright.service.gathering import at_most
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import reads, task_writes
from tablewright.systems.vibejudge.analysing import Analysis
from tablewright.systems.vibejudge.analysis import AgentScore, SubScoreNote
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.llm.agents import Attempt, Judged, ModelAgents
from tablewright.systems.vibejudge.llm.context import Material
from tablewright.systems.vibejudge.llm.doubts import far_from
from tablewright.systems.vibejudge.llm.failures import AgentFailed, BudgetRefused, UnknownModel
from tablewright.systems.vibejudge.llm.ports import Budget
from tablewright.systems.vibejudge.rules.flags import kind_of
from tablewright.systems.vibejudge.rules.scoring import Scores, agent_overall
from tablewright.systems.vibejudge.rules.verdicts import Totals
from tablewright.systems.vibejudge.service.analyst.claiming import Claim
from tablewright.systems.vibejudge.service.blobs import answers_key
from tablewright.systems.vibejudge.static import AgentResult
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Flags that stay when the answer that they were raised for is set aside.
_OF_THE_ANSWER = frozenset({"injection", "false_citations", "all_high"})

log = logging.getLogger("tablewright.vibejudge")

#: Of the time that a submission has, the part in which an agent waits for refunds of other calls.
_REFUND_SHARE = 0.4
#: What stands for a model where none is asked.
STATIC = "static"


@dataclass(frozen=True)
class Blocked:
    """There was no money for an agent, or no price: the task waits for somebody to see to it."""

    code: str
    reason: str


@dataclass(frozen=True)
class Findings:
    """What the agents have found."""

    scores: Mapping[Agent, AgentScore]
    #: Agents that were asked and have not answered.
    missing: tuple[Agent, ...] = ()
    blocked: Blocked | None = None
    totals: Totals = field(default_factory=Totals)

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for one in self.scores.values() for each in one.flags))


_Outcome: TypeAlias = AgentScore | Blocked | None


class Judging:
    """Lets the agents of a run look at a repository, and stores what each of them says."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def judge(self, claim: Claim, analysis: Analysis) -> Findings:
        """What all agents of the hackathon say. Their scores are stored, and not shown yet."""
        if claim.run.provider == "static":
            return await self._by_rules(claim, analysis)
        return await self._by_models(claim, analysis)

    # --- rules -----------------------------------------------------------------------------------

    async def _by_rules(self, claim: Claim, analysis: Analysis) -> Findings:
        agents = claim.hackathon.agents_enabled
        now = self._courtroom.now()
        made = {each: static_score(claim, each, analysis.results[each], now) for each in agents}
        scores = {agent: score for agent, score in made.items() if score is not None}
        db = self._courtroom.patient
        await asyncio.gather(*(db.run(task_writes.store_score(each)) for each in scores.values()))
        return Findings(scores, tuple(agent for agent in agents if agent not in scores))

    # --- models ----------------------------------------------------------------------------------

    async def _by_models(self, claim: Claim, analysis: Analysis) -> Findings:
        """Those that have not answered yet, all at once."""
        assert analysis.material is not None
        known = await self._answered(claim)
        wanted = [each for each in claim.hackathon.agents_enabled if each not in known]
        try:
            agents = self._courtroom.models.agents(claim.hackathon)
        except Problem as problem:
            return Findings(known, blocked=Blocked(problem.code, problem.detail))
        budget = self._courtroom.budgets.for_run(
            claim.hackathon,
            claim.submission,
            claim.run,
            patience=_REFUND_SHARE * self._courtroom.options.task_secs,
        )
        asking = _Asking(self._courtroom, claim, agents, budget, analysis.material)
        # Whatever goes wrong with one, the others come to their end: their answers are paid for.
        outcomes = await at_most(
            len(ALL_AGENTS), [asking.ask(agent, analysis.results[agent]) for agent in wanted]
        )
        told = dict(zip(wanted, outcomes, strict=True))
        scores = known | {a: each for a, each in told.items() if isinstance(each, AgentScore)}
        return Findings(
            scores=scores,
            missing=tuple(agent for agent, each in told.items() if each is None),
            blocked=next((each for each in outcomes if isinstance(each, Blocked)), None),
            totals=await self._totals(claim),
        )

    async def _answered(self, claim: Claim) -> dict[Agent, AgentScore]:
        """The agents of this run that have answered in an earlier attempt."""
        if claim.task.attempt == 1:
            return {}
        op = reads.stored_scores(claim.run.sub_id, claim.run.run_id)
        found = [each async for each in self._courtroom.db.iterate(op)]
        enabled = claim.hackathon.agents_enabled
        return {each.agent_name: each for each in found if each.agent_name in enabled}

    async def _totals(self, claim: Claim) -> Totals:
        """What all calls of the run have cost, whoever made them."""
        op = reads.costs_of_run(claim.run.sub_id, claim.run.run_id)
        cost, tokens = Decimal(0), 0
        async for each in self._courtroom.db.iterate(op):
            cost, tokens = cost + each.total_cost_usd, tokens + each.total_tokens
        return Totals(cost_usd=cost, tokens=tokens)


def static_score(
    claim: Claim, agent: Agent, result: AgentResult, now: datetime
) -> AgentScore | None:
    """Make the score of an agent by the fixed rules; None if nothing it looks at applies."""
    overall = agent_overall(agent, result.scores, claim.hackathon.ai_policy_mode)
    if overall is None:
        return None
    return AgentScore(
        sub_id=claim.run.sub_id,
        run_id=claim.run.run_id,
        agent_name=agent,
        hack_id=claim.run.hack_id,
        model_id=STATIC,
        scores=dict(result.scores),
        overall_score=overall,
        confidence=result.confidence,
        evidence=list(result.evidence),
        evidence_total=result.evidence_total,
        notes=dict(result.notes),
        summary=result.summary,
        latency_ms=0,
        created_at=now,
    )


def _notes_that_agree(scores: Scores, static: AgentResult) -> dict[str, SubScoreNote]:
    """Keep what the rules say of a sub-score where a model comes to about the same."""
    far = set(far_from(scores, static.scores))
    return {
        name: note
        for name, note in static.notes.items()
        if name not in far and (scores.get(name) is None) == (static.scores.get(name) is None)
    }


@dataclass(frozen=True)
class _Asking:
    """Agents that ask a model, in one attempt at a run."""

    courtroom: Courtroom
    claim: Claim
    agents: ModelAgents
    budget: Budget
    material: Material

    async def ask(self, agent: Agent, static: AgentResult) -> _Outcome:
        """Its score, stored; None if it has no answer; what is in its way if it may not ask."""
        attempt = Attempt(self.claim.run.run_id, self.claim.task.attempt)
        try:
            judged = await self.agents.judge(
                agent, self.material, static.scores, attempt, self.budget
            )
        except AgentFailed as failed:
            log.warning("agent %s of run %s: %s", agent, attempt.run_id, failed)
            blob = await self._keep(agent, failed.answers)
            if failed.misconfigured:
                return Blocked("MODEL_REFUSED", failed.reason)
            return await self._fall_back(agent, static, failed.code, (), blob)
        except BudgetRefused as refused:
            return Blocked("BUDGET_EXCEEDED", str(refused))
        except UnknownModel as unknown:
            return Blocked("UNKNOWN_MODEL", str(unknown))
        blob = await self._keep(agent, judged.answers)
        if not judged.credible:
            flags = tuple(each for each in judged.flags if kind_of(each) in _OF_THE_ANSWER)
            return await self._fall_back(agent, static, "false_citations", flags, blob)
        if judged.overall_score is None:
            return None
        score = self._score(judged, static, blob)
        # To be told to stop in between would be to pay twice.
        return await asyncio.shield(self._stored(score))

    async def _fall_back(
        self, agent: Agent, static: AgentResult, why: str, flags: tuple[str, ...], blob: str | None
    ) -> AgentScore | None:
        """Let the fixed rules judge for a model that cannot be gone by, and flag it.

        To leave the agent out would let a submission gain by it.
        """
        score = static_score(self.claim, agent, static, self.courtroom.now())
        if score is None:
            return None
        flagged = [*flags, f"static_fallback:{agent}:{why}"]
        made = score.model_copy(update={"flags": flagged, "raw_blob_key": blob})
        return await asyncio.shield(self._stored(made))

    async def _stored(self, score: AgentScore) -> AgentScore:
        """One write; its condition: the run has no answer of this agent. If it has one, that is
        what is published: what others see of the run is what its summary was made of.
        """
        try:
            await self.courtroom.patient.run(task_writes.store_score(score, once=True))
        except AlreadyExists as there:
            return there.item if isinstance(there.item, AgentScore) else score
        return score

    def _score(self, judged: Judged, static: AgentResult, blob: str | None) -> AgentScore:
        run = self.claim.run
        assert judged.overall_score is not None
        return AgentScore(
            sub_id=run.sub_id,
            run_id=run.run_id,
            agent_name=judged.agent,
            hack_id=run.hack_id,
            model_id=judged.model_id,
            scores=dict(judged.scores),
            static_scores=dict(judged.static_scores),
            overall_score=judged.overall_score,
            confidence=judged.confidence,
            evidence=list(judged.evidence),
            evidence_total=len(judged.evidence),
            notes=_notes_that_agree(judged.scores, static),
            summary=judged.summary,
            flags=list(judged.flags),
            raw_blob_key=blob,
            latency_ms=judged.latency_ms,
            created_at=self.courtroom.now(),
        )

    async def _keep(self, agent: Agent, answers: tuple[str, ...]) -> str | None:
        """What the model said, whole; a score does not depend on its being kept."""
        if not answers:
            return None
        run = self.claim.run
        key = answers_key(run.hack_id, run.sub_id, run.run_id, agent)
        try:
            await self.courtroom.blobs.put(key, orjson.dumps(answers))
        except Exception as error:
            log.warning("what agent %s of run %s was told is not kept: %s", agent, key, error)
            return None
        return key
