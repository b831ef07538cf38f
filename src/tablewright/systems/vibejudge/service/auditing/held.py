"""All that is looked at of a hackathon: read in pages, strongly, one part after the other.

Nothing keeps others from writing in between. So what looks wrong is looked at again before it is
believed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.systems.vibejudge import audit_patterns as patterns
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysis import (
    AnalysisJob,
    CostRecord,
    HackathonCost,
    SubmissionSummary,
)
from tablewright.systems.vibejudge.audit_patterns import Lock
from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, Submission

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions whose calls are read at once, and whose scorecards are.
_AT_ONCE, _TOGETHER = 8, 100


@dataclass
class Sums:
    """What all calls of a hackathon come to."""

    total_usd: Decimal = Decimal(0)
    input_tokens: int = 0
    output_tokens: int = 0
    by_agent: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    by_model: defaultdict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))

    def add(self, call: CostRecord) -> None:
        self.total_usd += call.total_cost_usd
        self.input_tokens += call.input_tokens + call.cache_read_tokens + call.cache_write_tokens
        self.output_tokens += call.output_tokens
        self.by_agent[call.agent_name] += call.total_cost_usd
        self.by_model[call.model_id] += call.total_cost_usd


@dataclass(frozen=True)
class Held:
    """A hackathon with everything that is compared."""

    hackathon: HackathonDetail
    listed: Hackathon | None
    submissions: Mapping[str, Submission]
    locks: Sequence[Lock]
    summaries: Mapping[str, SubmissionSummary]
    #: By submission, as the leaderboard has it.
    ranks: Mapping[str, Decimal]
    cost: HackathonCost | None
    sums: Sums
    reserved_usd: Decimal
    #: The one that it waits for.
    job: AnalysisJob | None


async def read(courtroom: Courtroom, hack_id: str) -> Held | None:
    """What there is now; None if the hackathon is gone."""
    db = courtroom.db
    hackathon = await db.run(reads.hackathon(hack_id))
    if hackathon is None:
        return None
    cost = await db.run(reads.hackathon_cost(hack_id))
    found = db.iterate(job_reads.submissions_to_analyse(hack_id))
    submissions = {each.sub_id: each async for each in found}
    active = hackathon.active_job_id
    return Held(
        hackathon=hackathon,
        listed=await db.run(patterns.hackathon_listed(hackathon.org_id, hack_id)),
        submissions=submissions,
        locks=await _locks(courtroom, hack_id),
        summaries=await _summaries(courtroom, submissions),
        ranks={
            each.sub_id: each.rank_score async for each in db.iterate(reads.leaderboard(hack_id))
        },
        cost=cost,
        sums=await _sums(courtroom, submissions),
        reserved_usd=sum(
            [each.amount_usd async for each in db.iterate(job_reads.reservations(hack_id))],
            Decimal(0),
        ),
        job=None if active is None else await db.run(job_reads.job(hack_id, active)),
    )


async def _locks(courtroom: Courtroom, hack_id: str) -> list[Lock]:
    db = courtroom.db
    return [
        *[each async for each in db.iterate(patterns.repo_locks(hack_id))],
        *[each async for each in db.iterate(patterns.team_locks(hack_id))],
        *[each async for each in db.iterate(patterns.external_locks(hack_id))],
    ]


async def _summaries(courtroom: Courtroom, sub_ids: Iterable[str]) -> dict[str, SubmissionSummary]:
    ids, found = list(sub_ids), {}
    for at in range(0, len(ids), _TOGETHER):
        for each in await courtroom.db.run(reads.scorecards(ids[at : at + _TOGETHER])):
            if each is not None:
                found[each.sub_id] = each
    return found


async def _sums(courtroom: Courtroom, sub_ids: Iterable[str]) -> Sums:
    sums = Sums()

    async def one(sub_id: str) -> None:
        async for call in courtroom.db.iterate(patterns.calls_paid(sub_id)):
            sums.add(call)

    await at_most(_AT_ONCE, map(one, sub_ids))
    return sums
