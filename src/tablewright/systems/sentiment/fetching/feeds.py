"""RSS, Atom and JSON Feed: fetched by us, bounded and searched, and only then parsed."""

from __future__ import annotations

import asyncio
import calendar
import codecs
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.message import Message
from typing import Any
from urllib.parse import urljoin, urlsplit

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
from tablewright.systems.sentiment.fetching.json_feed import Feed, read_json_feed
from tablewright.systems.sentiment.fetching.xml_text import safe_xml
from tablewright.systems.sentiment.rules.cleaning import plain
from tablewright.systems.sentiment.rules.identity import canonical_url
from tablewright.systems.sentiment.rules.records import Record

#: Entries of one feed; what is beyond is old.
MOST_ENTRIES = 1000
#: Characters of a title that is made from a text.
_TITLE = 120
_LAST_YEAR = 9998
_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, "
    "text/xml;q=0.8, application/json;q=0.7, text/html;q=0.5, */*;q=0.1"
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
        return await self._parsed(answer, url)

    def _failure(self, answer: Answer) -> Failure:
        seconds = retry_after(answer.headers.get("retry-after"), self._clock.now())
        if answer.status == 429 or (answer.status == 503 and seconds is not None):
            return ToldToWait("RATE_LIMITED", "it asks us to wait", seconds)
        if answer.status >= 500:
            return CallFailed("UPSTREAM_ERROR", f"answered {answer.status}")
        return Refused("UPSTREAM_REFUSED", f"answered {answer.status}")

    async def _parsed(self, answer: Answer, url: str) -> Found:
        """What a server calls a feed says little: its content decides."""
        charset = _charset(answer.headers.get("content-type", ""))
        return await parsed(
            answer.body,
            urlsplit(url).hostname or "",
            charset,
            url=url,
            etag=_short(answer.headers.get("etag")),
            last_modified=_short(answer.headers.get("last-modified")),
        )


async def parsed(
    body: bytes,
    name: str,
    charset: str | None = None,
    *,
    url: str = "",
    etag: str | None = None,
    last_modified: str | None = None,
) -> Found:
    """The entries of a feed, which a publisher without a name of its own is called ``name`` in.

    ``url`` is the feed's own address, which links without a host begin at.
    """
    # Of some megabytes, that takes a while.
    records, bad = await asyncio.to_thread(_entries, body, name, charset, url)
    return Found(records, bad, etag=etag, last_modified=last_modified)


def _entries(body: bytes, name: str, charset: str | None, url: str) -> tuple[list[Record], int]:
    start = body.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    feed = read_json_feed(body) if start == b"{" else _xml_feed(body, charset, url)
    entries = feed.entries[:MOST_ENTRIES]
    found = [_record(entry, feed.title or name, url) for entry in entries]
    records = told_apart([each for each in found if each is not None], url or name)
    return records, len(entries) - len(records)


def _xml_feed(body: bytes, charset: str | None, url: str) -> Feed:
    import feedparser

    checked = safe_xml(body, charset)
    # A stream: of bytes that look like a path, the parser would read the file.
    stream = io.BytesIO(checked)
    headers = {"content-type": "application/xml; charset=utf-8", "content-location": url}
    try:
        feed = feedparser.parse(stream, response_headers=headers)
    except Exception as error:  # whatever a parser of anything may raise
        raise Refused("NOT_A_FEED", "it cannot be parsed") from error
    if not feed.get("version") and not feed.entries:
        page = re.search(rb"<html[\s>]", checked[:2000], re.I) is not None
        reason = "it is a web page" if page else "it is neither RSS nor Atom"
        raise Refused("NOT_A_FEED", reason)
    return Feed(_text(feed.feed, "title"), list(feed.entries))


def _record(entry: Mapping[str, Any], publisher: str, base: str) -> Record | None:
    """An entry as a record; None if it says nothing, or there is nothing to know it by."""
    text = _text(entry, "summary") or _content(entry)
    title = _text(entry, "title") if _text(entry, "title").strip() else beginning(text)
    link, published = _link(entry, base), _moment(entry)
    guid = _text(entry, "id").strip()
    if not title or not (link or published or guid):
        return None
    own = entry.get("source")
    return Record(
        title=title,
        text=text,
        url=link or None,
        source=(_text(own, "title") if isinstance(own, Mapping) else "") or publisher,
        author=_text(entry, "author") or None,
        published_at=published,
        guid=guid or None,
    )


def beginning(text: str) -> str:
    """The first words of an entry without a title, as posts of Mastodon are."""
    words = plain(text, 300)
    first = re.split(r"(?<=[.!?\u3002])\s", words, maxsplit=1)[0]
    if len(first) <= _TITLE:
        return first
    return first[:_TITLE].rsplit(" ", 1)[0].rstrip(",;: ") + "\u2026"


def told_apart(records: list[Record], feed: str) -> list[Record]:
    """Keep the guid only where it says more than the link.

    Entries that share a link, and those without one, are known by their guids, which only mean
    something within their feed. All others are known by their links, as in other feeds.
    """
    guids: dict[str, set[str | None]] = {}
    for each in records:
        link = canonical_url(each.url or "") or ""
        guids.setdefault(link, set()).add(each.guid)
    return [
        replace(each, guid=f"{feed} {each.guid}")
        if each.guid and (not each.url or len(guids[canonical_url(each.url) or ""]) > 1)
        else replace(each, guid=None)
        for each in records
    ]


def _link(entry: Mapping[str, Any], base: str) -> str:
    """The address of an entry, whole; the one behind a counter of clicks if it is told."""
    link = (_text(entry, "feedburner_origlink") or _text(entry, "link")).strip()
    if not link or not base:
        return link
    try:
        return urljoin(base, link)
    except ValueError:
        return link


def _content(entry: Mapping[str, Any]) -> str:
    found = entry.get("content")
    first = found[0] if isinstance(found, list) and found else None
    return _text(first, "value") if isinstance(first, Mapping) else ""


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry.get(name)
    return value if isinstance(value, str) else ""


def _moment(entry: Mapping[str, Any]) -> datetime | None:
    """When it was published; years that programs put where they know none are left out."""
    for name in ("published_parsed", "updated_parsed"):
        if (parts := entry.get(name)) is not None:
            try:
                found = datetime.fromtimestamp(calendar.timegm(parts), UTC)
            except (ValueError, OverflowError, OSError, TypeError):
                continue
            if 1970 < found.year <= _LAST_YEAR:
                return found
    return None


def _charset(header: str) -> str | None:
    """``utf-8``, of ``text/xml; charset=utf-8``."""
    parsed_header = Message()
    parsed_header["content-type"] = header or "application/xml"
    return parsed_header.get_content_charset()


def _short(header: str | None) -> str | None:
    """What we keep of a header, and send back as it is."""
    return header if header is not None and len(header) <= 300 and header.isprintable() else None
