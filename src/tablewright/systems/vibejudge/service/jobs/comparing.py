"""Which submissions resemble each other, once all of them have been analysed."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed
from tablewright.systems.vibejudge import reads, task_writes
from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.rules.flags import kind_of, similar
from tablewright.systems.vibejudge.rules.minhash import Pair, alike

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

_AT_ONCE = 25
#: Of one submission: who has more copies than that knows what to do.
_MOST_FLAGS = 5


class Comparing:
    """Flags scorecards whose code is much like another's.

    Once for a job, so that nobody who looks at one scorecard has to read of all submissions.
    """

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def compare(self, hack_id: str) -> None:
        """Each flag is one write, on condition that the scorecard is as it was read; done again, it
        changes nothing. That it fails is no reason for a job not to end.
        """
        try:
            await self._compare(hack_id)
        except Exception:
            log.exception("submissions of %s were not compared with each other", hack_id)

    async def _compare(self, hack_id: str) -> None:
        listed = self._courtroom.db.iterate(reads.submissions(hack_id))
        # A team that has withdrawn may hand in the same code again.
        there = {each.sub_id async for each in listed if each.status != "withdrawn"}
        found = self._courtroom.db.iterate(reads.fingerprints(hack_id))
        prints = {each.sub_id: each.minhash async for each in found if each.sub_id in there}
        # Hundreds that are all copies of one would hold up everybody else.
        flags = flags_of(await asyncio.to_thread(alike, prints))
        ids = list(flags)
        for at in range(0, len(ids), _AT_ONCE):
            cards = await self._courtroom.db.run(reads.scorecards(ids[at : at + _AT_ONCE]))
            for card in cards:
                if card is not None:
                    await self._flag(card, flags[card.sub_id])

    async def _flag(self, card: SubmissionSummary, flags: Sequence[str]) -> None:
        wanted = [*(each for each in card.flags if kind_of(each) != "similar"), *flags]
        if wanted == card.flags:
            return
        op = task_writes.flag_summary(card, wanted, self._courtroom.now())
        try:
            await self._courtroom.db.run(op)
        except ConditionFailed:
            # Somebody has rescored it in this moment, and kept the flags that it had.
            log.info("scorecard %s has changed, and is not flagged", card.sub_id)


def flags_of(pairs: Sequence[Pair]) -> Mapping[str, list[str]]:
    """The flags of each submission that is in a pair; pairs come with the most alike first."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            if len(found[one]) < _MOST_FLAGS:
                found[one].append(similar(other, pair.similarity))
    return found
