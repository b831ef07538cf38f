"""Search over a list, on the server.

DynamoDB finds items by key and has no search by words. A list of a few thousand people or teams is
read and filtered instead, in bounded steps: a call reads at most ``most_read`` items and then says,
with a cursor, where to go on. An index by words would cost a write for every word of every name,
which lists of this size do not repay.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from tablewright.client import Page
from tablewright.model import PageOp
from tablewright.service.names import comparison_key

__all__ = ["Matcher", "search"]

T = TypeVar("T")

#: Items read by one call, at most; about 20 requests to the table.
MOST_READ = 5_000
_CHUNK = 250
#: Words of a search; more are not looked at.
_MOST_WORDS = 10
_FIRST_MARK, _LAST_MARK = "\u0300", "\u036f"


class _Runs(Protocol):
    """What runs ops: an ``AsyncDb``."""

    async def run(
        self, op: PageOp[T], *, limit: int | None = None, cursor: str | None = None
    ) -> Page[T]: ...


class Matcher:
    """Tells whether texts contain every word of a search, ignoring case and accents."""

    def __init__(self, text: str) -> None:
        self._words = search_key(text[:500]).split()[:_MOST_WORDS]

    def __bool__(self) -> bool:
        """Tell whether anything is searched for."""
        return bool(self._words)

    def matches(self, fields: Iterable[str | None]) -> bool:
        """Tell whether the fields together contain every word; an empty search matches all."""
        text = "\n".join(search_key(field) for field in fields if field)
        return all(word in text for word in self._words)


def search_key(text: str) -> str:
    """Return a text without case and accents: ``Müller`` gives ``muller``."""
    decomposed = unicodedata.normalize("NFD", comparison_key(text))
    plain = (each for each in decomposed if not _FIRST_MARK <= each <= _LAST_MARK)
    return unicodedata.normalize("NFC", "".join(plain))


async def search(
    db: _Runs,
    op: PageOp[T],
    text: str,
    fields: Callable[[T], Iterable[str | None]],
    *,
    limit: int,
    cursor: str | None = None,
    most_read: int = MOST_READ,
) -> Page[T]:
    """Read a page of the results of ``op`` whose fields contain every word of ``text``.

    The page keeps the order of ``op``. Its cursor goes on with the same search; as with every list,
    a cursor may lead to an empty page. A cursor belongs to ``op``, so that an empty search, which
    reads the list as it is, can go on where a search ended.
    """
    matcher = Matcher(text)
    if not matcher:
        return await db.run(op, limit=limit, cursor=cursor)
    matches: list[T] = []
    read = 0
    while True:
        chunk = await db.run(op, limit=min(_CHUNK, most_read - read), cursor=cursor)
        for position, result in enumerate(chunk):
            if not matcher.matches(fields(result)):
                continue
            matches.append(result)
            if len(matches) == limit:
                return Page(tuple(matches), await _cursor_after(db, op, chunk, cursor, position))
        read += len(chunk)
        cursor = chunk.cursor
        if cursor is None or read >= most_read:
            return Page(tuple(matches), cursor)


async def _cursor_after(
    db: _Runs, op: PageOp[T], chunk: Page[T], start: str | None, position: int
) -> str | None:
    """Return the cursor after one result of a chunk, which has only one at its end."""
    if position == len(chunk) - 1:
        return chunk.cursor
    again = await db.run(op, limit=position + 1, cursor=start)
    return again.cursor
