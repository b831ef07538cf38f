"""What an analysis would cost: of what models would be shown, at the prices of the day.

The repositories of a few submissions are read as an analysis would read them, and the very requests
are made that agents would send; what each would set aside is counted. The other submissions are
taken to be like these. A repository that cannot be read now is passed over; if none can, every
request is taken to be as large as one can become.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tablewright.service.limits import Rate
from tablewright.service.problems import conflict, not_found
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysing import AnalysisFailed, Order, run
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.llm.agents import ModelAgents
from tablewright.systems.vibejudge.llm.context import MOST_BYTES, Material
from tablewright.systems.vibejudge.llm.failures import BudgetRefused
from tablewright.systems.vibejudge.llm.ports import NoAdvice
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.rules.estimates import Estimate
from tablewright.systems.vibejudge.rules.job_states import is_analysed
from tablewright.systems.vibejudge.rules.rates import UnknownModel, usd
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: ``sampled``: of repositories that were read. ``most``: none could be, so as large as can be.
#: ``free``: no model is asked, or there is nothing to analyse.
Basis: TypeAlias = Literal["sampled", "most", "free"]

#: Repositories that are read, and that are tried for it.
SAMPLED: Final = 3
_TRIED: Final = 9
#: Each reads repositories; of one organiser.
_ESTIMATES: Final = Rate(6)
#: For reading repositories; less than any request has.
READING_SECS: Final = 20.0


@dataclass(frozen=True)
class AgentEstimate:
    """What one agent would cost for one submission, on average."""

    model_id: str
    input_tokens: int
    output_tokens: int
    amount_usd: Decimal


@dataclass(frozen=True)
class JobEstimate:
    """What an analysis of all submissions would set aside for its first calls."""

    hackathon: HackathonDetail
    basis: Basis
    #: That would be analysed; of how many the repositories were read; that could not be.
    submissions: int
    sampled: int
    passed_over: int
    agents: Mapping[Agent, AgentEstimate]
    #: Of one submission, on average.
    submission_usd: Decimal
    total_usd: Decimal
    remaining_usd: Decimal
    rate_version: str
    #: Pricekeeper would not allow a call at this moment.
    no_quota: bool = False

    @property
    def enough(self) -> bool:
        """Whether the budget would do, if no answer has to be corrected."""
        return self.total_usd <= self.remaining_usd and not (self.no_quota and self.total_usd)


@dataclass
class _Sample:
    """What was found out of some repositories."""

    found: list[Mapping[Agent, Estimate]] = field(default_factory=list)
    passed_over: int = 0


class Estimating:
    """Makes estimates, a few repositories at a time."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._reading = asyncio.Semaphore(2)

    async def estimate(
        self, caller: Caller, hack_id: str, secs: float = READING_SECS
    ) -> JobEstimate:
        """What an analysis would set aside for its first calls; a correction comes on top.

        Nothing is written. 409 UNKNOWN_MODEL for a model without a price.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        cost = await self._courtroom.db.run(reads.hackathon_cost(hack_id))
        if cost is None:
            raise not_found("hackathon")
        remaining = cost.budget_remaining_usd
        every = self._courtroom.db.iterate(reads.submissions(hack_id))
        wanted = [each async for each in every if is_analysed(each)]
        if hackathon.agent_provider == "static" or not wanted:
            return self._free(hackathon, len(wanted), remaining)
        await self._courtroom.runtime.limits.check("estimates", hackathon.org_id, _ESTIMATES)
        try:
            return await self._of_models(hackathon, wanted, remaining, secs)
        except UnknownModel as unknown:
            raise conflict("UNKNOWN_MODEL", f"{str(unknown).capitalize()}.") from unknown

    def _free(self, hackathon: HackathonDetail, count: int, remaining: Decimal) -> JobEstimate:
        return JobEstimate(
            hackathon=hackathon,
            basis="free",
            submissions=count,
            sampled=0,
            passed_over=0,
            agents={},
            submission_usd=Decimal(0),
            total_usd=Decimal(0),
            remaining_usd=remaining,
            rate_version=self._courtroom.models.rate_version,
        )

    async def _of_models(
        self,
        hackathon: HackathonDetail,
        wanted: Sequence[Submission],
        remaining: Decimal,
        secs: float,
    ) -> JobEstimate:
        agents, no_quota = await _affordable(self._courtroom.models.agents(hackathon), hackathon)
        until = asyncio.get_running_loop().time() + secs
        sample = await self._sampled(hackathon, agents, wanted, until)
        found = sample.found or [await agents.estimates(_largest(hackathon))]
        total = sum((each.amount for one in found for each in one.values()), Decimal(0))
        return JobEstimate(
            hackathon=hackathon,
            basis="sampled" if sample.found else "most",
            submissions=len(wanted),
            sampled=len(sample.found),
            passed_over=sample.passed_over,
            agents={agent: await _average(agents, agent, found) for agent in found[0]},
            submission_usd=usd(total / len(found)),
            total_usd=usd(total * len(wanted) / len(found)),
            remaining_usd=remaining,
            rate_version=self._courtroom.models.rate_version,
            no_quota=no_quota,
        )

    # --- repositories ----------------------------------------------------------------------------

    async def _sampled(
        self,
        hackathon: HackathonDetail,
        agents: ModelAgents,
        wanted: Sequence[Submission],
        until: float,
    ) -> _Sample:
        """Some from the beginning to the end of the list; others instead of those that fail."""
        sample, waiting = _Sample(), _spread(wanted, _TRIED)
        while waiting and len(sample.found) < SAMPLED:
            missing = SAMPLED - len(sample.found)
            now, waiting = waiting[:missing], waiting[missing:]
            told = await asyncio.gather(
                *(self._estimated(hackathon, agents, each, until) for each in now)
            )
            sample.found += [each for each in told if each is not None]
            sample.passed_over += sum(each is None for each in told)
        return sample

    async def _estimated(
        self, hackathon: HackathonDetail, agents: ModelAgents, submission: Submission, until: float
    ) -> Mapping[Agent, Estimate] | None:
        order = Order(
            submission.repo_url,
            sha=submission.frozen_sha,
            access=self._courtroom.access,
            shown_to=tuple(hackathon.agents_enabled),
        )
        try:
            async with asyncio.timeout_at(until), self._reading:
                shown = (await run(order)).material
        except (RepoError, AnalysisFailed, TimeoutError):
            return None
        return None if shown is None else await agents.estimates(shown)


async def _affordable(agents: ModelAgents, hackathon: HackathonDetail) -> tuple[ModelAgents, bool]:
    """The agents; without advice if that would be to ask nobody. And whether it would be."""
    try:
        for agent in hackathon.agents_enabled:
            await agents.priced(agent)
    except BudgetRefused:
        return replace(agents, advisor=NoAdvice()), True
    return agents, False


async def _average(
    agents: ModelAgents, agent: Agent, found: Sequence[Mapping[Agent, Estimate]]
) -> AgentEstimate:
    own = [each[agent] for each in found]
    asked = sum(each.usage.input for each in own)
    return AgentEstimate(
        model_id=(await agents.priced(agent)).model.model_id,
        input_tokens=-(-asked // len(own)),
        output_tokens=max(each.usage.output for each in own),
        amount_usd=usd(sum((each.amount for each in own), Decimal(0)) / len(own)),
    )


def _spread(wanted: Sequence[Submission], most: int) -> list[Submission]:
    """So many of them at the most, evenly over the list."""
    if len(wanted) <= most:
        return list(wanted)
    return [wanted[number * (len(wanted) - 1) // (most - 1)] for number in range(most)]


def _largest(hackathon: HackathonDetail) -> Material:
    """As much as a model is ever shown."""
    text = "x" * MOST_BYTES
    return Material("0" * 40, 0, dict.fromkeys(hackathon.agents_enabled, text), {}, ())
