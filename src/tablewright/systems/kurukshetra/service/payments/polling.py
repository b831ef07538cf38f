"""What the gateway would have told, had it been heard: asked for every few minutes."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tablewright.service.in_turn import in_turn
from tablewright.systems.kurukshetra import gateway, reads
from tablewright.systems.kurukshetra.service.payments.captures import Captures, captured_of

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: A payment that was begun earlier, and is captured only now, is left to reconciliation.
WINDOW: Final = timedelta(hours=2)
#: Their clock may be ahead of ours.
_AHEAD: Final = timedelta(minutes=5)


class Polling:
    """Finds captures that nobody told of."""

    def __init__(self, festival: Festival, captures: Captures) -> None:
        self._festival = festival
        self._captures = captures

    async def poll(self) -> int:
        """Apply what was captured lately and had no effect yet; how many there were."""
        if self._festival.gateway.idle:
            return 0
        now = self._festival.now()
        since, until = now - WINDOW, now + _AHEAD
        found = await self._festival.gateway.client.payments(
            int(since.timestamp()), int(until.timestamp())
        )
        missing = await self._missing([each for each in found if captured_of(each) is not None])
        done = await in_turn(missing, self._one, lambda each: f"payment {each.id}")
        return sum(done)

    async def _missing(self, captured: list[gateway.Payment]) -> list[gateway.Payment]:
        if not captured:
            return []
        locks = await self._festival.db.run(reads.payment_locks([each.id for each in captured]))
        return [each for each, lock in zip(captured, locks, strict=True) if lock is None]

    async def _one(self, told: gateway.Payment) -> int:
        fact = captured_of(told)
        assert fact is not None
        applied = await self._captures.apply(fact)
        if applied.link is None:
            return 0
        if told.amount_refunded:
            await self._festival.refunds.adopt_all(applied.link, told.id)
        return 1
