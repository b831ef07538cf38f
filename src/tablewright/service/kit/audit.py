"""The audit log: who did what to what, written in the transaction of what was done.

Entries lie in a partition of their month and one of a few shards, so that no partition gets hot
and a listing still reads few of them. :func:`entries` merges the shards, newest first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple, Protocol

from pydantic import JsonValue

from tablewright.client import AsyncDb, Page
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.model import Put
from tablewright.model.errors import RequestError
from tablewright.model.ops import Query
from tablewright.service.kit.entities import AUDIT_SHARDS, AuditEntry
from tablewright.service.kit.moments import Moment, moment, text_of
from tablewright.service.kit.patterns import audit_of_month, write_audit

#: How long an entry is kept, if nobody says otherwise.
KEPT = timedelta(days=400)
#: What never gets into the log, wherever a name contains it.
_SECRET = ("secret", "token", "password", "authorization", "cookie", "email")
_REDACTED = "[redacted]"
#: Characters of one text, members of one list, and how deep they go: a log holds no documents.
_TEXT, _MEMBERS, _DEPTH = 500, 50, 4


class Actor(Protocol):
    """Who acts: a :class:`~tablewright.service.auth.Principal`."""

    @property
    def id(self) -> str: ...

    @property
    def kind(self) -> str: ...


def record(
    principal: Actor,
    action: str,
    subject: str,
    *,
    at: Moment,
    detail: Mapping[str, object] | None = None,
    kept: timedelta = KEPT,
) -> Put[AuditEntry]:
    """That ``principal`` did ``action`` to ``subject``, to join the transaction that does it.

    ``detail`` is for what changed, never for personal data; values under names such as
    ``client_secret`` or ``email`` are left out. It is there for as long as it is ``kept``; who
    lists entries of more than 400 days says ``since``.
    """
    when = moment(at)
    entry = AuditEntry(
        at=when,
        actor=principal.id,
        actor_kind=principal.kind,
        action=action,
        subject=subject,
        detail=_cleaned(detail or {}, _DEPTH),
        expires_at=when + kept,
    )
    return write_audit(entry)


def _cleaned(detail: Mapping[Any, object], depth: int) -> dict[str, JsonValue]:
    some = islice(detail.items(), _MEMBERS)
    return {str(name)[:_TEXT]: _clean(str(name), value, depth) for name, value in some}


def _clean(name: str, value: object, depth: int) -> JsonValue:
    """A value that may be in the log: plain, short, and no secret."""
    if value is None or isinstance(value, bool | int | float):
        return value  # a number of tokens is no token
    if any(word in name.lower() for word in _SECRET):
        return _REDACTED
    if isinstance(value, Mapping) and depth:
        return _cleaned(value, depth - 1)
    if isinstance(value, list | tuple | set | frozenset) and depth:
        return [_clean(name, each, depth - 1) for each in islice(value, _MEMBERS)]
    return str(value)[:_TEXT]


# --- listing -------------------------------------------------------------------------------------


async def entries(
    db: AsyncDb,
    *,
    until: Moment,
    since: Moment | None = None,
    limit: int = 50,
    cursor: str | None = None,
    actor: str | None = None,
    subject: str | None = None,
    action: str | None = None,
) -> Page[AuditEntry]:
    """The entries before ``until``, newest first, back to ``since`` or to the oldest.

    Filters are looked at after reading: one that matches little reads much.
    """
    if limit < 1:
        raise RequestError(f"limit is {limit}; at least 1 result is wanted")
    wanted = Wanted(actor, subject, action)
    before = moment(until)
    after = before - KEPT if since is None else moment(since)
    end = _first_position(before) if cursor is None else _read(db, wanted, cursor)
    found: list[AuditEntry] = []
    for month in _months(end[:7], after):
        found += await _of_month(db, month, after, end, wanted, limit - len(found))
        if len(found) == limit:
            return Page(tuple(found), _write(db, wanted, found[-1].position))
    return Page(tuple(found))


class Wanted(NamedTuple):
    """What is looked for; None is everything."""

    actor: str | None
    subject: str | None
    action: str | None

    def op(
        self, month: str, shard: int, since: str | None, before: str | None
    ) -> Query[AuditEntry]:
        made = audit_of_month(month, shard, since=since, before=before, **self._asdict())
        assert isinstance(made, Query)
        return made


async def _of_month(
    db: AsyncDb, month: str, since: datetime, before: str, wanted: Wanted, limit: int
) -> list[AuditEntry]:
    """The newest of a month: of each shard as many as there could be, and of these the newest."""
    pages = await asyncio.gather(
        *(
            db.run(wanted.op(month, shard, _first_position(since), before), limit=limit)
            for shard in range(AUDIT_SHARDS)
        )
    )
    merged = [entry for page in pages for entry in page]
    merged.sort(key=lambda entry: entry.position, reverse=True)
    return merged[:limit]


def _months(newest: str, oldest: datetime) -> Iterator[str]:
    """``202611``, ``202610`` and so on, from ``2026-11`` back to a moment."""
    year, month = int(newest[:4]), int(newest[5:])
    while (year, month) >= (oldest.year, oldest.month):
        yield f"{year:04d}{month:02d}"
        year, month = (year - 1, 12) if month == 1 else (year, month - 1)


def _first_position(at: datetime) -> str:
    """The lowest position that an entry of this moment can have."""
    return f"{text_of(at)}#{'0' * 26}"


def _write(db: AsyncDb, wanted: Wanted, position: str) -> str:
    context, bound = db.context, wanted.op("000000", 0, None, None)
    start = {"position": {"S": position}}
    return write_cursor(context.cursor_key, bound.pattern, bound.selection, start)


def _read(db: AsyncDb, wanted: Wanted, cursor: str) -> str:
    context, bound = db.context, wanted.op("000000", 0, None, None)
    start = read_cursor(context.cursor_key, bound.pattern, bound.selection, cursor)
    return str(start["position"]["S"])
