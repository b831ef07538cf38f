"""Sums of counters, and what is in them.

The shards of a count are read one after the other while others write. What a sum has of a writer is
still known exactly: it always adds to the same shard, and leaves the number of its flush there.

For sums of several counts, less is known: the numbers in them differ, because a flush touches some
counts and others not. But flushes of one writer for one organisation are confirmed in the order of
their numbers. So every flush up to a number that was known before the first read is in all of
them, whether it shows or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from tablewright.systems.pricekeeper.rules.figures import Figures, figures_of, in_all
from tablewright.systems.pricekeeper.shapes import UsageKey
from tablewright.systems.pricekeeper.spend import WRITER_FIELDS, UsageCounter

_writers = attrgetter(*WRITER_FIELDS)
#: As totals name them: ``07``.
_NAMES = tuple(name.removeprefix("w_") for name in WRITER_FIELDS)


class Sum(NamedTuple):
    """All shards of one count."""

    key: UsageKey
    figures: Figures
    #: By writer: the number of its last flush.
    seen: Mapping[str, int]


def writer_name(slot: int) -> str:
    """A writer's slot as totals name it."""
    return _NAMES[slot]


def summed(key: UsageKey, shards: Iterable[UsageCounter | None]) -> Sum:
    """The sum of a count's shards, of which some may not be there."""
    found = [shard for shard in shards if shard is not None]
    seen: dict[str, int] = {}
    for shard in found:
        for name, number in zip(_NAMES, _writers(shard), strict=True):
            if number is not None and number > seen.get(name, 0):
                seen[name] = number
    return Sum(key, in_all(map(figures_of, found)), seen)


def sums_of_shards(keys: Sequence[UsageKey], shards: Sequence[UsageCounter | None]) -> list[Sum]:
    """The sums of several counts, whose shards were read together in this order."""
    place, found = 0, []
    for key in keys:
        found.append(summed(key, shards[place : place + key.shard_count]))
        place += key.shard_count
    return found


def seen_by_all(sums: Sequence[Sum], known: Mapping[str, int]) -> dict[str, int]:
    """By writer: every flush up to this number is in all of the sums.

    ``known`` are flushes that were confirmed before the first of them was begun.
    """
    writers = known.keys() | {writer for each in sums for writer in each.seen}
    found = {
        writer: min(
            (max(each.seen.get(writer, 0), known.get(writer, 0)) for each in sums),
            default=known.get(writer, 0),
        )
        for writer in writers
    }
    return {writer: number for writer, number in found.items() if number}


def highest(*seen: Mapping[str, int]) -> dict[str, int]:
    """The highest number of each writer."""
    found: dict[str, int] = {}
    for each in seen:
        for writer, number in each.items():
            if number > found.get(writer, 0):
                found[writer] = number
    return found
