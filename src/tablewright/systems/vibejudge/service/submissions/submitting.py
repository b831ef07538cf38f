"""Rows as transactions: twenty at once, and one by one what was refused together.

T4: each submission with its locks on the repository, the team's name and the other system's id; the
hackathon counts them, if it is configured, has room and has not ended (its organiser may be late);
its row in the organiser's list follows; and who handed them in is written down.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import (
    ConditionFailed,
    OutcomeUnknown,
    TransactionCancelled,
    Unavailable,
)
from tablewright.service.auth import Principal
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.service.repo_urls import BadRepoUrl
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.entities import (
    ExternalLock,
    HackathonDetail,
    RepoLock,
    Submission,
    TeamLock,
    repo_key,
)
from tablewright.systems.vibejudge.rules.phases import takes_submissions
from tablewright.systems.vibejudge.rules.result_tokens import new_token
from tablewright.systems.vibejudge.service.submissions.addresses import address_of
from tablewright.systems.vibejudge.service.submissions.rows import (
    Given,
    NotedRow,
    Row,
    RowResult,
    apart,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Rows of one transaction: with four items each, the two of the hackathon and an audit entry they
#: are 83 of the 100 that it may have.
TOGETHER = 20
#: How often a submission is read again that somebody changes at the same time.
_ATTEMPTS = 4


class Hand:
    """Who hands in, into which hackathon, and how many it may have."""

    def __init__(self, hackathon: HackathonDetail, limit: int, by: Principal | None) -> None:
        self.hackathon = hackathon
        self.limit = limit
        #: The organiser, or somebody for them; None is the public.
        self.by = by
        #: Nobody waits for it: it may take as long as it needs.
        self.beside = False

    @property
    def hack_id(self) -> str:
        return self.hackathon.hack_id


class Submitting:
    """Stores rows."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def store(
        self, hand: Hand, given: Sequence[Given], results: MutableMapping[int, RowResult]
    ) -> None:
        """Fills ``results`` by and by; whatever a row meets, the others go on."""
        rows = list(self._rows(given, results))
        first, later = apart(rows)
        for start in range(0, len(first), TOGETHER):
            for result in await self._batch(hand, first[start : start + TOGETHER]):
                results[result.index] = result
        for row in later:
            results[row.index] = await self.one(hand, row)

    def _rows(
        self, given: Sequence[Given], results: MutableMapping[int, RowResult]
    ) -> Iterator[Row]:
        for index, each in enumerate(given):
            if isinstance(each, RowResult):
                results[index] = each.at(index)
                continue
            note = each.note if isinstance(each, NotedRow) else None
            body = each.body if isinstance(each, NotedRow) else each
            try:
                address = address_of(body.repo_url, self._courtroom.access)
            except BadRepoUrl as bad:
                results[index] = RowResult.refused(bad_repo(bad), index=index)
            else:
                yield Row(index, body, address, note)

    async def _batch(self, hand: Hand, rows: Sequence[Row]) -> list[RowResult]:
        """All of them, or one by one: a transaction is stored as a whole or not at all."""
        if len(rows) > 1:
            try:
                return await self._together(hand, rows)
            except TransactionCancelled:
                pass
            except (Unavailable, OutcomeUnknown, Problem):
                return [RowResult.refused(_away(), index=row.index) for row in rows]
        return [await self.one(hand, row) for row in rows]

    async def one(self, hand: Hand, row: Row) -> RowResult:
        """One row; what is in its way is told."""
        try:
            (result,) = await self._together(hand, [row])
            return result
        except TransactionCancelled as cancelled:
            return (await self._refused(hand, row, cancelled)).at(row.index)
        except (Unavailable, OutcomeUnknown, Problem):
            # It stayed away, or busy: the rows before it are stored, and told so.
            return RowResult.refused(_away(), index=row.index)

    async def _together(self, hand: Hand, rows: Sequence[Row]) -> list[RowResult]:
        """T4, and an audit entry if it is the organiser who hands them in."""
        now = self._courtroom.now()
        made = [self._submission(hand, row, now) for row in rows]
        stored = [submission for submission, _ in made]
        by, org_id = hand.by, hand.hackathon.org_id
        op = writes.submit(stored, org_id, hand.limit, now, by_owner=by is not None)
        if by is not None:
            names = [each.sub_id for each in stored]
            subject = f"hackathon/{hand.hack_id}"
            detail = {"submissions": names}
            op = together(op, audit.record(by, "submission.add", subject, at=now, detail=detail))
        db = self._courtroom.patient if hand.beside else self._courtroom.db
        await settled(db, lambda: op)
        return [
            RowResult(row.index, 201, submission.sub_id, token, note=row.note)
            for row, (submission, token) in zip(rows, made, strict=True)
        ]

    def _submission(self, hand: Hand, row: Row, now: datetime) -> tuple[Submission, str]:
        sub_id = self._courtroom.runtime.ids()
        token, digest = new_token(hand.hack_id, sub_id)
        submission = Submission(
            hack_id=hand.hack_id,
            sub_id=sub_id,
            team_name=row.body.team_name,
            repo_url=row.address.url,
            repo_owner=row.address.owner,
            repo_name=row.address.name,
            external_id=row.body.external_id,
            result_token_hash=digest,
            created_at=now,
            updated_at=now,
        )
        return submission, token

    # --- refusals --------------------------------------------------------------------------------

    async def _refused(self, hand: Hand, row: Row, cancelled: TransactionCancelled) -> RowResult:
        if not refused(cancelled):
            return RowResult.refused(_away())
        found = items_met(cancelled)
        for lock in found:
            if isinstance(lock, ExternalLock):
                return await self._again(hand, row, lock.sub_id)
        for item in found:
            if isinstance(item, HackathonDetail):
                return RowResult.refused(closed(item, hand, self._courtroom.now()))
        for lock in found:
            if isinstance(lock, RepoLock):
                return _taken(hand, lock.sub_id, repo_taken())
            if isinstance(lock, TeamLock):
                return _taken(hand, lock.sub_id, team_taken())
        return RowResult.refused(not_found("hackathon"))

    async def _again(self, hand: Hand, row: Row, sub_id: str) -> RowResult:
        """The other system sends what it has sent before, perhaps with another repository.

        One transaction: the submission, if it is the version that was read, pending and not frozen;
        the old lock goes and the new one is free; the hackathon is open; and the audit entry.
        """
        for _ in range(_ATTEMPTS):
            found = await self._courtroom.db.run(reads.submission(hand.hack_id, sub_id))
            if found is None:
                return RowResult.refused(_fixed(), sub_id)
            if repo_key(found.repo_url) == row.address.key:
                return RowResult(row.index, 200, sub_id)
            if is_closed(hand, now := self._courtroom.now()):
                return RowResult.refused(closed(hand.hackathon, hand, now), sub_id)
            if found.status != "pending" or found.frozen_sha is not None:
                return RowResult.refused(_fixed(), sub_id)
            try:
                await self._replace(hand, row, found)
                return RowResult(row.index, 200, sub_id)
            except TransactionCancelled as cancelled:
                for item in items_met(cancelled):
                    if isinstance(item, RepoLock):
                        return _taken(hand, item.sub_id, repo_taken())
                    if isinstance(item, HackathonDetail):
                        return RowResult.refused(closed(item, hand, now), sub_id)
                if not outdated(cancelled):
                    break
        return RowResult.refused(_fixed(), sub_id)

    async def _replace(self, hand: Hand, row: Row, found: Submission) -> None:
        now, to = self._courtroom.now(), row.address
        changed = writes.correct_submission(
            found,
            now,
            team_name=found.team_name,
            repo_url=to.url,
            repo_owner=to.owner,
            repo_name=to.name,
        )
        assert hand.by is not None, "the public has no external ids"
        subject = f"submission/{found.sub_id}"
        detail = {"repo_url": [found.repo_url, to.url]}
        entry = audit.record(hand.by, "submission.repo", subject, at=now, detail=detail)
        await settled(self._courtroom.db, lambda: together(changed, entry))


def items_met(cancelled: TransactionCancelled) -> list[object]:
    """What is stored where a condition was not met."""
    errors = [each.error for each in cancelled.failures]
    return [each.item for each in errors if isinstance(each, ConditionFailed)]


def closed(hackathon: HackathonDetail, hand: Hand, now: datetime) -> Problem:
    """Explain why a hackathon takes no submission."""
    ended = hackathon.end_date is not None and hackathon.end_date <= now
    if ended and hand.by is None:
        return conflict("HACKATHON_ENDED", "The hackathon has ended.")
    if not takes_submissions(hackathon, now, by_owner=hand.by is not None):
        detail = f"The hackathon is {hackathon.status}; submissions are taken while it is open."
        return conflict("HACKATHON_CLOSED", detail)
    detail = f"The hackathon has its {hand.limit} submissions, and takes no more."
    return conflict("HACKATHON_FULL", detail)


def is_closed(hand: Hand, now: datetime) -> bool:
    """Tell whether it is already plain that nothing will be taken."""
    return not takes_submissions(hand.hackathon, now, by_owner=hand.by is not None)


def _taken(hand: Hand, sub_id: str, problem: Problem) -> RowResult:
    # The public is not told which submission it is.
    return RowResult.refused(problem, None if hand.by is None else sub_id)


def bad_repo(bad: BadRepoUrl) -> Problem:
    return Problem(422, "BAD_REPO_URL", f"Repository: {bad}.")


def repo_taken() -> Problem:
    return conflict("DUPLICATE_REPO", "This repository takes part in the hackathon already.")


def team_taken() -> Problem:
    return conflict("DUPLICATE_TEAM", "A team of this name takes part in the hackathon already.")


def _fixed() -> Problem:
    detail = "The submission with this external_id has another repository, and it can be changed "
    return conflict("REPO_FIXED", f"{detail}only as long as it is pending and not frozen.")


def _away() -> Problem:
    detail = "The store did not answer in time. Send this row again."
    return Problem(503, "STORE_UNAVAILABLE", detail, headers={"Retry-After": "5"})
