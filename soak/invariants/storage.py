"""Of every table, whoever's it is: indexes, streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from soak.image import Image, Index, Item, Key, Table
from soak.invariants.finding import invariant, unless


@invariant("indexes equal a rebuild from their table")
def indexes(
    image: Image, *, steady: dict[str, dict[Key, Item]] | None = None
) -> Iterator[str | None]:
    """``steady``: a second look at the tables, after the indexes; what changed is left out."""
    for table in image.tables.values():
        later = table.items if steady is None else steady.get(table.name, {})
        for index in table.indexes:
            yield from _index(table, index, later)


def _index(table: Table, index: Index, later: dict[Key, Item]) -> Iterator[str | None]:
    where = f"{table.name}/{index.name}"
    keys = Counter(table.key_of(item) for item in index.items)
    held = {table.key_of(item): item for item in index.items}
    for key, item in table.items.items():
        if later.get(key) != item:
            continue
        wanted = rebuilt(index, item)
        yield unless(held.get(key) == wanted, f"{where}: {key} is {held.get(key)}, not {wanted}")
    for key, times in keys.items():
        there = key in table.items or key in later
        yield unless(there, f"{where}: {key} is not in the table")
        yield unless(times == 1, f"{where}: {key} is there {times} times")


def rebuilt(index: Index, item: Item) -> Item | None:
    """What an index holds of an item; None if it is not in it."""
    if any(name not in item for name in index.keys):
        return None
    if index.projected is None:
        return item
    return {name: value for name, value in item.items() if name in index.projected}


@invariant("streams replayed from the beginning give the tables")
def streams(image: Image) -> Iterator[str | None]:
    for table in image.tables.values():
        if table.stream is not None:
            yield from _stream(table)


def _stream(table: Table) -> Iterator[str | None]:
    assert table.stream is not None
    replayed: dict[Key, Item | None] = {}
    both = table.stream.view == "NEW_AND_OLD_IMAGES"
    for change in table.stream.changes:
        before = replayed.get(change.key)
        known = (before is not None) == (change.kind != "INSERT")
        yield unless(known, f"{table.name}: {change.kind} of {change.key}, which was {before}")
        if both:
            yield unless(before == change.old, f"{table.name}: {change.key} had another image")
        if change.kind == "REMOVE":
            replayed.pop(change.key, None)
        else:
            # With keys alone, that it is there is all that is told.
            replayed[change.key] = change.new if change.new is not None else {}
    images = "NEW" in table.stream.view
    for key, item in table.items.items():
        same = replayed.get(key) == item if images else key in replayed
        yield unless(same, f"{table.name}: {key} is not what the stream says")
    for key in replayed.keys() - table.items.keys():
        yield f"{table.name}: the stream still has {key}"
