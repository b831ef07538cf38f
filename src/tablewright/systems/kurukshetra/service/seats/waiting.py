"""The queue: who comes first gets the next free seat."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, pause, refused, settled
from tablewright.service.problems import conflict
from tablewright.systems.kurukshetra import lists, reads, seating
from tablewright.systems.kurukshetra.events import Config, Seats
from tablewright.systems.kurukshetra.fields import SEATED
from tablewright.systems.kurukshetra.rules.windows import offer_until, phase
from tablewright.systems.kurukshetra.service.noting import noted
from tablewright.systems.kurukshetra.service.refusing import closed, ended
from tablewright.systems.kurukshetra.teams import Hold, Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: How often others may be quicker before somebody is told to come again.
_TRIES: Final = 20


@dataclass(frozen=True)
class Place:
    """A team's place in the queue."""

    team: Team
    #: How many get a seat before it.
    ahead: int


class Waiting:
    """Getting in, getting out, and the offer of a seat."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def ahead(self, team: Team) -> int | None:
        if team.payment_status != "waitlisted" or team.wait_position is None:
            return None
        return await self._festival.db.run(lists.ahead_in_queue(team.event_id, team.wait_position))

    # --- getting in and out ----------------------------------------------------------------------

    async def enter(self, by: Caller, team_id: str) -> Place:
        """Transaction T6b, on condition that nobody came between, that there is no seat or others
        wait for it, and that the queue is not full.
        """
        team = (await self._festival.teams.owned(by, team_id, lead=True)).team
        for retry in range(_TRIES):
            if team.payment_status == "waitlisted":
                return Place(team, await self.ahead(team) or 0)
            _check_may_wait(team)
            config = await self._festival.events.config(team.event_id)
            entered = await self._entered(by, team, config)
            team = await self._again(team)
            if not entered and retry:
                await asyncio.sleep(pause(min(retry, 3), random.random()))
        raise busy("BUSY")

    async def _entered(self, by: Caller, team: Team, config: Config) -> bool:
        """Whether the team has got its place; if not, somebody was quicker."""
        festival = self._festival
        if not (await festival.seats.of(team.event_id)).waiting:
            await festival.seats.make_room(team.event_id)
        async with festival.seats.turn(team.event_id):
            now, seats = festival.now(), await festival.seats.of(team.event_id)
            if phase(seats, now) != "open":
                raise closed(seats, now)
            _check_queue(seats, config)
            op = seating.enter_queue(team, seats.next_position, config.max_waitlist, now)
            return await self._done(together(op, *noted(by, team, "team.wait", now)))

    async def leave(self, by: Caller, team_id: str) -> Team:
        """Transaction T6c, on condition that the team waits."""
        team = (await self._festival.teams.owned(by, team_id, lead=True)).team
        for _ in range(_TRIES):
            if team.payment_status == "unpaid":
                return team
            if team.payment_status != "waitlisted":
                raise conflict("NOT_WAITING", "The team is not in the queue.")
            async with self._festival.seats.turn(team.event_id):
                now = self._festival.now()
                op = together(seating.leave_queue(team, now), *noted(by, team, "team.unwait", now))
                await self._done(op)
            team = await self._again(team)
        raise busy("BUSY")

    # --- the offer -------------------------------------------------------------------------------

    async def promote(self, event_id: str) -> int:
        """Transaction T6 for each seat: on condition that one is free, and that its team waits.

        While an organiser keeps registration closed, nothing is offered. After its regular end
        seats are: the last holds run out then, and people wait for them. Once the event is over
        nobody does.
        """
        done = missed = 0
        while missed < _TRIES:
            team = await self._next(event_id)
            if team is None:
                break
            offered = await self._offered(team)
            done, missed = done + offered, 0 if offered else missed + 1
        if done:
            self._festival.watching.look(event_id)
        return done

    async def _next(self, event_id: str) -> Team | None:
        """Who gets the next seat; None if there is none, or nobody waits for it."""
        festival = self._festival
        seats = await festival.seats.of(event_id)
        if not (seats.free and seats.waiting and seats.registration_open):
            return None
        if festival.now() > (await festival.events.config(event_id)).event_end:
            return None
        head = await festival.db.run(lists.queue_head(event_id))
        if head is None:
            return None  # they have left since
        return await festival.db.run(reads.team(event_id, head.team_id))

    async def _offered(self, team: Team) -> bool:
        festival = self._festival
        if team.payment_status != "waitlisted" or team.wait_position is None:
            return False
        config = await festival.events.config(team.event_id)
        async with festival.seats.turn(team.event_id):
            now = festival.now()
            until = offer_until(config, now)
            hold = Hold(
                event_id=team.event_id, expires_at=until, team_id=team.team_id, created_at=now
            )
            told = festival.messages.offer(config, team, until)
            return await self._done(together(seating.offer_seat(team, hold, now), told))

    # --- writing ---------------------------------------------------------------------------------

    async def _done(self, op: Op[object]) -> bool:
        """Whether its condition was met."""
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise
            return False
        return True

    async def _again(self, team: Team) -> Team:
        return await self._festival.db.require(reads.team(team.event_id, team.team_id))


def _check_may_wait(team: Team) -> None:
    if team.payment_status in SEATED:
        raise conflict("HAS_SEAT", "The team has a seat: it does not have to wait for one.")
    if team.payment_status != "unpaid":
        raise ended()


def _check_queue(seats: Seats, config: Config) -> None:
    if seats.free and not seats.waiting:
        raise conflict("NOT_SOLD_OUT", "There is a seat: check out instead of waiting.")
    if seats.waiting >= config.max_waitlist:
        raise conflict("WAITLIST_FULL", "The queue is full. Try again later.")
