"""When settings that end with the day take effect: another time zone, and reservations.

Processes keep settings for half a minute. A change therefore counts from a midnight that is far
enough away for all of them to know of it by then.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from tablewright.systems.pricekeeper.config import ZoneChange
from tablewright.systems.pricekeeper.rules.calendar import Calendar, Zone, calendar, zones_of

#: How far away a midnight has to be, in seconds.
NOTICE = 300
#: Changes that are remembered: more than a year of them, if somebody moved every week.
KEPT = 64


def with_zone(
    timezone: str, history: Sequence[ZoneChange], wanted: str, now: int
) -> list[ZoneChange]:
    """The history of an organisation that wants another time zone from the next midnight on.

    A change that was wanted before and is still far away is forgotten.
    """
    settled = [zone for zone in zones_of(timezone, history) if zone.since < now + NOTICE]
    if settled[-1].name != wanted:
        midnight = calendar(tuple(settled)).next_midnight(now, NOTICE)
        settled.append(Zone(midnight, wanted))
    return [_change(zone) for zone in _shortened(settled)] if len(settled) > 1 else []


def first_day_ahead(days: Calendar, now: int) -> datetime:
    """The midnight from which on something counts that is switched on now."""
    return datetime.fromtimestamp(days.next_midnight(now, NOTICE), UTC)


def _shortened(zones: Sequence[Zone]) -> list[Zone]:
    first, *rest = zones[-KEPT:]
    return [Zone(0, first.name), *rest]


def _change(zone: Zone) -> ZoneChange:
    return ZoneChange(from_epoch=datetime.fromtimestamp(zone.since, UTC), timezone=zone.name)
