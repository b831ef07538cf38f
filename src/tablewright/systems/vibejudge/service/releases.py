"""Releases: the ranking is taken down, and stays as it is until the hackathon is reopened.

A release has two transactions. The first makes scores final: from then on whatever would change a
score or a rank is refused, and no round can be opened. The second writes the snapshot and the date
of the release, all or nothing. If the process ends in between, nothing is shown yet, and releasing
once more goes on from there; reopening takes it back.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.model import Put, together
from tablewright.model.errors import CursorError, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import Problem, conflict
from tablewright.systems.vibejudge import release_patterns as patterns
from tablewright.systems.vibejudge.bodies.hackathons import ReleaseIn
from tablewright.systems.vibejudge.bodies.judges import RoundChange
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Round
from tablewright.systems.vibejudge.releases import (
    ROWS_OF_A_PAGE,
    Release,
    ReleasedRow,
    rank_submissions,
    split_into_pages,
)
from tablewright.systems.vibejudge.rules.editing import check_act
from tablewright.systems.vibejudge.rules.phases import has_ended
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.standings import Ranked, ranked_rows

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: How often a release is begun anew when something has changed since it was looked at.
_TRIES: Final = 8
_JUDGING: Final = ("open", "paused")
_DEFAULT: Final = ReleaseIn()


class Releases:
    """Releases results, and reads what was released."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- releasing -------------------------------------------------------------------------------

    async def release(
        self, caller: Caller, hack_id: str, body: ReleaseIn = _DEFAULT
    ) -> HackathonDetail:
        """Show teams and the public the results as they are now. A second time changes nothing.

        Rounds that judges are still at are closed if the body says so; else the release is refused.
        """
        for _ in range(_TRIES):
            hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
            if hackathon.released_at is not None:
                return hackathon
            self._check_state(hackathon)
            if hackathon.release_id is None:
                await self._close_rounds(caller, hack_id, body)
                await self._begin(caller, hack_id, body)
            else:
                await self._finish(caller, hackathon)
        raise _busy()

    def _check_state(self, hackathon: HackathonDetail) -> None:
        # Judges alone may have scored it: an analysis is not needed for a release after the end.
        if hackathon.status == "configured" and has_ended(hackathon, self._courtroom.now()):
            return
        if hackathon.status == "configured":
            detail = "Results can be released once the hackathon has ended."
            raise conflict("WRONG_STATE", detail)
        check_act(hackathon, "release")

    async def _close_rounds(self, caller: Caller, hack_id: str, body: ReleaseIn) -> None:
        rounds = self._courtroom.judging.rounds
        judging = [each for each in await rounds.all(hack_id) if each.state in _JUDGING]
        if judging and not body.close_rounds:
            raise _rounds_open(judging)
        for each in judging:
            change = RoundChange(state="closed")
            await rounds.change(caller, hack_id, each.round_number, change)

    async def _begin(self, caller: Caller, hack_id: str, body: ReleaseIn) -> None:
        """Make scores final.

        One transaction: the hackathon, on condition that it is the version that was read and not
        being analysed; its row in the list; and no request for final scores may be waiting. Rounds
        are read after the hackathon: opening one changes its version.
        """
        courtroom = self._courtroom
        if not await courtroom.judging.blending.blend_now(hack_id):
            return  # Another process computes final scores: look again.
        hackathon = await courtroom.hackathons.owned(caller, hack_id)
        rounds = await courtroom.judging.rounds.all(hack_id)
        if any(each.state in _JUDGING for each in rounds):
            return
        release_id, now = courtroom.runtime.ids(), courtroom.now()
        op = patterns.begin_release(hackathon, release_id, body.public_ranks, now)
        try:
            await settled(courtroom.db, lambda: op)
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise

    async def _finish(self, caller: Caller, hackathon: HackathonDetail) -> None:
        """Write the snapshot.

        One transaction: the header and the pages, new; the hackathon, on condition that this
        release was begun and is neither finished nor taken back; the audit entry; and the message.
        What it rests on does not change any more: two who write it write the same.
        """
        courtroom, now = self._courtroom, self._courtroom.now()
        found = courtroom.db.iterate(patterns.submissions_to_release(hackathon.hack_id))
        rows = rank_submissions([each async for each in found])
        header, pages = split_into_pages(hackathon, rows, now)
        op = patterns.release_results(header, pages, now)
        noted = self._noted(caller, hackathon)
        message = courtroom.messages.results_released(hackathon)
        try:
            await settled(courtroom.db, lambda: together(op, noted, message))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
        courtroom.standings.changed(hackathon.hack_id)

    def _noted(self, caller: Caller, hackathon: HackathonDetail) -> Put[AuditEntry]:
        subject, now = f"hackathon/{hackathon.hack_id}", self._courtroom.now()
        return audit.record(caller.principal, "hackathon.release", subject, at=now)

    # --- reading ---------------------------------------------------------------------------------

    async def rows(
        self, hackathon: HackathonDetail, limit: int, cursor: str | None = None
    ) -> Page[ReleasedRow]:
        """Read a part of the released ranking, as far as the public sees it."""
        if hackathon.release_id is None:
            # Released before there were snapshots.
            live = await self._courtroom.standings.leaderboard(hackathon, limit, cursor)
            return Page(tuple(_row_of(each) for each in live), live.cursor)
        start = self._read_cursor(hackathon, cursor)
        number, offset = divmod(start, ROWS_OF_A_PAGE)
        rows: list[ReleasedRow] = []
        while len(rows) <= limit:
            page = await self._page(hackathon, number)
            rows += page[offset:]
            if len(page) < ROWS_OF_A_PAGE:
                break
            number, offset = number + 1, 0
        most = hackathon.public_ranks
        public = [each for each in rows if most is None or each.rank <= most]
        more = len(public) > limit
        after = self._write_cursor(hackathon, start + limit) if more else None
        return Page(tuple(public[:limit]), after)

    async def rank_of(self, hackathon: HackathonDetail, submission: Submission) -> int | None:
        """Read a team's rank; its row is found by its score.

        Equal scores may go on over pages: each that can have it is read.
        """
        hack_id, release_id = hackathon.hack_id, hackathon.release_id
        score = submission.rank_score
        if release_id is None or score is None:
            return await self._courtroom.standings.rank_of(submission)
        header = await self._courtroom.db.run(patterns.release(hack_id, release_id))
        for number in [] if header is None else _pages_with(header, score):
            for row in await self._page(hackathon, number):
                if row.sub_id == submission.sub_id:
                    return row.rank
        return None

    async def _page(self, hackathon: HackathonDetail, number: int) -> list[ReleasedRow]:
        """Read one page of rows; an empty one follows the last."""
        op = patterns.release_page(hackathon.hack_id, hackathon.release_id or "", number)
        page = await self._courtroom.db.run(op)
        return [] if page is None else page.rows

    def _write_cursor(self, hackathon: HackathonDetail, position: int) -> str:
        op, key = ranked_rows(hackathon.hack_id), self._courtroom.db.context.cursor_key
        start = {"position": {"S": str(position)}, "release": {"S": hackathon.release_id or ""}}
        return write_cursor(key, op.pattern, op.selection, start)

    def _read_cursor(self, hackathon: HackathonDetail, cursor: str | None) -> int:
        if cursor is None:
            return 0
        op, key = ranked_rows(hackathon.hack_id), self._courtroom.db.context.cursor_key
        start = read_cursor(key, op.pattern, op.selection, cursor)
        if start.get("release") != {"S": hackathon.release_id}:
            raise CursorError("this is not a cursor of these results: start again without one")
        return int(start["position"]["S"])


def _row_of(ranked: Ranked) -> ReleasedRow:
    row = ranked.row
    return ReleasedRow(
        rank=ranked.rank,
        sub_id=row.sub_id,
        team_name=row.team_name,
        repo_url="",
        score=row.rank_score,
        overall_score=row.overall_score,
    )


def _pages_with(header: Release, score: Decimal) -> list[int]:
    """List the pages on which a score can be: one, or more if equals go on over pages."""
    lowest = header.lowest_scores
    first = next((at for at, each in enumerate(lowest) if each <= score), len(lowest))
    ends = next((at for at in range(first, len(lowest)) if lowest[at] < score), len(lowest) - 1)
    return list(range(first, ends + 1))


def _rounds_open(rounds: list[Round]) -> Problem:
    numbers = ", ".join(str(each.round_number) for each in rounds)
    which = f"Round {numbers} is" if len(rounds) == 1 else f"Rounds {numbers} are"
    detail = (
        f"{which} not closed, so judges can still score. Close them first, or with the release."
    )
    return conflict("ROUNDS_OPEN", detail)


def _busy() -> Problem:
    detail = "Final scores are being computed. Nothing was released; try again in a moment."
    return Problem(503, "SCORES_PENDING", detail, headers={"Retry-After": "5"})
