"""JSON Feed (jsonfeed.org), versions 1 and 1.1, as entries like those of RSS and Atom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from tablewright.systems.sentiment.fetching.failures import Refused
from tablewright.systems.sentiment.rules.moments import read_moment

_VERSION = "https://jsonfeed.org/version/"


@dataclass(frozen=True)
class Feed:
    """A feed that was read: its title, and its entries as feedparser gives them."""

    title: str
    entries: list[Mapping[str, Any]]


def read_json_feed(body: bytes) -> Feed:
    """Read a JSON Feed; :class:`Refused` if it is none."""
    try:
        document = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        raise Refused("NOT_A_FEED", "it is not valid JSON") from None
    items = document.get("items") if isinstance(document, dict) else None
    version = document.get("version") if isinstance(document, dict) else None
    if not isinstance(version, str) or not version.startswith(_VERSION):
        raise Refused("NOT_A_FEED", "it is JSON, but not a JSON Feed")
    entries = items if isinstance(items, list) else []
    return Feed(_text(document, "title"), [_entry(e) for e in entries if isinstance(e, dict)])


def _entry(item: Mapping[str, Any]) -> dict[str, Any]:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    published = read_moment(_text(item, "date_published") or _text(item, "date_modified"))
    known = published is not None and published.tzinfo is not None
    return {
        "id": _text(item, "id") or str(item.get("id") or ""),
        "title": _text(item, "title"),
        "link": _text(item, "external_url") or _text(item, "url"),
        "summary": _text(item, "summary")
        or _text(item, "content_text")
        or _text(item, "content_html"),
        "author": _text(first, "name") if isinstance(first, Mapping) else "",
        "published_parsed": published.utctimetuple() if published and known else None,
    }


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
