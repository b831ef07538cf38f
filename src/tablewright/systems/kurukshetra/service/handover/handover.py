"""Paid teams with a repository go to judging, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.model.errors import VersionConflict
from tablewright.service.conflicts import settled
from tablewright.service.gathering import at_most
from tablewright.service.ports import HandedRow, Ports, RowResult, SubmissionSink
from tablewright.service.problems import conflict
from tablewright.systems.kurukshetra import lists, reads, teaming
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.lists import TeamLine
from tablewright.systems.kurukshetra.service.handover.link import Link
from tablewright.systems.kurukshetra.service.jobs import Going
from tablewright.systems.kurukshetra.teams import Submission

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

JOB: Final = "handover"
#: Rows that judging takes at once.
_TOGETHER: Final = 500
_BESIDE: Final = 8
#: Teams whom a job names that judging did not take.
_MOST_NAMED: Final = 100


class Handover:
    """The handover of repositories to judging."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        options = festival.options
        self._link: Link | None = None
        if options.vibejudge_url is not None and options.vibejudge_key is not None:
            clock = festival.runtime.clock
            self._link = Link(options.vibejudge_url, options.vibejudge_key, clock)
        self._neighbour: SubmissionSink | None = None
        festival.jobs.handle(JOB, self._run)

    def joined(self, ports: Ports) -> None:
        """Other systems are in the same process, on one's own machine."""
        self._neighbour = ports.submissions

    async def close(self) -> None:
        """With the process."""
        if self._link is not None:
            await self._link.close()

    @property
    def sink(self) -> SubmissionSink | None:
        """Where judging is; an address that was given comes first."""
        return self._link or self._neighbour

    async def start(self, by: Caller) -> Job:
        """A job that hands over what judging does not have yet; 409 if there is no judging."""
        by.require("organizer")
        hack_id, _ = await self._ways(by.event_id)
        return await self._festival.jobs.start(by, JOB, {"hack_id": hack_id})

    async def _ways(self, e: str) -> tuple[str, SubmissionSink]:
        config = await self._festival.events.config(e)
        if config.vibejudge_hack_id is None:
            detail = "The event has no counterpart in judging: set vibejudge_hack_id."
            raise conflict("NO_HACKATHON", detail)
        if self.sink is None:
            raise conflict("NO_JUDGING", "Judging is not connected: set vibejudge_url and its key.")
        return config.vibejudge_hack_id, self.sink

    # --- the job ---------------------------------------------------------------------------------

    async def _run(self, going: Going) -> Mapping[str, JsonValue]:
        """Up to 500 teams at a time. A team is known to judging by its id: what is sent twice,
        after a crash or by two jobs, is there once."""
        hack_id, sink = await self._ways(going.job.event_id)
        counts: Counter[str] = Counter()
        refused: list[RowResult] = []
        async for teams in self._paid(going.job.event_id):
            waiting, before = await self._to_hand(going.job.event_id, teams)
            counts.update(before)
            rows = [_row(line, submission) for line, submission in waiting]
            answers = await sink.hand_over(hack_id, rows) if rows else []
            for (_, submission), answer in zip(waiting, answers, strict=True):
                counts[await self._noted(submission, answer)] += 1
            refused += [each for each in answers if each.sub_id is None]
            await going.reached(sum(counts.values()), result=_result(counts, refused))
        return _result(counts, refused)

    async def _paid(self, e: str) -> AsyncIterator[list[TeamLine]]:
        some: list[TeamLine] = []
        async for line in self._festival.db.iterate(lists.teams_by_status(e, "paid")):
            some.append(line)
            if len(some) == _TOGETHER:
                yield some
                some = []
        if some:
            yield some

    async def _to_hand(
        self, e: str, lines: Sequence[TeamLine]
    ) -> tuple[list[tuple[TeamLine, Submission]], Counter[str]]:
        """Teams that judging does not have yet, and how many there are of the others."""
        found = await self._festival.db.run(reads.submissions(e, [each.team_id for each in lines]))
        waiting: list[tuple[TeamLine, Submission]] = []
        others: Counter[str] = Counter()
        for line, submission in zip(lines, found, strict=True):
            if submission is None:
                others["no_repository"] += 1
            elif submission.sub_id is not None:
                others["before"] += 1
            else:
                waiting.append((line, submission))
        still = await at_most(_BESIDE, (self._is_paid(e, each.team_id) for each, _ in waiting))
        # The list may be a moment behind: whoever got their money back meanwhile is not judged.
        return [each for each, paid in zip(waiting, still, strict=True) if paid], others

    async def _is_paid(self, e: str, t: str) -> bool:
        team = await self._festival.db.run(reads.team(e, t))
        return team is not None and team.payment_status == "paid"

    async def _noted(self, submission: Submission, answer: RowResult) -> str:
        """What judging calls it. One write, on condition that the repository is as was read: if the
        team has changed it meanwhile, it is handed over again."""
        if answer.sub_id is None:
            return "refused"
        op = teaming.mark_handed_over(submission, answer.sub_id, self._festival.now())
        try:
            await settled(self._festival.db, lambda: op)
        except VersionConflict:
            return "changed"
        return "created" if answer.created else "unchanged"


def _row(line: TeamLine, submission: Submission) -> HandedRow:
    return HandedRow(line.name, submission.repo_url, line.team_id)


_COUNTED: Final = ("created", "unchanged", "before", "refused", "changed", "no_repository")


def _result(counts: Counter[str], refused: Sequence[RowResult]) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {name: counts[name] for name in _COUNTED}
    named: list[JsonValue] = [
        {"team_id": each.external_id, "code": each.code, "detail": each.detail[:200]}
        for each in refused[:_MOST_NAMED]
    ]
    return {**told, "refusals": named}
