"""What a source tells, made fit to be stored and shown: plain text of a known length.

Markup and scripts go, entities are read, what controls terminals or turns text around goes. What is
left of ``<`` and ``>`` becomes single guillemets: no text here ever opens a tag.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from html import unescape
from urllib.parse import quote, urlsplit

from tablewright.systems.sentiment.rules.records import Record

SNIPPET, TITLE, AUTHOR, SOURCE_NAME, URL = 200, 500, 200, 100, 2048
UNKNOWN = "Unknown"
#: More of a text is not looked at: it is cut to much less.
_LOOKED_AT = 20_000

#: Words on both sides of these were never one word.
_BREAKS = re.compile(
    r"<(?=/?(?:br|p|div|li|ul|ol|h[1-6]|t[rdh]|table|blockquote|section|article|hr|img)\b)", re.I
)
#: Controls, lone surrogates, what turns text around, marks of byte order, private noncharacters.
_UNWANTED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
_SPACES = re.compile(r"\s+")
_ANGLES = str.maketrans("<>", "\u2039\u203a")


class Unfit(Exception):
    """A record that cannot be an article; says why."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """An article as it is stored and shown."""

    title: str
    snippet: str
    author: str
    source_name: str
    #: https, or None.
    url: str | None
    published_at: datetime

    @property
    def text(self) -> str:
        """What topics are looked for in: as models see it."""
        return f"{self.title}. {self.snippet}"


def cleaned(record: Record, now: datetime) -> Cleaned:
    """What can be kept of a record; :class:`Unfit` if that is no article."""
    title = plain(record.title, TITLE)
    if not title:
        raise Unfit("has no title")
    return Cleaned(
        title=title,
        snippet=plain(record.text, SNIPPET),
        author=plain(record.author or "", AUTHOR) or UNKNOWN,
        source_name=plain(record.source, SOURCE_NAME) or _host_of(record.url) or UNKNOWN,
        url=safe_url(record.url),
        published_at=_moment(record.published_at) or now,
    )


def plain(text: str, most: int) -> str:
    """Text without markup and controls, in NFC, of so many characters at most."""
    text = text[:_LOOKED_AT]
    if "<" in text or "&" in text:
        text = _without_markup(text)
    text = _UNWANTED.sub("", text)
    text = _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()
    return _cut(text.translate(_ANGLES), most)


def _without_markup(text: str) -> str:
    """Twice, for feeds escape what was escaped already."""
    import nh3

    for _ in range(2):
        text = nh3.clean(_BREAKS.sub(" <", text), tags=set())
        text = unescape(text)
        if "<" not in text and "&" not in text:
            break
    return text


def _cut(text: str, most: int) -> str:
    """Not between a letter and its accents."""
    if len(text) <= most:
        return text
    while most and unicodedata.combining(text[most]):
        most -= 1
    return text[:most].rstrip()


def safe_url(url: str | None) -> str | None:
    """An address that a page may link to: https, a host, nobody's password; else None."""
    given = (url or "").strip()
    try:
        parts = urlsplit(given)
        _ = parts.port
    except ValueError:
        return None
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc:
        return None
    if not _is_host(parts.hostname) or any(char <= " " or char == "\x7f" for char in given):
        return None
    rest = given.partition("://")[2][len(parts.netloc) :]
    whole = f"https://{parts.netloc}{quote(rest, safe=_KEPT, errors='replace')}"
    return whole if len(whole) <= URL else None


_KEPT = "/?#[]@!$&'()*+,;=:%~"


def _is_host(host: str) -> bool:
    return not any(char in '<>"\\^`{|}%' for char in host)


def _host_of(url: str | None) -> str:
    try:
        host = urlsplit((url or "").strip()).hostname or ""
    except ValueError:
        return ""
    return plain(host.removeprefix("www."), SOURCE_NAME)


def _moment(given: datetime | None) -> datetime | None:
    """In UTC and whole milliseconds, as it is stored."""
    if given is None:
        return None
    if given.tzinfo is None:
        raise Unfit("published_at has no time zone")
    try:
        moment = given.astimezone(UTC)
    except OverflowError:
        raise Unfit("published_at is outside of all years") from None
    if not 1970 <= moment.year <= 9998:
        raise Unfit("published_at is outside the years 1970 to 9998")
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
