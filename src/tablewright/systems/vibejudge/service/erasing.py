"""Erasing: an organiser or a hackathon goes, and costs stay without a name.

It is asked for in one transaction, which takes away at once what others find it by (the organiser
and the locks of who they are, or the hackathon itself) and leaves an :class:`Erasure`. A worker
does the rest, partition by partition, and takes the erasure away last: whoever dies in between, it
is begun again, and what is gone already is passed over. Work that was under way in a job writes
nothing any more once its task is gone and its lease has run out; only then submissions go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

from tablewright.model import Entity, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.in_turn import in_turn
from tablewright.service.kit import audit
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import conflict
from tablewright.systems.vibejudge import erasing_reads, erasing_writes, reads, writes
from tablewright.systems.vibejudge.analysis import (
    LEASE,
    AnalysisJob,
    CostRecord,
    HackathonCost,
)
from tablewright.systems.vibejudge.entities import (
    Erasure,
    HackathonDetail,
    Organizer,
    OrgUsage,
    Submission,
)
from tablewright.systems.vibejudge.judging import Judge
from tablewright.systems.vibejudge.service.callers import Caller, judge_owner, organizer_owner
from tablewright.systems.vibejudge.service.hackathons import revision

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: They name nobody, and bills rest on them.
_KEPT = (CostRecord, HackathonCost)


class Erasing:
    """Everything of a hackathon or an organiser goes; costs stay, without a name."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- asking for it ---------------------------------------------------------------------------

    async def begin_organizer(self, caller: Caller, organizer: Organizer, email_hash: str) -> None:
        """An organiser goes now, and all they had goes next.

        One transaction: the organiser, who has to be there, the lock of the address, that of who
        signs in, the erasure, the audit entry.
        """
        org_id, now = organizer.org_id, self._courtroom.now()
        erasure = Erasure(org_id=org_id, since=organizer.created_at, resume_at=now, created_at=now)
        noted = audit.record(caller.principal, "organizer.erase", f"organizer/{org_id}", at=now)
        op = together(writes.erase_organizer(erasure, email_hash, organizer.user_hash), noted)
        await settled(self._courtroom.db, lambda: op)
        # The worker would do it, too, but teams would hand in until then.
        await self._hide(org_id)

    async def begin_hackathon(
        self, caller: Caller, hack_id: str, said: Precondition = UNSAID
    ) -> None:
        """A hackathon goes now, and what belongs to it goes next; 409 while it is analysed.

        One transaction: the hackathon on condition that no job runs, its row in the list, the
        erasure, the audit entry.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        said.check_if_given(revision(hackathon))
        now = self._courtroom.now()
        erasure = Erasure(
            org_id=hackathon.org_id,
            hack_id=hack_id,
            since=hackathon.created_at,
            resume_at=now,
            created_at=now,
        )
        noted = audit.record(caller.principal, "hackathon.erase", f"hackathon/{hack_id}", at=now)
        op = together(erasing_writes.erase_hackathon(erasure, hack_id), noted)
        try:
            await settled(self._courtroom.db, lambda: op)
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            await self._courtroom.hackathons.owned(caller, hack_id)  # gone meanwhile: 404
            detail = "It is being analysed. Wait for the end, or cancel the job."
            raise conflict("ANALYZING", detail) from None

    # --- doing it --------------------------------------------------------------------------------

    async def work(self) -> int:
        """Go on with everything that is to be erased; how much of it has come to its end."""
        now = self._courtroom.now()
        found = self._courtroom.db.iterate(erasing_reads.erasures())
        due = [each async for each in found if each.resume_at <= now]
        return sum(await in_turn(due, self._erase, lambda each: f"erasing {each.subject}"))

    async def _erase(self, erasure: Erasure) -> bool:
        """Whether all of it is gone."""
        whole = erasure.hack_id is None
        gone = await (self._organizer(erasure) if whole else self._hackathon(erasure.hack_id or ""))
        db = self._courtroom.db
        if not gone:
            later = erasure.model_copy(update={"resume_at": self._courtroom.now() + LEASE})
            await db.run(erasing_writes.put_off_erasure(later))
            return False
        await db.run(erasing_writes.end_erasure(erasure))
        return True

    async def _organizer(self, erasure: Erasure) -> bool:
        """All that an organiser had: keys first, which are worth nothing already."""
        await self._courtroom.runtime.auth.api_keys.erase(organizer_owner(erasure.org_id))
        gone = True
        listed = erasing_reads.hackathons_to_erase(erasure.org_id)
        async for row in self._courtroom.db.iterate(listed):
            if await self._hackathon(row.hack_id):
                await self._delete([row])
            else:
                gone = False
        years = range(erasure.since.year, self._courtroom.now().year + 1)
        at = erasure.since
        await self._delete(
            OrgUsage(org_id=erasure.org_id, year=year, created_at=at, updated_at=at)
            for year in years
        )
        return gone

    async def _hide(self, org_id: str) -> None:
        """Hackathons go before what lies in them: nothing new is found, or begins, in there."""
        db = self._courtroom.db
        async for row in db.iterate(erasing_reads.hackathons_to_erase(org_id)):
            found = await db.run(reads.hackathon(row.hack_id))
            await self._delete([] if found is None else [found])

    async def _hackathon(self, hack_id: str) -> bool:
        """All that lies under a hackathon; False if work under way has to end first."""
        db = self._courtroom.db
        idle = True
        while found := _erasable(await db.require(erasing_reads.hackathon_partition(hack_id))):
            # First of all: nothing new begins in a hackathon that is not there.
            await self._delete(each for each in found if isinstance(each, HackathonDetail))
            for each in found:
                if isinstance(each, AnalysisJob):
                    idle = await self._job(each) and idle
            if not idle:
                return False
            # A call that was under way has cost something, whoever asked for it.
            await self._courtroom.budgets.close_books(hack_id)
            for each in found:
                if isinstance(each, Submission):
                    await self._submission(each)
                if isinstance(each, Judge):
                    owner = judge_owner(each.hack_id, each.judge_id)
                    await self._courtroom.runtime.auth.api_keys.erase(owner)
            await self._delete(found)
        # What models answered; it would go by itself in 90 days.
        await self._courtroom.blobs.erase(f"answers/{hack_id}")
        return True

    async def _job(self, job: AnalysisJob) -> bool:
        """The tasks of a job; whether none of them was in work."""
        idle, now = True, self._courtroom.now()
        while found := _erasable(
            await self._courtroom.db.require(erasing_reads.job_partition(job.job_id))
        ):
            idle = idle and not any(_is_leased(each, now) for each in found)
            await self._delete(found)
        return idle

    async def _submission(self, submission: Submission) -> None:
        """What was found in a submission, and what people said to it."""
        read = erasing_reads.submission_partition(submission.sub_id)
        while found := _erasable(await self._courtroom.db.require(read)):
            await self._delete(found)

    async def _delete(self, items: Iterable[Entity]) -> None:
        gone = list(items)
        if gone:
            await self._courtroom.db.run(erasing_writes.erase(gone))


def _erasable(partition: object) -> list[Entity]:
    """The items of a partition, without what is kept."""
    found: list[Entity] = []
    for field in fields(partition):  # type: ignore[arg-type]
        value = getattr(partition, field.name)
        found += value if isinstance(value, tuple) else [value] if value is not None else []
    return [each for each in found if not isinstance(each, _KEPT)]


def _is_leased(item: Entity, now: object) -> bool:
    until = getattr(item, "lease_until", None)
    return until is not None and until > now
