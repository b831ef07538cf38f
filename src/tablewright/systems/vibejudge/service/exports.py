"""The results of a hackathon as one file: by rank, then whoever has none.

The order is read first, ids alone; then page by page what is written, so that any size needs little
memory.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.service.csv_cells import lines
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import Run, SubmissionSummary
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.rules.scoring import rounded
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.standings import ranked

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions that are read and written at once.
_PAGE = 50
_BEFORE = ("rank", "team", "repo", "sha")
_AFTER = ("overall", "final", "confidence", "recommendation", "flags", "status")


@dataclass(frozen=True)
class _Line:
    submission: Submission
    rank: int | None
    summary: SubmissionSummary | None
    run: Run | None


class Exports:
    """Results for spreadsheets."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def csv(self, caller: Caller, hack_id: str) -> AsyncIterator[bytes]:
        """The file in pieces; what is refused is refused before the first."""
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        return self._written(hackathon)

    async def _written(self, hackathon: HackathonDetail) -> AsyncIterator[bytes]:
        names = [each.name for each in hackathon.rubric.dimensions]
        yield lines([(*_BEFORE, *names, *_AFTER)])
        async for some in self._pages(hackathon.hack_id):
            yield lines([_cells(each, names) for each in some])

    async def _pages(self, hack_id: str) -> AsyncIterator[list[_Line]]:
        ranks = await self._ranks(hack_id)
        for ids in _in_pages(list(ranks)):
            found = await self._courtroom.db.run(reads.submissions_exported(hack_id, ids))
            there = [each for each in found if isinstance(each, Submission)]
            yield await self._with_results(there, ranks)
        waiting: list[Submission] = []
        async for each in self._courtroom.db.iterate(reads.submissions(hack_id)):
            if each.sub_id not in ranks:
                waiting.append(each)
            if len(waiting) >= _PAGE:
                yield await self._with_results(waiting, ranks)
                waiting = []
        if waiting:
            yield await self._with_results(waiting, ranks)

    async def _ranks(self, hack_id: str) -> dict[str, int]:
        """The rank of each submission that has one, the best first; equals share it."""
        rows = self._courtroom.db.iterate(reads.leaderboard(hack_id))
        found, _ = ranked([each async for each in rows])
        return {each.row.sub_id: each.rank for each in found}

    async def _with_results(
        self, submissions: Sequence[Submission], ranks: Mapping[str, int]
    ) -> list[_Line]:
        asked = [(each.sub_id, each.run_id) for each in submissions if each.run_id is not None]
        found = await self._courtroom.db.run(reads.results_exported(asked)) if asked else ()
        summaries = {each.sub_id: each for each in found if isinstance(each, SubmissionSummary)}
        runs = {each.sub_id: each for each in found if isinstance(each, Run)}
        return [
            _Line(each, ranks.get(each.sub_id), summaries.get(each.sub_id), runs.get(each.sub_id))
            for each in submissions
        ]


def _in_pages(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _PAGE):
        yield ids[start : start + _PAGE]


def _cells(line: _Line, dimensions: Iterable[str]) -> list[object]:
    submission, summary = line.submission, line.summary
    scores = {} if summary is None else summary.weighted_scores
    # What was judged, or what will be.
    sha = submission.frozen_sha if line.run is None else line.run.commit_sha
    return [
        line.rank,
        submission.team_name,
        submission.repo_url,
        sha,
        *(_number(scores[name].raw) if name in scores else None for name in dimensions),
        _number(submission.overall_score),
        _number(submission.final_score),
        _number(submission.confidence),
        submission.recommendation,
        "; ".join(summary.flags) if summary is not None else None,
        "disqualified" if submission.disqualified_reason else submission.status,
    ]


def _number(value: Decimal | None) -> object:
    return None if value is None else rounded(value)
