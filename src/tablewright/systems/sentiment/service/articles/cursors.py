"""Where a merged list goes on: the place of each of its queries, signed, for one filter only."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import orjson

from tablewright.client import AsyncDb
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.model.errors import CursorError
from tablewright.model.ops import Query
from tablewright.systems.sentiment.reads import recent_articles
from tablewright.systems.sentiment.rules.filters import ArticleFilter
from tablewright.systems.sentiment.service.articles.lanes import Place


def write_places(db: AsyncDb, wanted: ArticleFilter, places: Sequence[Place]) -> str:
    op = _bound()
    kept = {"for": _digest(wanted), "places": orjson.dumps(places).decode()}
    start = {name: {"S": text} for name, text in kept.items()}
    return write_cursor(db.context.cursor_key, op.pattern, op.selection, start)


def read_places(db: AsyncDb, wanted: ArticleFilter, cursor: str) -> list[Place]:
    op = _bound()
    start = read_cursor(db.context.cursor_key, op.pattern, op.selection, cursor)
    # Cursors of the query itself are signed with the same key.
    if start.get("for") != {"S": _digest(wanted)}:
        raise CursorError("the cursor belongs to a list with other filters: start without one")
    places: list[Place] = orjson.loads(start["places"]["S"])
    return places


def _bound() -> Query[Any]:
    op = recent_articles("positive")
    assert isinstance(op, Query)
    return op


def _digest(wanted: ArticleFilter) -> str:
    text = orjson.dumps(astuple(wanted), option=orjson.OPT_UTC_Z)
    return hashlib.blake2b(text, digest_size=12).hexdigest()
