"""What is free, and what the workers look after."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.model.errors import TablewrightError
from tablewright.service.in_turn import in_turn
from tablewright.service.problems import Problem, not_found
from tablewright.systems.kurukshetra import events, lists, reads
from tablewright.systems.kurukshetra.service.events.events import is_event_id
from tablewright.systems.kurukshetra.service.seats.expiring import Expiring
from tablewright.systems.kurukshetra.service.seats.queueing import Queued, Queueing
from tablewright.systems.kurukshetra.service.seats.waiting import Place, Waiting
from tablewright.systems.kurukshetra.service.turns import Turns
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: Holds that a checkout ends for others, where nothing is free.
_A_FEW: Final = 10
#: The last offers of an event may stand for a while after it; then nobody wants its seats.
_LONG_OVER: Final = timedelta(days=7)


class Seats:
    """The seats of all events. ``free`` and the teams with a seat are always the capacity."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._turns = Turns()
        self._expiring = Expiring(festival)
        self._waiting = Waiting(festival)
        self._queueing = Queueing(festival)

    def turn(self, event_id: str) -> AbstractAsyncContextManager[None]:
        """For whoever writes the seats of an event: one at a time in this process.

        Hold it for the transaction alone, and take the time within it.
        """
        return self._turns.of(event_id)

    async def of(self, event_id: str) -> events.Seats:
        """What is left, as it is now; a problem 404 if there is no such event."""
        found = None
        if is_event_id(event_id):
            found = await self._festival.db.run(reads.seats(event_id))
        if found is None:
            raise not_found("event")
        return found

    # --- holds -----------------------------------------------------------------------------------

    async def expire(self, team: Team, *, notify: bool = True) -> bool:
        """End the hold of one team, if it has run out, and tell its leader. [T5]

        Without ``notify`` the leader is not told: whoever calls goes on with their payment.
        """
        done = await self._expiring.expire(team, notify=notify)
        if done:
            await self.freed(team.event_id)
        return done

    async def expire_due(self, event_id: str, most: int = 1000) -> int:
        """End holds that have run out, the oldest first, and offer what is free then. [T5]"""
        done = await self._expiring.expire_due(event_id, most)
        if done:
            await self.freed(event_id)
        return done

    async def make_room(self, event_id: str) -> events.Seats:
        """End a few holds that have run out, offer what is free; and what is left then."""
        await self.expire_due(event_id, _A_FEW)
        left = await self.of(event_id)
        if left.free and left.waiting and await self.promote(event_id):
            return await self.of(event_id)
        return left

    # --- the queue -------------------------------------------------------------------------------

    async def enter(self, by: Caller, team_id: str) -> Place:
        """Wait for a seat; again, where the team waits already. [T6b]"""
        return await self._waiting.enter(by, team_id)

    async def leave(self, by: Caller, team_id: str) -> Team:
        """Wait no longer; nothing happens to a team that does not. [T6c]"""
        return await self._waiting.leave(by, team_id)

    async def place(self, team: Team) -> int | None:
        """How many wait before a team; None if it does not wait."""
        return await self._waiting.ahead(team)

    async def queue(self, by: Caller, limit: int, cursor: str | None = None) -> Page[Queued]:
        """Who waits at the caller's event, in their order."""
        return await self._queueing.queue(by, limit, cursor)

    async def offers(self, by: Caller) -> list[Team]:
        """Who was offered a seat there, and has not begun to pay."""
        return await self._queueing.offers(by)

    async def promote(self, event_id: str) -> int:
        """Offer every free seat to who waits longest; how many there were. [T6]"""
        return await self._waiting.promote(event_id)

    async def freed(self, event_id: str) -> None:
        """A seat is free: whoever waits gets it now. If that fails, the worker does it."""
        self._festival.watching.look(event_id)
        try:
            await self.promote(event_id)
        except (TablewrightError, Problem) as error:
            log.warning("seats of %s are not offered yet: %s", event_id, error)

    # --- for workers -----------------------------------------------------------------------------

    async def sweep(self) -> None:
        """End the holds that have run out, at all events."""
        await self._at_each(self.expire_due)

    async def offer(self) -> None:
        """Offer what is free, at all events: for seats that were freed by who then failed."""
        await self._at_each(self.promote)

    async def _at_each(self, work: Callable[[str], Awaitable[int]]) -> None:
        """One after the other; one that goes wrong does not keep the others waiting."""
        latest = self._festival.now() - _LONG_OVER
        listed = [each async for each in self._festival.db.iterate(lists.events())]
        alive = [each.event_id for each in listed if each.event_end > latest]
        await in_turn(alive, work, lambda event_id: f"event {event_id}")
