"""Figures of an event, and their nightly comparison with what they count."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.model import together
from tablewright.service.auth.principal import system_principal
from tablewright.service.conflicts import settled
from tablewright.service.problems import FieldError, invalid
from tablewright.service.remembered import Remembered
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.fields import Moment
from tablewright.systems.kurukshetra.rules.figures import Day, Figures, by_day, figures_of
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.service.statistics.counting import (
    OWN_TRACK,
    Counting,
    Difference,
)

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

#: Days that are shown at once, and those that are shown if nobody says.
MOST_DAYS, USUAL_DAYS = 400, 30
#: How long a process keeps the current numbers: a page asks for them with every change of seats.
_CURRENT_SECS: Final = 2.0


@dataclass(frozen=True)
class CurrentTeams:
    """Teams whose seat is paid at this moment, whatever was paid and refunded before."""

    paid: int
    #: By track, the one with most teams first; only tracks that have some.
    paid_by_track: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Stats:
    """What happened at an event in some time."""

    since: date
    until: date
    days: tuple[Day, ...]
    sums: Figures
    seats: m.Seats
    now: CurrentTeams


@dataclass(frozen=True)
class Audited:
    """What was compared, and what differed."""

    events: int
    differences: tuple[Difference, ...]
    #: Whether they were put right.
    corrected: bool


class Statistics:
    """What happened from day to day."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._by = system_principal("kurukshetra", "stats-audit")
        self._current: Remembered[str, CurrentTeams] = Remembered(
            self._count_current, festival.runtime.clock, secs=_CURRENT_SECS, size=1000
        )

    async def of(
        self, event_id: str, since: date | None = None, until: date | None = None
    ) -> Stats:
        """The days from one to the other, both included; without them, the last thirty. [4d]

        Days are those of the event's place.
        """
        setup = await self._festival.events.setup(event_id)
        until = until or self._festival.events.moment(setup.config).day
        _check_year("until", until)
        since = since or until - timedelta(days=USUAL_DAYS - 1)
        _check(since, until)
        found = self._festival.db.iterate(m.statistics(event_id, since, until))
        parts = [each async for each in found]
        tracks = self._festival.db.iterate(m.track_statistics(event_id, since, until))
        own = [each async for each in tracks]
        days = by_day(parts, own, since, until)
        seats = await self._festival.db.require(m.seats(event_id))
        current = await self._current.get(event_id)
        return Stats(since, until, days, figures_of(parts, own), seats, current)

    async def _count_current(self, event_id: str) -> CurrentTeams:
        """Count the teams that are paid now, by one query of the index. [4a]"""
        tracks: Counter[str] = Counter()
        async for team in self._festival.db.iterate(m.teams_by_status(event_id, "paid")):
            tracks[team.track] += 1
        return CurrentTeams(tracks.total(), tuple(tracks.most_common()))

    # --- the nightly comparison ------------------------------------------------------------------

    async def audit(self, *, fix: bool = True) -> Audited:
        """Compare past days of all events with what the table holds; put right what differs.

        What differs is counted a second time, and only what differs in the same way is told. Each
        correction is one transaction with its audit entry, and adds: days go on being counted into
        at the same time, if a clock is behind.
        """
        counting = Counting(self._festival)
        first = await counting.differences()
        both = [] if not first else [each for each in await counting.differences() if each in first]
        for (event_id, day), some in _by_day(both).items():
            names = ", ".join(f"{each.name} {each.stored} for {each.counted}" for each in some)
            log.warning("statistics of event/%s on %s differ: %s", event_id, day, names)
            if fix:
                await self._correct(event_id, day, some)
        return Audited(counting.events, tuple(both), fix and bool(both))

    async def _correct(self, event_id: str, day: date, some: list[Difference]) -> None:
        amounts = {each.name: each.counted - each.stored for each in some}
        own = {name: amounts.pop(name) for name in list(amounts) if name.startswith(OWN_TRACK)}
        now, subject = self._festival.now(), f"event/{event_id}"
        detail = {"day": day.isoformat(), **amounts, **own}
        noted = recorded(self._by, "statistics.correct", subject, at=now, detail=detail)
        moment, lane = Moment(now, day), day.isoformat()
        # The day decides the shard, so that two processes would meet in it.
        tracks = [
            m.correct_track_statistics(event_id, moment, lane, name.removeprefix(OWN_TRACK), amount)
            for name, amount in own.items()
        ]
        changed = [m.correct_statistics(event_id, moment, lane, amounts)] if amounts else []
        await settled(self._festival.db, lambda: together(*changed, *tracks, noted))


def _by_day(found: Iterable[Difference]) -> dict[tuple[str, date], list[Difference]]:
    days: dict[tuple[str, date], list[Difference]] = {}
    for each in found:
        days.setdefault((each.event_id, each.day), []).append(each)
    return days


def _check_year(name: str, day: date) -> None:
    if not 2000 <= day.year <= 9000:
        raise invalid(FieldError(name, "must be between the years 2000 and 9000"))


def _check(since: date, until: date) -> None:
    _check_year("since", since)
    if since > until:
        raise invalid(FieldError("since", "must not be after until"))
    if (until - since).days >= MOST_DAYS:
        raise invalid(FieldError("since", f"must be less than {MOST_DAYS} days before until"))
