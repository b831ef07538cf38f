"""The heat of a whole model: every table and global index under the streams of its patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.model.model import Model
from tablewright.plan.demand import declared_units
from tablewright.plan.heat import Heat, HotKey, simulate
from tablewright.plan.keys import MANY, KeySpread
from tablewright.plan.partitions import READ_LIMIT, WRITE_LIMIT
from tablewright.plan.plan import Plan
from tablewright.plan.text import figure, table
from tablewright.plan.traffic import Stream, streams_of
from tablewright.plan.units import Place

#: Keys that use less of a partition than this are not worth a line.
WARM = 0.25


def heats_of(
    model: Model,
    plan: Plan,
    keys: Mapping[str, KeySpread],
    *,
    seconds: int = 3600,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Heat]:
    """Every place that has streams; :class:`NumpyMissing` where that cannot be simulated."""
    stored = {each.table.name: each.stored for each in plan.demands}
    found: list[Heat] = []
    for place, streams in streams_by_place(model, plan, keys).items():
        progress(f"heat of {place}")
        held = stored[place.table]
        size = held.base + held.local if place.index is None else held.indexes.get(place.index, 0)
        units = declared_units(model.tables[place.table], place)
        found.append(simulate(place, streams, seconds=seconds, stored=size, provisioned=units))
    return found


def streams_by_place(
    model: Model, plan: Plan, keys: Mapping[str, KeySpread]
) -> dict[Place, list[Stream]]:
    """The streams of each table and global index."""
    found: dict[Place, list[Stream]] = {}
    for stream in streams_of(model, plan.loads, keys):
        found.setdefault(_payer(model, stream.place), []).append(stream)
    return found


def _payer(model: Model, place: Place) -> Place:
    """A local index lives in the table's own partitions."""
    index = model.tables[place.table].indexes.get(place.index or "")
    return Place(place.table) if index is None or index.local else place


# --- for people ----------------------------------------------------------------------------------


def text_of(heats: list[Heat]) -> str:
    """Places first, then the keys that are warm, with what to do about them."""
    if not heats:
        return "Heat\n  nothing to simulate: no pattern has a rate"
    rows = []
    for heat in heats:
        first, last = heat.partitions
        busiest = f"{max(heat.loads):.1%}"
        refused, settled = _share(heat.throttled), _share(heat.settled)
        rows.append([str(heat.place), str(first), str(last), busiest, refused, settled])
    head = ["place", "partitions", "at the end", "fullest", "throttled", "at the end"]
    minutes = heats[0].seconds // 60
    title = f"Heat: {minutes} minutes at the peak, partitions of 1,000 write and 3,000 read units\n"
    return "\n\n".join([title + table(head, rows), *_keys(heats), *_guessed(heats)])


def _guessed(heats: list[Heat]) -> list[str]:
    named = dict.fromkeys(key.template for heat in heats for key in heat.keys if key.guessed)
    if not named:
        return []
    return [
        f"  {MANY:,} keys, evenly used, are assumed where nothing is said: say in a scenario how "
        f"many there are\n  and how uneven they are ([keys.TEMPLATE] count = ..., hottest = ...) "
        f"for {', '.join(named)}"
    ]


def _keys(heats: list[Heat]) -> list[str]:
    warm = [(heat, key) for heat in heats for key in heat.keys if key.load >= WARM]
    if not warm:
        return [f"  no key uses {WARM:.0%} of a partition"]
    rows = []
    for heat, key in sorted(warm, key=lambda pair: -pair[1].load):
        units = [figure(key.read), figure(key.write), f"{key.load:.0%}"]
        rows.append([str(heat.place), key.template, *units, verdict(key)])
    head = ["place", "hottest key", "read/s", "write/s", "of a partition", "what follows"]
    return ["Hottest keys\n" + table(head, rows, left=(0, 1, 5))]


def verdict(key: HotKey) -> str:
    """Whether one key holds its load, and what would."""
    guess = "; how many keys there are is a guess" if key.guessed else ""
    if key.shards == 1:
        return f"holds{guess}"
    if key.load <= 1:
        return f"holds on average, not in every second: {key.shards} keys would{guess}"
    if key.bound:
        return f"throttled for ever, since {key.bound}: spread it over {key.shards} keys{guess}"
    return f"throttled until its items are split: {key.shards} keys hold at once{guess}"


def _share(value: float) -> str:
    return "0" if not value else f"{value:.2%}" if value >= 0.0001 else "<0.01%"


# --- for programs --------------------------------------------------------------------------------


def data_of(heats: list[Heat]) -> list[dict[str, object]]:
    """The same as plain data, for JSON."""
    return [
        {
            "table": heat.place.table,
            "index": heat.place.index,
            "seconds": heat.seconds,
            "partitions": list(heat.partitions),
            "throttled": heat.throttled,
            "throttled_at_the_end": heat.settled,
            "fullest": max(heat.loads),
            "limits": {"read": READ_LIMIT, "write": WRITE_LIMIT},
            "keys": [_key_data(key) for key in heat.keys],
        }
        for heat in heats
    ]


def _key_data(key: HotKey) -> dict[str, Any]:
    return {
        "template": key.template,
        "patterns": list(key.patterns),
        "read": key.read,
        "write": key.write,
        "load": key.load,
        "shards": key.shards,
        "bound": key.bound,
        "guessed": key.guessed,
    }
