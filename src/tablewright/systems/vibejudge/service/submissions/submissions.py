"""What organisers and teams do with submissions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tablewright.client import Page
from tablewright.model import Op, Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.conflicts import busy, refused, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.service.repo_urls import BadRepoUrl
from tablewright.service.search import search
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.submissions import (
    PublicSubmissionIn,
    SubmissionIn,
    SubmissionPatch,
)
from tablewright.systems.vibejudge.entities import (
    HackathonDetail,
    RepoLock,
    Submission,
    SubmissionStatus,
    TeamLock,
)
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.result_tokens import new_token
from tablewright.systems.vibejudge.rules.tiers import TIERS
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.jobs.ending import IN_WORK
from tablewright.systems.vibejudge.service.judging.latest import check_scores_open
from tablewright.systems.vibejudge.service.submissions.addresses import Address, address_of
from tablewright.systems.vibejudge.service.submissions.importing import Import, Imports, in_order
from tablewright.systems.vibejudge.service.submissions.reachability import Reachability
from tablewright.systems.vibejudge.service.submissions.rows import Given, RowResult, body_of
from tablewright.systems.vibejudge.service.submissions.submitting import (
    TOGETHER,
    Hand,
    Submitting,
    bad_repo,
    closed,
    is_closed,
    items_met,
    repo_taken,
    team_taken,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: How often a submission is read again that somebody changes at the same time.
_ATTEMPTS = 8
#: Results of a search on one page, if nothing is said.
_FOUND = 50


class Submissions:
    """Submissions: handed in, listed, withdrawn, disqualified."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._submitting = Submitting(courtroom)
        self._imports = Imports(courtroom, self._submitting)
        self._reachability = Reachability(courtroom)

    async def close(self) -> None:
        """With the process."""
        await self._imports.close()

    def address(self, url: str) -> Address:
        """The repository that an address names; ``BadRepoUrl`` says what is wrong with it."""
        return address_of(url, self._courtroom.access)

    # --- handing in ------------------------------------------------------------------------------

    async def submit(
        self, caller: Caller, hack_id: str, rows: Sequence[Given], lines: Sequence[int] = ()
    ) -> list[RowResult]:
        """Hand in for teams: each row is answered by itself, in their order. [T4]

        Rows in batches of twenty, each with its locks and the hackathon's count in one transaction;
        a batch that is refused is tried row by row.
        """
        hand = await self._hand(caller, hack_id, rows)
        found: dict[int, RowResult] = {}
        await self._submitting.store(hand, rows, found)
        if len(rows) == 1 and (body := body_of(rows[0])) is not None:
            found[0] = await self._checked(hack_id, body, found[0])
        return in_order(found, lines)

    async def submit_beside(
        self, caller: Caller, hack_id: str, rows: Sequence[Given], lines: Sequence[int] = ()
    ) -> Import:
        """The same, beside the request: what is known of it is asked for later."""
        hand = await self._hand(caller, hack_id, rows)
        hand.beside = True
        return self._imports.start(hand, rows, lines)

    async def import_(self, caller: Caller, hack_id: str, import_id: str) -> Import:
        """How far an import is that this process has begun."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        return self._imports.get(hack_id, import_id)

    def takes_long(self, rows: int) -> bool:
        """Whether a request would wait too long for them: few units, and many rows."""
        few = not self._courtroom.runtime.settings.local and not self._courtroom.options.on_demand
        return few and rows > TOGETHER

    async def submit_public(self, hack_id: str, row: PublicSubmissionIn) -> RowResult:
        """A team hands in by itself, while a public hackathon is open; else a problem. [T4]"""
        hackathon = await self._courtroom.hackathons.public_one(hack_id)
        hand = await self._hand_of(hackathon, None)
        self._check_open(hand)
        found: dict[int, RowResult] = {}
        body = SubmissionIn(team_name=row.team_name, repo_url=row.repo_url)
        await self._submitting.store(hand, [body], found)
        if found[0].problem is not None:
            raise found[0].problem
        return await self._checked(hack_id, body, found[0])

    async def _checked(self, hack_id: str, body: SubmissionIn, result: RowResult) -> RowResult:
        """Add a note if the repository of a new submission cannot be reached."""
        if result.status != 201 or result.sub_id is None:
            return result
        url = self.address(body.repo_url).url
        warning = await self._reachability.warn(hack_id, result.sub_id, url)
        return result if warning is None else replace(result, note=warning)

    async def _hand(self, caller: Caller, hack_id: str, rows: Sequence[Given]) -> Hand:
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        hand = await self._hand_of(hackathon, caller.principal)
        # What another system repeats is answered as before, whatever has become of the hackathon.
        if not any((body := body_of(each)) and body.external_id for each in rows):
            self._check_open(hand)
        return hand

    async def _hand_of(self, hackathon: HackathonDetail, by: Principal | None) -> Hand:
        organizer = await self._courtroom.db.run(reads.organizer(hackathon.org_id))
        if organizer is None:
            raise not_found("hackathon")
        return Hand(hackathon, TIERS[organizer.tier].submissions, by)

    def _check_open(self, hand: Hand) -> None:
        # Whatever is stored then decides; this only spares hundreds of refusals.
        if is_closed(hand, now := self._courtroom.now()):
            raise closed(hand.hackathon, hand, now)

    # --- reading ---------------------------------------------------------------------------------

    async def list(
        self,
        caller: Caller,
        hack_id: str,
        status: SubmissionStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        *,
        text: str = "",
    ) -> Page[Submission]:
        """List submissions in the order they came: all, those in one state, or with a text. [AP6]

        Every word of the text is in the team's name, the repository or the external id.
        """
        await self._courtroom.hackathons.owned(caller, hack_id)
        op = reads.submissions(hack_id, status=status)
        if not text.strip():
            return await self._courtroom.db.run(op, limit=limit, cursor=cursor)
        db, most = self._courtroom.db, limit or _FOUND
        return await search(db, op, text, _searched, limit=most, cursor=cursor)

    async def ranked(
        self, caller: Caller, hack_id: str, sub_ids: Sequence[str]
    ) -> Sequence[Submission]:
        """Read these submissions as they are now, in this order; at most a hundred."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        if not sub_ids:
            return ()
        found = await self._courtroom.db.run(reads.submissions_exported(hack_id, sub_ids))
        return [each for each in found if each is not None]

    async def owned(
        self, caller: Caller, hack_id: str, sub_id: str
    ) -> tuple[HackathonDetail, Submission]:
        """A submission of the caller's, as it is now; 404 for all others. [AP7]"""
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        return hackathon, await self._get(hack_id, sub_id)

    async def read(self, caller: Caller, hack_id: str, sub_id: str) -> Submission:
        return (await self.owned(caller, hack_id, sub_id))[1]

    async def find(self, caller: Caller, sub_id: str) -> str:
        """The hackathon of a submission of the caller's. [AP8, then AP7]"""
        found = None
        if is_id(sub_id):
            found = await self._courtroom.db.run(reads.submission_of_id(sub_id))
        if found is None:
            raise not_found("submission")
        try:
            await self.owned(caller, found.hack_id, sub_id)
        except Problem as problem:
            # What is somebody else's and what is nobody's are told in the same words.
            raise (not_found("submission") if problem.status == 404 else problem) from None
        return found.hack_id

    async def _get(self, hack_id: str, sub_id: str) -> Submission:
        found = None
        if is_id(sub_id):
            found = await self._courtroom.db.run(reads.submission(hack_id, sub_id))
        if found is None:
            raise not_found("submission")
        return found

    # --- changing --------------------------------------------------------------------------------

    async def disqualify(
        self, caller: Caller, hack_id: str, sub_id: str, reason: str
    ) -> Submission:
        """Take a submission out of the ranking.

        One transaction: the mark and no rank, if the submission is there; the hackathon, on
        condition that scores are not final; and the audit entry.
        """

        async def disqualified(_: HackathonDetail, found: Submission) -> Op[Any]:
            now = self._courtroom.now()
            entry = _entry(caller, "submission.disqualify", sub_id, now, reason=reason)
            op = writes.disqualify(hack_id, found.sub_id, reason, now)
            return together(op, writes.check_scores_open(hack_id), entry)

        return await self._decide(caller, hack_id, sub_id, disqualified)

    async def reinstate(self, caller: Caller, hack_id: str, sub_id: str) -> Submission:
        """Take a disqualification back.

        One transaction: no mark, and the rank that its score gives it, if the submission is the
        version that was read; the hackathon, on condition that scores are not final; and the audit
        entry.
        """

        async def reinstated(_: HackathonDetail, found: Submission) -> Op[Any]:
            if found.disqualified_reason is None:
                raise conflict("NOT_DISQUALIFIED", "The submission is not disqualified.")
            now = self._courtroom.now()
            entry = _entry(caller, "submission.reinstate", sub_id, now)
            return together(writes.reinstate(found, now), writes.check_scores_open(hack_id), entry)

        return await self._decide(caller, hack_id, sub_id, reinstated)

    async def withdraw(self, caller: Caller, hack_id: str, sub_id: str) -> None:
        """Withdraw a submission, so that its place, name and repository are free again.

        One transaction: the submission, on condition that it is the version that was read and not
        withdrawn; its locks and its fingerprint go; the count of the hackathon and of its row in
        the list, on condition that scores are not final; and the audit entry.
        """

        async def withdrawn(hackathon: HackathonDetail, found: Submission) -> Op[Any]:
            now = self._courtroom.now()
            entry = _entry(caller, "submission.withdraw", sub_id, now)
            return together(writes.withdraw(found, hackathon.org_id, now), entry)

        await self._decide(caller, hack_id, sub_id, withdrawn)

    async def correct(
        self, caller: Caller, hack_id: str, sub_id: str, body: SubmissionPatch
    ) -> Submission:
        """Give a submission another name or repository. [T4]

        One transaction: the submission, on condition that it is the version that was read and
        nobody analyses it; for each that changes, the old lock goes and the new one is free; with
        another repository the scorecard and the fingerprint go; the hackathon, on condition that
        scores are not final; and the audit entry.
        """
        address = None if body.repo_url is None else self._checked_address(body.repo_url)

        async def corrected(_: HackathonDetail, found: Submission) -> Op[Any]:
            if found.status in IN_WORK:
                raise conflict("IN_WORK", "It is being analysed. Try again in a minute.")
            now = self._courtroom.now()
            to = address or Address(found.repo_url, found.repo_owner, found.repo_name, "")
            team = body.team_name or found.team_name
            op = writes.correct_submission(
                found,
                now,
                team_name=team,
                repo_url=to.url,
                repo_owner=to.owner,
                repo_name=to.name,
            )
            detail = {"team_name": [found.team_name, team], "repo_url": [found.repo_url, to.url]}
            return together(op, _entry(caller, "submission.correct", sub_id, now, **detail))

        return await self._decide(caller, hack_id, sub_id, corrected)

    def _checked_address(self, url: str) -> Address:
        try:
            return self.address(url)
        except BadRepoUrl as bad:
            raise bad_repo(bad) from None

    async def new_token(self, caller: Caller, hack_id: str, sub_id: str) -> str:
        """One transaction: the digest of a new token, and the audit entry; the old one is void."""
        await self.owned(caller, hack_id, sub_id)
        text, digest = new_token(hack_id, sub_id)
        now = self._courtroom.now()
        entry = _entry(caller, "submission.new-token", sub_id, now)
        op = together(writes.issue_result_token(hack_id, sub_id, digest, now), entry)
        await settled(self._courtroom.db, lambda: op)
        return text

    async def _decide(
        self,
        caller: Caller,
        hack_id: str,
        sub_id: str,
        make_op: Callable[[HackathonDetail, Submission], Awaitable[Op[Any]]],
    ) -> Submission:
        """Run a change of a submission that takes part; read and make it anew if it has changed."""
        for _ in range(_ATTEMPTS):
            hackathon, found = await self.owned(caller, hack_id, sub_id)
            check_scores_open(hackathon)
            if found.status == "withdrawn":
                raise _withdrawn()
            op = await make_op(hackathon, found)
            try:
                await settled(self._courtroom.db, lambda op=op: op)  # type: ignore[misc]
            except TransactionCancelled as cancelled:
                _explain(cancelled)
                continue
            self._courtroom.standings.changed(hack_id)
            return await self._get(hack_id, sub_id)
        raise busy()


def _searched(submission: Submission) -> tuple[str | None, ...]:
    return submission.team_name, submission.repo_url, submission.external_id


def _explain(cancelled: TransactionCancelled) -> None:
    """Raise the problem that a retry cannot solve: a name or a repository is somebody else's."""
    if not refused(cancelled):
        raise cancelled
    for item in items_met(cancelled):
        if isinstance(item, RepoLock):
            raise repo_taken() from None
        if isinstance(item, TeamLock):
            raise team_taken() from None


def _entry(
    caller: Caller, action: str, sub_id: str, now: datetime, **detail: object
) -> Put[AuditEntry]:
    return audit.record(caller.principal, action, f"submission/{sub_id}", at=now, detail=detail)


def _withdrawn() -> Problem:
    return conflict("WITHDRAWN", "The submission was withdrawn.")
