"""Scorecards and runs of submissions; and scoring again."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.client import Page
from tablewright.model import Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import (
    RETRIES,
    busy,
    in_the_way,
    pause,
    refused,
    refused_at,
)
from tablewright.service.gathering import at_most
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import Problem, not_found
from tablewright.systems.vibejudge import reads, task_writes, writes
from tablewright.systems.vibejudge.analysis import AgentScore, Run, SubmissionSummary
from tablewright.systems.vibejudge.entities import ALL_AGENTS, HackathonDetail, Submission
from tablewright.systems.vibejudge.rules.editing import check_act
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.verdicts import Totals, verdict
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.jobs.ending import IN_WORK
from tablewright.systems.vibejudge.service.judging.latest import released
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions that are scored again at once.
_AT_ONCE = 8
#: Of the time that a request has, the part in which submissions are begun.
_TIME_SHARE = 0.6

#: ``published``: an analysis was, meanwhile; ``unscorable``: nothing is there for the new rubric.
Outcome: TypeAlias = Literal["rescored", "unchanged", "published", "unscorable", "left"]


@dataclass(frozen=True)
class Scorecard:
    """All that is shown of the run that counts."""

    hackathon: HackathonDetail
    submission: Submission
    summary: SubmissionSummary
    agents: tuple[AgentScore, ...]
    #: None if it is in no ranking.
    rank: int | None
    run: Run | None


@dataclass(frozen=True)
class RunDetail:
    """A run, whether it counts or not, and what its agents found."""

    submission: Submission
    run: Run
    agents: tuple[AgentScore, ...]
    #: Whether it is the one that the scorecard rests on.
    counts: bool


@dataclass(frozen=True)
class Rescored:
    """How far scoring again has come. What is left is done by asking once more."""

    total: int
    rescored: int
    unchanged: int
    #: Not scored again: an analysis was published meanwhile, or the rubric finds nothing there.
    skipped: int
    left: int


class Scorecards:
    """Scorecards and runs of submissions; and scoring again."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- looking ---------------------------------------------------------------------------------

    async def scorecard(self, caller: Caller, hack_id: str, sub_id: str) -> Scorecard:
        """The scorecard of a submission; 404 NOT_SCORED as long as there is none."""
        hackathon, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        return await self.of(hackathon, submission)

    async def of(self, hackathon: HackathonDetail, submission: Submission) -> Scorecard:
        """The same for those who may see it for another reason. [AP11, AP9, AP17]"""
        db = self._courtroom.db
        summary = await db.run(reads.submission_summary(submission.sub_id))
        if summary is None:
            raise Problem(404, "NOT_SCORED", "It has not been analysed yet.")
        agents, rank, run = await asyncio.gather(
            self._agents(summary.sub_id, summary.run_id),
            self._courtroom.standings.rank_of(submission),
            db.run(reads.run_of_submission(summary.sub_id, summary.run_id)),
        )
        return Scorecard(hackathon, submission, summary, agents, rank, run)

    async def runs(
        self,
        caller: Caller,
        hack_id: str,
        sub_id: str,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Page[Run]:
        """The runs of a submission, the latest first. [AP23]"""
        _, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        op = reads.runs_of_submission(submission.sub_id)
        return await self._courtroom.db.run(op, limit=limit, cursor=cursor)

    async def run(self, caller: Caller, hack_id: str, sub_id: str, run_id: str) -> RunDetail:
        """One run and what its agents found: an earlier one stays readable."""
        _, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        run = None
        if is_id(run_id):
            run = await self._courtroom.db.run(reads.run_of_submission(submission.sub_id, run_id))
        if run is None:
            raise not_found("run")
        # What a run has found that was never published is nobody's business. [T9]
        published = run.status == "completed"
        agents = await self._agents(run.sub_id, run.run_id) if published else ()
        return RunDetail(submission, run, agents, submission.run_id == run.run_id)

    async def _agents(self, sub_id: str, run_id: str) -> tuple[AgentScore, ...]:
        """In the order in which agents are told."""
        found = await self._courtroom.db.run(reads.agent_scores(sub_id, run_id))
        return tuple(sorted(found, key=lambda each: ALL_AGENTS.index(each.agent_name)))

    # --- scoring again ---------------------------------------------------------------------------

    async def rescore(self, caller: Caller, hack_id: str) -> Rescored:
        """All that has a result, by the rubric and the policy of now; no agent is asked.

        Also what a later run has failed in: by the result of before it is still ranked.

        What takes longer than a request is left: asked again, it goes on, since what is scored by
        the same rubric already is not written again.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        check_act(hackathon, "rescore")
        found = self._courtroom.db.iterate(reads.submissions(hack_id))
        ids = [each.sub_id async for each in found if _is_scored(each)]
        timeout = self._courtroom.runtime.settings.request_timeout_secs
        until = time.monotonic() + _TIME_SHARE * timeout
        outcomes = await at_most(_AT_ONCE, (self._again(hackathon, each, until) for each in ids))
        done = _told(outcomes)
        if done.rescored:
            self._courtroom.standings.changed(hack_id)
            await self._courtroom.db.run(self._noted(caller, hackathon, done))
        return done

    def _noted(self, caller: Caller, hackathon: HackathonDetail, done: Rescored) -> Put[AuditEntry]:
        return audit.record(
            caller.principal,
            "hackathon.rescore",
            f"hackathon/{hackathon.hack_id}",
            at=self._courtroom.now(),
            detail={"rescored": done.rescored, "left": done.left},
        )

    async def _again(self, hackathon: HackathonDetail, sub_id: str, until: float) -> Outcome:
        """One submission.

        One transaction: the summary on condition that it is the one that was read, and the
        submission likewise, while nobody works on it and it takes part. Whoever publishes a run
        meanwhile wins; anything else that has changed is read again.
        """
        run_id: str | None = None
        for retry in range(RETRIES + 1):
            if time.monotonic() >= until:
                return "left"
            submission, summary = await self._read(hackathon.hack_id, sub_id)
            if submission is None or summary is None or not _is_scored(submission):
                return "published"
            if summary.run_id != (run_id := run_id or summary.run_id):
                return "published"
            after = await self._measured(hackathon, submission, summary)
            if after is None:
                return "unscorable"
            if after == summary.model_copy(update={"updated_at": after.updated_at}):
                return "unchanged"
            try:
                op = task_writes.rescore(submission, after, after.updated_at)
                scores_open = writes.check_scores_open(hackathon.hack_id)
                await self._courtroom.db.run(together(op, scores_open))
            except TransactionCancelled as error:
                if refused_at(error, HackathonDetail):
                    raise released() from None
                if not (refused(error) or in_the_way(error)):
                    raise
                await asyncio.sleep(pause(retry, random.random()))
                continue
            return "rescored"
        raise busy()

    async def _read(
        self, hack_id: str, sub_id: str
    ) -> tuple[Submission | None, SubmissionSummary | None]:
        db = self._courtroom.db
        # The summary first: a run that is published in between shows in the submission's version.
        summary = await db.run(reads.submission_summary(sub_id))
        return await db.run(reads.submission(hack_id, sub_id)), summary

    async def _measured(
        self, hackathon: HackathonDetail, submission: Submission, summary: SubmissionSummary
    ) -> SubmissionSummary | None:
        """The summary by the rubric of now, of what the agents found then."""
        found = await self._agents(summary.sub_id, summary.run_id)
        made = verdict(
            hackathon,
            {each.agent_name: each for each in found},
            missing=_missing(hackathon, summary, found),
            flags=summary.flags,
            totals=Totals(
                summary.total_cost_usd, summary.total_tokens, summary.analysis_duration_ms
            ),
        )
        if made is None:
            return None
        after = made.summary(submission, summary.run_id, self._courtroom.now(), summary)
        kept = {"final_score": summary.final_score, "override_id": summary.override_id}
        return after.model_copy(update=kept)


def _is_scored(submission: Submission) -> bool:
    """Whether it has a result that counts, and nobody is looking for another one."""
    resting = submission.status not in (*IN_WORK, "withdrawn")
    return resting and submission.run_id is not None


def _missing(
    hackathon: HackathonDetail, summary: SubmissionSummary, found: Sequence[AgentScore]
) -> list[Agent]:
    """Those that had failed, and are still wanted."""
    there = {each.agent_name for each in found}
    enabled = hackathon.agents_enabled
    return [each for each in summary.missing_agents if each in enabled and each not in there]


def _told(outcomes: Sequence[Outcome]) -> Rescored:
    count = Counter(outcomes)
    return Rescored(
        total=len(outcomes),
        rescored=count["rescored"],
        unchanged=count["unchanged"],
        skipped=count["published"] + count["unscorable"],
        left=count["left"],
    )
