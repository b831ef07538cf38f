"""Hackathons that ask the stand-in's models, and a look into their books."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge import support as people

from tablewright.model import attr, new_ulid, update
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysis import CostRecord, HackathonCost, Run
from tablewright.systems.vibejudge.entities import (
    ALL_AGENTS,
    AgentModel,
    HackathonDetail,
    Submission,
)
from tablewright.systems.vibejudge.llm.ports import CallCost, CallId
from tablewright.systems.vibejudge.rules.rates import Cost, TokenUsage
from tablewright.systems.vibejudge.service.budgets import Purse
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.table import Agent

#: A model of OpenAI's list for every agent.
MODELS = {agent: {"label": "quick", "model_id": "gpt-4.1-mini"} for agent in ALL_AGENTS}


@dataclass(frozen=True)
class Case:
    """A hackathon with one submission, and whose it is."""

    caller: Caller
    hackathon: HackathonDetail
    submission: Submission

    def purse(self, courtroom: Courtroom, run_id: str) -> Purse:
        return courtroom.budgets.for_run(
            self.hackathon, self.submission, run_of(self.submission, self.hackathon, run_id)
        )


async def case(
    courtroom: Courtroom, budget: str = "5", repo_url: str | None = None, **said: Any
) -> Case:
    caller = await people.organizer(courtroom)
    given = {"agent_provider": "openai", "agent_models": MODELS, "budget_limit_usd": budget}
    made = await people.hackathon(courtroom, caller, **{**given, **said})
    return Case(caller, made, await people.submission(courtroom, made, repo_url=repo_url))


def run_of(submission: Submission, hackathon: HackathonDetail, run_id: str) -> Run:
    now = submission.created_at
    return Run(
        sub_id=submission.sub_id,
        run_id=run_id,
        hack_id=submission.hack_id,
        provider=hackathon.agent_provider,
        rubric=hackathon.rubric,
        prompt_version="1",
        rules_version="1",
        rate_version="1",
        created_at=now,
        updated_at=now,
    )


def call_of(
    amount: str, run_id: str | None = None, agent: Agent = "bug_hunter", **more: Any
) -> CallCost:
    """A call that costs so much, about a tenth of it for the answer."""
    whole = Decimal(amount)
    answer = round(whole / 10, 9)
    said: dict[str, Any] = {
        "id": CallId(run_id or new_ulid(), agent, 1, 1),
        "model_id": "gpt-4.1-mini",
        "label": "quick",
        "service_tier": "standard",
        "usage": TokenUsage(input=9000, output=100),
        "cost": Cost(whole - answer, answer, Decimal(0)),
        "latency_ms": 5,
        "at": people.NOW,
        **more,
    }
    return CallCost(**said)


async def name_model(courtroom: Courtroom, hack_id: str, model_id: str) -> None:
    """Let an agent of a hackathon ask this model, whether or not it has a price."""
    named = {"bug_hunter": AgentModel(label="x", model_id=model_id)}
    models = attr(HackathonDetail.agent_models).set(named)
    await courtroom.db.run(update(HackathonDetail, hack_id).do(models))


async def records(courtroom: Courtroom, submission: Submission) -> list[CostRecord]:
    found = courtroom.db.iterate(reads.costs_of_submission(submission.sub_id))
    return [each async for each in found]


async def check_books(courtroom: Courtroom, made: Case) -> HackathonCost:
    """Every sum is that of the records, to the last billionth; gives the hackathon's."""
    found = await records(courtroom, made.submission)
    hack_id, org_id = made.hackathon.hack_id, made.hackathon.org_id
    cost = await courtroom.db.require(reads.hackathon_cost(hack_id))
    aside = [each async for each in courtroom.db.iterate(job_reads.reservations(hack_id))]
    spent = sum((each.total_cost_usd for each in found), Decimal(0))
    assert cost.total_cost_usd == spent
    assert sum(cost.cost_by_agent.values(), Decimal(0)) == spent
    assert sum(cost.cost_by_model.values(), Decimal(0)) == spent
    reserved = sum((each.amount_usd for each in aside), Decimal(0))
    assert cost.budget_remaining_usd == made.hackathon.budget_limit_usd - spent - reserved
    year = await courtroom.db.require(reads.org_usage(org_id, courtroom.now().year))
    assert year.spend_usd == spent
    for each in found:
        parts = each.input_cost_usd + each.output_cost_usd + each.cache_cost_usd
        assert parts == each.total_cost_usd == round(each.total_cost_usd, 9)
    assert cost.total_output_tokens == sum(each.output_tokens for each in found)
    return cost
