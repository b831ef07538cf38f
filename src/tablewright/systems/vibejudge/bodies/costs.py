"""What analyses have cost, and what one would."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.vibejudge.analysis import CostRecord, Reservation
from tablewright.systems.vibejudge.bodies.common import UsdOut
from tablewright.systems.vibejudge.rules.rates import ServiceTier
from tablewright.systems.vibejudge.service.budgets import Books, JobEstimate
from tablewright.systems.vibejudge.service.budgets.estimating import AgentEstimate, Basis
from tablewright.systems.vibejudge.table import Agent, Provider


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True)


class ReservationOut(_Out):
    """Money that is set aside for a call at this moment."""

    sub_id: str
    run_id: str
    agent: Agent
    attempt: int
    call: int
    model_id: str
    amount_usd: UsdOut
    created_at: datetime
    call_started_at: datetime | None = Field(
        description="When the call went out: from then on it is charged, whatever becomes of it."
    )


class CostsOut(_Out):
    """What a hackathon has cost; all of it adds up to its budget."""

    hack_id: str
    budget_limit_usd: UsdOut
    budget_remaining_usd: UsdOut = Field(description="What calls may still be made with.")
    reserved_usd: UsdOut = Field(description="Set aside for calls that are under way.")
    total_cost_usd: UsdOut
    total_input_tokens: int = Field(description="With those of caches.")
    total_output_tokens: int
    submissions_analyzed: int
    submission_cost_usd: UsdOut | None = Field(
        description="Of one submission that was analysed, on average; null if none was."
    )
    cost_by_agent: dict[str, UsdOut]
    cost_by_model: dict[str, UsdOut]
    reservations: list[ReservationOut]
    updated_at: datetime


class CallOut(_Out):
    """One call of a model."""

    run_id: str
    agent: Agent
    attempt: int
    call: int
    model_id: str
    service_tier: ServiceTier
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    total_tokens: int
    input_cost_usd: UsdOut
    output_cost_usd: UsdOut
    cache_cost_usd: UsdOut
    total_cost_usd: UsdOut
    latency_ms: int
    estimated: bool = Field(
        description="The call was made, and what it cost never told: charged as estimated."
    )
    created_at: datetime = Field(description="When the call went out.")


class AgentEstimateOut(_Out):
    """One agent, for one submission, on average."""

    model_id: str
    input_tokens: int
    output_tokens: int = Field(description="As many as it is allowed.")
    amount_usd: UsdOut


class EstimateOut(_Out):
    """What an analysis would set aside for its first calls; corrections come on top."""

    hack_id: str
    provider: Provider
    basis: Basis = Field(
        description="`sampled`: the repositories of some submissions were read, and the others "
        "taken to be like them. `most`: none could be read, so this is the most it can be. "
        "`free`: no model is asked, or nothing is to be analysed."
    )
    submissions: int = Field(description="That would be analysed.")
    sampled: int = Field(description="Whose repositories were read for this.")
    extrapolated: int = Field(description="That are taken to be like those.")
    passed_over: int = Field(description="Whose repositories could not be read now.")
    agents: dict[str, AgentEstimateOut]
    submission_usd: UsdOut
    total_usd: UsdOut
    budget_remaining_usd: UsdOut
    enough: Annotated[bool, Field(description="Whether the budget would do.")]
    rate_version: str
    no_quota: bool = Field(description="Pricekeeper would allow no call at this moment.")


def costs_out(books: Books) -> CostsOut:
    cost = books.cost
    set_aside = [each.amount_usd for each in books.reservations]
    analyzed = cost.submissions_analyzed
    return CostsOut(
        hack_id=cost.hack_id,
        budget_limit_usd=books.hackathon.budget_limit_usd,
        budget_remaining_usd=cost.budget_remaining_usd,
        reserved_usd=sum(set_aside, cost.total_cost_usd * 0),
        total_cost_usd=cost.total_cost_usd,
        total_input_tokens=cost.total_input_tokens,
        total_output_tokens=cost.total_output_tokens,
        submissions_analyzed=analyzed,
        submission_cost_usd=cost.total_cost_usd / analyzed if analyzed else None,
        cost_by_agent={str(agent): spent for agent, spent in cost.cost_by_agent.items()},
        cost_by_model=dict(cost.cost_by_model),
        reservations=[_reservation_out(each) for each in books.reservations],
        updated_at=cost.updated_at,
    )


def _reservation_out(each: Reservation) -> ReservationOut:
    return ReservationOut(
        sub_id=each.sub_id,
        run_id=each.run_id,
        agent=each.agent_name,
        attempt=each.attempt,
        call=each.call,
        model_id=each.model_id,
        amount_usd=each.amount_usd,
        created_at=each.created_at,
        call_started_at=each.call_started_at,
    )


def call_out(record: CostRecord) -> CallOut:
    values = record.model_dump(include=set(CallOut.model_fields) - {"agent"})
    return CallOut(agent=record.agent_name, **values)


def estimate_out(estimate: JobEstimate) -> EstimateOut:
    return EstimateOut(
        hack_id=estimate.hackathon.hack_id,
        provider=estimate.hackathon.agent_provider,
        basis=estimate.basis,
        submissions=estimate.submissions,
        sampled=estimate.sampled,
        extrapolated=estimate.submissions - estimate.sampled if estimate.sampled else 0,
        passed_over=estimate.passed_over,
        agents={agent: _agent_out(each) for agent, each in estimate.agents.items()},
        submission_usd=estimate.submission_usd,
        total_usd=estimate.total_usd,
        budget_remaining_usd=estimate.remaining_usd,
        enough=estimate.enough,
        rate_version=estimate.rate_version,
        no_quota=estimate.no_quota,
    )


def _agent_out(each: AgentEstimate) -> AgentEstimateOut:
    return AgentEstimateOut(
        model_id=each.model_id,
        input_tokens=each.input_tokens,
        output_tokens=each.output_tokens,
        amount_usd=each.amount_usd,
    )
