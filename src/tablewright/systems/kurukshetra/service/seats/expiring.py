"""Holds that have run out: the seat is free again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.systems.kurukshetra import lists, reads, seating
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.rules.windows import cut
from tablewright.systems.kurukshetra.teams import Hold, Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_HOLDING = ("pending", "offered")


class Expiring:
    """Ends holds. It may be done by several at once, and beside a payment: one of them has it."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def expire_due(self, event_id: str, most: int) -> int:
        """How many were ended; the oldest first, ``most`` at the most."""
        config = await self._festival.events.config(event_id)
        due = lists.due_holds(event_id, cut(config, self._festival.now()))
        done = 0
        async for hold in self._festival.db.iterate(due):
            done += await self._ended(config, hold)
            if done >= most:
                break
        return done

    async def expire(self, team: Team, *, notify: bool) -> bool:
        """Whether the hold of this team had run out, and is ended by this call.

        Transaction T5, on condition that the team still has this very hold, and that it ended
        before the cut: a capture wants it to end later.
        """
        config = await self._festival.events.config(team.event_id)
        return await self._expired(config, team, notify=notify)

    async def _ended(self, config: Config, hold: Hold) -> bool:
        team = await self._festival.db.run(reads.team(hold.event_id, hold.team_id))
        if team is None or team.hold_expires_at != hold.expires_at:
            return False  # it was paid, or ended by somebody else, since it was listed
        return await self._expired(config, team, notify=True)

    async def _expired(self, config: Config, team: Team, *, notify: bool) -> bool:
        if not self._is_due(config, team):
            return False
        payment = await self._payment(team)

        def made() -> Op[object]:
            now = self._festival.events.moment(config)
            op = seating.expire_hold(team, payment, cut(config, now.at), now)
            if not notify:
                return op
            return together(op, self._festival.messages.hold_ended(config, team))

        async with self._festival.seats.turn(team.event_id):
            try:
                await settled(self._festival.db, made, code="BUSY")
            except TransactionCancelled as error:
                if not refused(error):
                    raise
                return False
        return True

    def _is_due(self, config: Config, team: Team) -> bool:
        ends = team.hold_expires_at
        due = ends is not None and ends <= cut(config, self._festival.now())
        return due and team.payment_status in _HOLDING

    async def _payment(self, team: Team) -> Payment | None:
        """What the seat was held for; a seat that was only offered was held for nothing."""
        if team.payment_status != "pending" or team.payment_id is None:
            return None
        return await self._festival.db.run(reads.payment(team.event_id, team.payment_id))
