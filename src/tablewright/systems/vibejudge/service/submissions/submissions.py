"""What organisers and teams do with submissions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.model import Put, Update, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.submissions import PublicSubmissionIn, SubmissionIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission, SubmissionStatus
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.result_tokens import new_token
from tablewright.systems.vibejudge.rules.tiers import TIERS
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.latest import check_judged
from tablewright.systems.vibejudge.service.submissions.addresses import Address, address_of
from tablewright.systems.vibejudge.service.submissions.importing import Import, Imports, in_order
from tablewright.systems.vibejudge.service.submissions.rows import Given, RowResult
from tablewright.systems.vibejudge.service.submissions.submitting import (
    TOGETHER,
    Hand,
    Submitting,
    closed,
    is_closed,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: How often a submission is read again that somebody changes at the same time.
_ATTEMPTS = 8


class Submissions:
    """Submissions: handed in, listed, withdrawn, disqualified."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._submitting = Submitting(courtroom)
        self._imports = Imports(courtroom, self._submitting)

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
        return found[0]

    async def _hand(self, caller: Caller, hack_id: str, rows: Sequence[Given]) -> Hand:
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        hand = await self._hand_of(hackathon, caller.principal)
        # What another system repeats is answered as before, whatever has become of the hackathon.
        if not any(isinstance(each, SubmissionIn) and each.external_id for each in rows):
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
    ) -> Page[Submission]:
        """In the order they came, all or those in one state. [AP6]"""
        await self._courtroom.hackathons.owned(caller, hack_id)
        op = reads.submissions(hack_id, status=status)
        return await self._courtroom.db.run(op, limit=limit, cursor=cursor)

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
        """One transaction: the mark, if the submission is there, no rank, and the audit entry."""
        await self._taking_part(caller, hack_id, sub_id)
        now = self._courtroom.now()
        entry = _entry(caller, "submission.disqualify", sub_id, now, reason=reason)
        await self._write(writes.disqualify(hack_id, sub_id, reason, now), entry)
        return await self._get(hack_id, sub_id)

    async def reinstate(self, caller: Caller, hack_id: str, sub_id: str) -> Submission:
        """One transaction: no mark, and the rank that its score gives it, if the submission is the
        version that was read; and the audit entry. Read again if somebody was faster."""
        for attempt in range(_ATTEMPTS):
            found = await self._taking_part(caller, hack_id, sub_id)
            if found.disqualified_reason is None:
                raise conflict("NOT_DISQUALIFIED", "The submission is not disqualified.")
            now = self._courtroom.now()
            entry = _entry(caller, "submission.reinstate", sub_id, now)
            try:
                await self._write(writes.reinstate(found, now), entry)
                break
            except TransactionCancelled as cancelled:
                if attempt + 1 == _ATTEMPTS or not outdated(cancelled):
                    raise
        return await self._get(hack_id, sub_id)

    async def withdraw(self, caller: Caller, hack_id: str, sub_id: str) -> None:
        """One transaction: withdrawn and without a rank, unless it is already; and the audit entry.

        Its locks stay: what has taken part does not come back under another name.
        """
        await self._taking_part(caller, hack_id, sub_id)
        now = self._courtroom.now()
        entry = _entry(caller, "submission.withdraw", sub_id, now)
        try:
            await self._write(writes.withdraw(hack_id, sub_id, now), entry)
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise _withdrawn() from cancelled
            raise

    async def new_token(self, caller: Caller, hack_id: str, sub_id: str) -> str:
        """One transaction: the digest of a new token, and the audit entry; the old one is void."""
        await self.owned(caller, hack_id, sub_id)
        text, digest = new_token(hack_id, sub_id)
        now = self._courtroom.now()
        entry = _entry(caller, "submission.new-token", sub_id, now)
        await self._write(writes.issue_result_token(hack_id, sub_id, digest, now), entry)
        return text

    async def _taking_part(self, caller: Caller, hack_id: str, sub_id: str) -> Submission:
        """A submission that can be decided on; a problem 409 if it is withdrawn, or put away."""
        hackathon, found = await self.owned(caller, hack_id, sub_id)
        check_judged(hackathon)
        if found.status == "withdrawn":
            raise _withdrawn()
        return found

    async def _write(self, op: Update[Submission], entry: Put[AuditEntry]) -> None:
        await settled(self._courtroom.db, lambda: together(op, entry))


def _entry(
    caller: Caller, action: str, sub_id: str, now: datetime, **detail: object
) -> Put[AuditEntry]:
    return audit.record(caller.principal, action, f"submission/{sub_id}", at=now, detail=detail)


def _withdrawn() -> Problem:
    return conflict("WITHDRAWN", "The submission was withdrawn.")
