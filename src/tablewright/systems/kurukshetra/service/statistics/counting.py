"""Figures that are counted from people, teams and payments themselves.

Compared is what these say for good: who registered on a day, which teams were founded, what was
paid. Joins, checkouts, refunds and check-ins come and go, and leave no trace for each time. The day
that is not over at the event's place is left out: it is being counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeAlias

from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.events import TRACKS
from tablewright.systems.kurukshetra.rules.figures import TRACK_FIELDS
from tablewright.systems.kurukshetra.rules.local_time import local_day

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Event, day and what is counted.
Place: TypeAlias = tuple[str, date, str]

#: Before the name of one of the event's own tracks.
OWN_TRACK = "track:"
#: What can be counted again.
LASTING = ("registrations", "teams", "paid", "revenue", *TRACK_FIELDS.values())


@dataclass(frozen=True)
class Difference:
    """A figure of a day that is not what the table says."""

    event_id: str
    day: date
    name: str
    stored: int
    counted: int


class Counting:
    """All events at once: the table is read three times, whole. [6]"""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._configs: dict[str, m.Config] = {}

    @property
    def events(self) -> int:
        return len(self._configs)

    async def differences(self) -> list[Difference]:
        """Where what is stored is not what is counted, on days that are over."""
        db = self._festival.db
        self._configs = {}
        async for event in db.iterate(m.events()):
            config = await db.run(m.config(event.event_id))
            if config is not None:
                self._configs[event.event_id] = config
        # Stored first: what is counted into it meanwhile belongs to a day that is left out.
        stored, counted = await self._stored(), await self._counted()
        places = sorted(stored.keys() | counted.keys())
        return [
            Difference(*place, stored[place], counted[place])
            for place in places
            if self._over(place) and stored[place] != counted[place]
        ]

    def _over(self, place: Place) -> bool:
        return place[1] < local_day(self._festival.now(), self._configs[place[0]].zone)

    async def _stored(self) -> Counter[Place]:
        found: Counter[Place] = Counter()
        for event_id in self._configs:
            days = m.statistics(event_id, date(2000, 1, 1), date(9000, 1, 1))
            async for part in self._festival.db.iterate(days):
                for name in LASTING:
                    found[event_id, part.day, name] += getattr(part, name)
            own = m.track_statistics(event_id, date(2000, 1, 1), date(9000, 1, 1))
            async for count in self._festival.db.iterate(own):
                found[event_id, count.day, f"{OWN_TRACK}{count.track}"] += count.paid
        return found

    async def _counted(self) -> Counter[Place]:
        found: Counter[Place] = Counter()
        db = self._festival.db
        tracks: dict[tuple[str, str], str] = {}
        async for person in db.iterate(m.every_participant()):
            found.update(self._at(person.event_id, person.created_at, registrations=1))
        async for team in db.iterate(m.every_team()):
            tracks[team.event_id, team.team_id] = team.track
            found.update(self._at(team.event_id, team.created_at, teams=1))
        async for payment in self._paid():
            track = tracks.get((payment.event_id, payment.team_id), "")
            amounts = {"paid": 1, "revenue": payment.amount}
            if track:
                amounts[m.paid_track(track) if track in TRACKS else f"{OWN_TRACK}{track}"] = 1
            at = payment.paid_at or payment.created_at
            found.update(self._at(payment.event_id, at, **amounts))
        return found

    async def _paid(self) -> AsyncIterator[m.Payment]:
        """Those that gave a team its seat; one that came too late went back at once."""
        async for payment in self._festival.db.iterate(m.every_payment()):
            # Of those without a fee only some say when they were paid.
            free = payment.amount == 0 and payment.status == "paid"
            if payment.paid_at is not None or free:
                yield payment

    def _at(self, event_id: str, at: datetime, **amounts: int) -> dict[Place, int]:
        return dict(self._placed(event_id, at, amounts))

    def _placed(
        self, event_id: str, at: datetime, amounts: dict[str, int]
    ) -> Iterator[tuple[Place, int]]:
        config = self._configs.get(event_id)
        if config is not None:
            day = local_day(at, config.zone)
            yield from (((event_id, day, name), amount) for name, amount in amounts.items())
