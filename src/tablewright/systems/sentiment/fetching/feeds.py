"""RSS and Atom: fetched by us, bounded and searched, and only then parsed."""

from __future__ import annotations

import asyncio
import calendar
import io
from collections.abc import Mapping
from datetime import UTC, datetime
from email.message import Message
from typing import Any
from urllib.parse import urlsplit

from tablewright.clock import Clock
from tablewright.service.outbound import (
    Answer,
    Outbound,
    OutboundError,
    UnsafeAddress,
    retry_after,
)
from tablewright.systems.sentiment.fetching.failures import (
    CallFailed,
    Failure,
    Refused,
    ToldToWait,
)
from tablewright.systems.sentiment.fetching.found import Found
from tablewright.systems.sentiment.fetching.xml_text import safe_xml
from tablewright.systems.sentiment.rules.records import Record

#: Entries of one feed; what is beyond is old.
MOST_ENTRIES = 1000
_ACCEPT = "application/atom+xml, application/rss+xml, application/xml;q=0.9, text/xml;q=0.8"
#: What servers call feeds. A page for people is none.
_TYPES = frozenset(
    {
        "",
        "application/atom+xml",
        "application/octet-stream",
        "application/rdf+xml",
        "application/rss+xml",
        "application/xml",
        "text/plain",
        "text/xml",
    }
)


class Feeds:
    """Feeds at addresses that people named."""

    def __init__(self, outbound: Outbound, clock: Clock) -> None:
        self._outbound = outbound
        self._clock = clock

    async def read(self, url: str, etag: str | None, last_modified: str | None) -> Found | None:
        """What is in the feed; None if it is what it was."""
        asked = {"If-None-Match": etag, "If-Modified-Since": last_modified, "Accept": _ACCEPT}
        headers = {name: value for name, value in asked.items() if value is not None}
        try:
            answer = await self._outbound.get(url, headers)
        except UnsafeAddress as error:
            raise Refused("UNSAFE_URL", f"the address {error}") from error
        except OutboundError as error:
            kind = Refused if error.code == "TOO_LARGE" else CallFailed
            raise kind(error.code, str(error)) from error
        if answer.status == 304:
            return None
        if answer.status != 200:
            raise self._failure(answer)
        return await self._parsed(answer, urlsplit(url).hostname or "")

    def _failure(self, answer: Answer) -> Failure:
        seconds = retry_after(answer.headers.get("retry-after"), self._clock.now())
        if answer.status == 429 or (answer.status == 503 and seconds is not None):
            return ToldToWait("RATE_LIMITED", "it asks us to wait", seconds)
        if answer.status >= 500:
            return CallFailed("UPSTREAM_ERROR", f"answered {answer.status}")
        return Refused("UPSTREAM_REFUSED", f"answered {answer.status}")

    async def _parsed(self, answer: Answer, host: str) -> Found:
        kind, charset = _content_type(answer.headers.get("content-type", ""))
        if kind not in _TYPES:
            raise Refused("NOT_A_FEED", f"it is of the type {kind[:60]}")
        return await parsed(
            answer.body,
            host,
            charset,
            etag=_short(answer.headers.get("etag")),
            last_modified=_short(answer.headers.get("last-modified")),
        )


async def parsed(
    body: bytes,
    name: str,
    charset: str | None = None,
    *,
    etag: str | None = None,
    last_modified: str | None = None,
) -> Found:
    """The entries of a feed, which a publisher without a name of its own is called ``name`` in."""
    # Of some megabytes, that takes a while.
    records, bad = await asyncio.to_thread(_entries, body, name, charset)
    return Found(records, bad, etag=etag, last_modified=last_modified)


def _entries(body: bytes, name: str, charset: str | None) -> tuple[list[Record], int]:
    import feedparser

    checked = safe_xml(body, charset)
    # A stream: of bytes that look like a path, the parser would read the file.
    stream = io.BytesIO(checked)
    headers = {"content-type": "application/xml; charset=utf-8"}
    try:
        feed = feedparser.parse(stream, response_headers=headers)
    except Exception as error:  # whatever a parser of anything may raise
        raise Refused("NOT_A_FEED", "it cannot be parsed") from error
    if not feed.get("version") and not feed.entries:
        raise Refused("NOT_A_FEED", "it is neither RSS nor Atom")
    publisher = _text(feed.feed, "title") or name
    entries = feed.entries[:MOST_ENTRIES]
    found = [each for entry in entries if (each := _record(entry, publisher)) is not None]
    return found, len(entries) - len(found)


def _record(entry: Mapping[str, Any], publisher: str) -> Record | None:
    """An entry as a record; None if it has no title, or nothing to know it by."""
    title, link, published = _text(entry, "title"), _text(entry, "link"), _moment(entry)
    if not title.strip() or not (link or published):
        return None
    own = entry.get("source")
    return Record(
        title=title,
        text=_text(entry, "summary"),
        url=link or None,
        source=(_text(own, "title") if isinstance(own, Mapping) else "") or publisher,
        author=_text(entry, "author") or None,
        published_at=published,
    )


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _moment(entry: Mapping[str, Any]) -> datetime | None:
    for name in ("published_parsed", "updated_parsed"):
        if (parts := entry.get(name)) is not None:
            try:
                return datetime.fromtimestamp(calendar.timegm(parts), UTC)
            except (ValueError, OverflowError, OSError, TypeError):
                continue
    return None


def _content_type(header: str) -> tuple[str, str | None]:
    """``text/xml`` and ``utf-8``, of ``text/xml; charset=utf-8``."""
    parsed_header = Message()
    parsed_header["content-type"] = header or "application/xml"
    charset = parsed_header.get_content_charset()
    return header.partition(";")[0].strip().lower(), charset


def _short(header: str | None) -> str | None:
    """What we keep of a header, and send back as it is."""
    return header if header is not None and len(header) <= 300 and header.isprintable() else None
