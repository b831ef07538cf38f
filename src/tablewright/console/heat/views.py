"""What a page shows of the heat: the hottest keys of all places, named or marked.

A key may hold what concerns a person (an address, a name). Whoever may not see stored items sees
which template a key is of, and a mark that is the same for the same key as long as the process
runs.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from tablewright.console.heat.hottest import Rate
from tablewright.console.heat.metering import Meter
from tablewright.console.heat.touches import PartitionKey
from tablewright.model.table import Table
from tablewright.plan.traffic import template_of
from tablewright.plan.units import Place

#: Keys of one place, and of all.
MOST_OF_PLACE = 5
MOST = 20
#: Characters of a key that are shown.
LONGEST = 120

_SECRET = secrets.token_bytes(32)


@dataclass(frozen=True)
class KeyHeat:
    """One hot key."""

    place: str
    template: str
    key: str
    mark: str
    rate: Rate


@dataclass(frozen=True)
class PlaceHeat:
    """A table or an index, all its keys together."""

    place: str
    rate: Rate


@dataclass(frozen=True)
class HeatView:
    """All that was measured, the hottest first."""

    places: tuple[PlaceHeat, ...] = ()
    keys: tuple[KeyHeat, ...] = ()
    #: Mean seconds that the rates are about.
    seconds: float = field(default=0.0)


def heat_view(meter: Meter) -> HeatView:
    """What was measured up to now."""
    by_name = {table.name: table for table in meter.tables.values()}
    with meter.look() as seconds:
        places = [PlaceHeat(str(at), heat.whole(seconds)) for at, heat in meter.places.items()]
        keys = [
            _key_heat(by_name, place, key, rate)
            for place, heat in meter.places.items()
            for key, rate in heat.top(MOST_OF_PLACE, seconds)
        ]
    return HeatView(
        tuple(sorted(places, key=lambda each: -each.rate.load)),
        tuple(sorted(keys, key=lambda each: -each.rate.load)[:MOST]),
        seconds,
    )


def _key_heat(tables: Mapping[str, Table], place: Place, key: PartitionKey, rate: Rate) -> KeyHeat:
    template = template_of(tables[place.table], place.index, key)
    text = ", ".join(key)
    shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return KeyHeat(str(place), template, shown, _mark(key), rate)


def _mark(key: PartitionKey) -> str:
    """Says nothing about the key: the secret keeps others from trying which key it may be."""
    return blake2b("\0".join(key).encode(), key=_SECRET, digest_size=4).hexdigest()
