"""What transactions under a token of the caller's own were made from.

DynamoDB takes a transaction for a repetition only if it is the same word for word. Some of its
words are not the caller's: the moment by which an entity has ended, and what was read to find the
locks of unique values, which the transaction itself may have changed since. So both are kept for as
long as the token holds. What the caller asks for is not: another transaction under the same token
is refused as one.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from tablewright.values import Item

#: How long DynamoDB knows a token.
_SECONDS = 600.0
#: How many are kept: a process that makes more in ten minutes forgets the oldest.
_MOST = 10_000


@dataclass(frozen=True)
class Basis:
    """What one transaction rests on, beside what it was asked for."""

    now: float
    _items: dict[object, Item | None] = field(default_factory=dict)

    def has(self, table: str, key: Item) -> bool:
        return _place(table, key) in self._items

    def item(self, table: str, key: Item) -> Item | None:
        """The item as it was read the first time."""
        return self._items[_place(table, key)]

    def keep(self, table: str, key: Item, item: Item | None) -> None:
        self._items[_place(table, key)] = item


class Tokens:
    """The bases of the last ten minutes; shared by threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bases: dict[str, Basis] = {}

    def basis(self, token: str | None, now: float) -> Basis:
        """What the transaction was made from before, or what it is made from now."""
        if token is None:
            return Basis(now)
        with self._lock:
            found = self._bases.get(token)
            if found is not None and now - found.now < _SECONDS:
                return found
            self._bases.pop(token, None)
            made = self._bases[token] = Basis(now)
            while len(self._bases) > _MOST:
                del self._bases[next(iter(self._bases))]
        return made

    def forget(self, token: str | None) -> None:
        """A condition did not hold: nothing was written, and it may be made from something else."""
        if token is not None:
            with self._lock:
                self._bases.pop(token, None)


def _place(table: str, key: Item) -> object:
    return (table, *((name, *value.items()) for name, value in sorted(key.items())))
