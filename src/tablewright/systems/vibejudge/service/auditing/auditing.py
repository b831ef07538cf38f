"""One hackathon after the other, compared with itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import settled
from tablewright.service.kit import audit
from tablewright.systems.vibejudge import erasing_reads
from tablewright.systems.vibejudge.service.auditing.comparing import compared
from tablewright.systems.vibejudge.service.auditing.findings import Finding
from tablewright.systems.vibejudge.service.auditing.held import read
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import HackathonDetail
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


@dataclass(frozen=True)
class Audited:
    """A hackathon that was looked at."""

    hackathon: HackathonDetail
    submissions: int
    #: What is wrong, and what was.
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "hack_id": self.hackathon.hack_id,
            "name": self.hackathon.name,
            "submissions": self.submissions,
            "findings": [each.as_json() for each in self.findings],
            "fixed": [each.as_json() for each in self.fixed],
        }


@dataclass(frozen=True)
class _Look:
    audited: Audited
    remedies: dict[Finding, Op[Any] | None]


class Auditing:
    """Copies, counters, locks and sums beside what they are made of."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def all(self, caller: Caller, *, fix: bool = False) -> AsyncIterator[Audited]:
        """Every hackathon there is, as it is found: the whole table is read. [AP32]"""
        async for each in self._courtroom.db.iterate(erasing_reads.all_hackathons()):
            found = await self.one(caller, each.hack_id, fix=fix)
            if found is not None:
                yield found

    async def one(self, caller: Caller, hack_id: str, *, fix: bool = False) -> Audited | None:
        """One hackathon; None if it is gone.

        What looks wrong is looked at again: it is told if it is wrong in the very same way. So
        nobody who writes meanwhile is taken for an error. With ``fix``, each of those is put right
        in a transaction of its own with an audit entry, on condition of what was read.
        """
        look = await self._confirmed(hack_id)
        if look is None or not (fix and look.remedies):
            return None if look is None else look.audited
        for remedy in look.remedies.values():
            if remedy is not None:
                await self._mend(caller, hack_id, remedy)
        after = await self._confirmed(hack_id)
        return None if after is None else _put_right(look, after)

    async def _confirmed(self, hack_id: str) -> _Look | None:
        """What is wrong the first time and the second."""
        first = await self._look(hack_id)
        if first is None or not first.remedies:
            return first
        second = await self._look(hack_id)
        if second is None:
            return None
        both = {each: op for each, op in second.remedies.items() if each in first.remedies}
        audited = second.audited
        return _Look(Audited(audited.hackathon, audited.submissions, tuple(both)), both)

    async def _look(self, hack_id: str) -> _Look | None:
        held = await read(self._courtroom, hack_id)
        if held is None:
            return None
        found = compared(held, self._courtroom.now())
        return _Look(Audited(held.hackathon, len(held.submissions), tuple(found)), found)

    async def _mend(self, caller: Caller, hack_id: str, remedy: Op[Any]) -> None:
        """One transaction: the remedy, if what it rests on is still so, and the audit entry."""
        now, subject = self._courtroom.now(), f"hackathon/{hack_id}"
        noted = audit.record(caller.principal, "hackathon.mend", subject, at=now)
        # Somebody was faster, or one remedy has done what another would: the next look tells.
        with suppress(TransactionCancelled, ConditionFailed):
            await settled(self._courtroom.db, lambda: together(remedy, noted))


def _put_right(before: _Look, after: _Look) -> Audited:
    left = after.audited.findings
    fixed = tuple(each for each in before.remedies if each not in left)
    return Audited(after.audited.hackathon, after.audited.submissions, left, fixed)
