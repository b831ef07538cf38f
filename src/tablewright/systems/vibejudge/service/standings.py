"""Leaderboards, figures and resemblances of a hackathon."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.model.errors import CursorError
from tablewright.model.ops import Query
from tablewright.service.problems import Problem, not_found
from tablewright.service.remembered import Remembered
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.reads import LeaderboardRow
from tablewright.systems.vibejudge.releases import ReleasedRow
from tablewright.systems.vibejudge.rules.figures import Figures, figures
from tablewright.systems.vibejudge.rules.flags import similar_in
from tablewright.systems.vibejudge.rules.minhash import Pair, alike
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Scorecards that are read at once.
_AT_ONCE = 100
#: Pairs that are told; who has more copies than that knows what to do.
MOST_PAIRS = 500
#: All scorecards are read for the figures of a hackathon: not for everybody who looks at a page.
_FIGURES_SECS = 15.0
#: All fingerprints are compared with each other: neither is that.
_COMPARED_SECS = 30.0


@dataclass(frozen=True)
class Ranked:
    """A row of a leaderboard. Equal scores share a rank: 1, 2, 2, 4."""

    rank: int
    row: LeaderboardRow


@dataclass(frozen=True)
class Board:
    """A part of a leaderboard, and for whom it is."""

    hackathon: HackathonDetail
    #: The organiser sees scores as they are now, everybody else the released ones.
    page: Page[Ranked] | Page[ReleasedRow]
    #: Whether it is shown to the organiser; everybody else sees less.
    own: bool


@dataclass(frozen=True)
class Alike:
    """Two submissions whose code resembles each other's."""

    first: Submission
    second: Submission
    similarity: Decimal


@dataclass(frozen=True)
class Resemblances:
    #: Submissions that have been compared with each other.
    compared: int
    #: The most alike first.
    pairs: tuple[Alike, ...]
    #: How many there are, though not all are told.
    found: int


@dataclass(frozen=True)
class _Compared:
    """All fingerprints of a hackathon, compared: how many there are, and which are alike."""

    prints: int
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class _Before:
    """What a page follows."""

    place: int = 0
    rank: int = 0
    score: Decimal | None = None


_FIRST = _Before()


class Standings:
    """Leaderboards, figures and resemblances of a hackathon."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        clock = courtroom.runtime.clock
        self._figures = Remembered(self._counted, clock, secs=_FIGURES_SECS)
        self._compared = Remembered(self._compare, clock, secs=_COMPARED_SECS)

    # --- the leaderboard -------------------------------------------------------------------------

    async def board(
        self, caller: Caller | None, hack_id: str, limit: int, cursor: str | None = None
    ) -> Board:
        """For the organiser always; for everybody once a public hackathon is released, else 404."""
        hackathon, own = await self._visible(caller, hack_id)
        if own:
            return Board(hackathon, await self.leaderboard(hackathon, limit, cursor), own)
        released = await self._courtroom.releases.rows(hackathon, limit, cursor)
        return Board(hackathon, released, own)

    async def _visible(self, caller: Caller | None, hack_id: str) -> tuple[HackathonDetail, bool]:
        if caller is not None and (caller.admin or caller.org_id is not None):
            try:
                return await self._courtroom.hackathons.owned(caller, hack_id), True
            except Problem as problem:
                if problem.status != 404:
                    raise
        found = await self._courtroom.hackathons.public_one(hack_id)
        if found.released_at is None:
            raise not_found("hackathon")
        return found, False

    async def leaderboard(
        self, hackathon: HackathonDetail, limit: int | None = None, cursor: str | None = None
    ) -> Page[Ranked]:
        """The best first, in one request; who has no score is not among them. [AP16]

        The cursor holds where the page before has ended, so that ranks go on over pages without
        those before being counted again.
        """
        op = ranked_rows(hackathon.hack_id)
        before, inner = self._read(op, cursor)
        page = await self._courtroom.db.run(op, limit=limit, cursor=inner)
        rows, last = ranked(page, before)
        return Page(tuple(rows), page.cursor and self._written(op, last, page.cursor))

    async def rank_of(self, submission: Submission) -> int | None:
        """The rank of one submission, if it has one. [AP17]"""
        if submission.rank_score is None:
            return None
        op = reads.better_ranked(submission.hack_id, submission.rank_score)
        return await self._courtroom.db.run(op) + 1

    def _written(self, op: Query[LeaderboardRow], last: _Before, inner: str) -> str:
        kept = {"place": last.place, "rank": last.rank, "score": last.score, "inner": inner}
        start = {name: {"S": str(value)} for name, value in kept.items()}
        return write_cursor(self._courtroom.db.context.cursor_key, op.pattern, op.selection, start)

    def _read(self, op: Query[LeaderboardRow], cursor: str | None) -> tuple[_Before, str | None]:
        if cursor is None:
            return _FIRST, None
        key = self._courtroom.db.context.cursor_key
        start = read_cursor(key, op.pattern, op.selection, cursor)
        # Cursors of the query itself are signed with the same key.
        if "inner" not in start:
            raise CursorError("this is not a cursor of a leaderboard: start again without one")
        said = {name: value["S"] for name, value in start.items()}
        before = _Before(int(said["place"]), int(said["rank"]), Decimal(said["score"]))
        return before, said["inner"]

    # --- figures ---------------------------------------------------------------------------------

    async def stats(self, caller: Caller, hack_id: str) -> Figures:
        """Counts, the distribution of scores, and averages; some seconds old at the most."""
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        return await self._figures.get(hackathon.hack_id)

    async def _counted(self, hack_id: str) -> Figures:
        found = self._courtroom.db.iterate(reads.submissions(hack_id))
        submissions = [each async for each in found]
        ids = [each.sub_id for each in submissions if each.rank_score is not None]
        return figures(submissions, await self._cards(ids))

    def changed(self, hack_id: str) -> None:
        """Scores of a hackathon are others now: who looks here next sees them."""
        self._figures.forget(hack_id)
        self._compared.forget(hack_id)

    async def flags(self, rows: Sequence[Ranked]) -> dict[str, tuple[str, ...]]:
        """What is flagged of these rows of a leaderboard, by submission; the index knows none."""
        found = await self._cards([each.row.sub_id for each in rows])
        return {each.sub_id: tuple(each.flags) for each in found}

    async def _cards(self, sub_ids: Sequence[str]) -> list[SubmissionSummary]:
        found: list[SubmissionSummary] = []
        for at in range(0, len(sub_ids), _AT_ONCE):
            some = await self._courtroom.db.run(reads.scorecards(sub_ids[at : at + _AT_ONCE]))
            found += [each for each in some if each is not None]
        return found

    # --- resemblances ----------------------------------------------------------------------------

    async def similarity(self, caller: Caller, hack_id: str) -> Resemblances:
        """Pairs whose code is the same by three fifths and more: for people to look into. [AP26]

        Code that was analysed in the last half minute may be missing.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        compared = await self._compared.get(hackathon.hack_id)
        told = compared.pairs[:MOST_PAIRS]
        shown = await self._shown(hackathon.hack_id, told)
        found = len(compared.pairs) - len(told) + len(shown)
        return Resemblances(compared.prints, tuple(shown), found)

    async def resembling(self, hack_id: str, flags: Iterable[str]) -> list[tuple[Submission, int]]:
        """Those that flags of a scorecard tell of, and by how many percent it is like them."""
        told = similar_in(flags)
        known = await self._named(hack_id, [each.sub_id for each in told])
        return [(known[each.sub_id], each.percent) for each in told if each.sub_id in known]

    async def _compare(self, hack_id: str) -> _Compared:
        found = self._courtroom.db.iterate(reads.fingerprints(hack_id))
        prints = {each.sub_id: each.minhash async for each in found}
        # Hundreds that are all copies of one would hold up everybody else.
        pairs = await asyncio.to_thread(alike, prints)
        return _Compared(len(prints), tuple(pairs))

    async def _shown(self, hack_id: str, pairs: Sequence[Pair]) -> list[Alike]:
        both = (each for pair in pairs for each in (pair.first, pair.second))
        known = await self._named(hack_id, list(dict.fromkeys(both)))
        return [
            Alike(known[each.first], known[each.second], each.similarity)
            for each in pairs
            if each.first in known and each.second in known
        ]

    async def _named(self, hack_id: str, ids: Sequence[str]) -> dict[str, Submission]:
        """Submissions by their ids; those that take no part any more are left out."""
        known: dict[str, Submission] = {}
        for at in range(0, len(ids), _AT_ONCE):
            op = reads.submissions_exported(hack_id, ids[at : at + _AT_ONCE])
            for each in await self._courtroom.db.run(op):
                if isinstance(each, Submission) and each.status != "withdrawn":
                    known[each.sub_id] = each
        return known


def ranked(
    rows: Iterable[LeaderboardRow], before: _Before = _FIRST
) -> tuple[list[Ranked], _Before]:
    """Rows with their ranks, after those before; and what the next page follows."""
    found: list[Ranked] = []
    for row in rows:
        place = before.place + 1
        rank = before.rank if row.rank_score == before.score else place
        found.append(Ranked(rank, row))
        before = _Before(place, rank, row.rank_score)
    return found, before


def ranked_rows(hack_id: str) -> Query[LeaderboardRow]:
    op = reads.leaderboard(hack_id)
    assert isinstance(op, Query)
    return op
