"""What somebody looks at: a time, a topic, a publisher, a tone, words. It lives in the address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, get_args

from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.sentiment.pages.paths import BASE
from tablewright.systems.sentiment.rules.filters import ArticleFilter, words_of
from tablewright.systems.sentiment.rules.spans import DAY, HOUR, MINUTE, Span, floor, span_of
from tablewright.systems.sentiment.rules.tags import clean_tag
from tablewright.systems.sentiment.service.voices import Asked
from tablewright.systems.sentiment.shapes import Sentiment

#: Times that people ask for by name.
PRESETS: Final[Mapping[str, tuple[str, timedelta]]] = {
    "1h": ("1 hour", HOUR),
    "24h": ("24 hours", DAY),
    "7d": ("7 days", 7 * DAY),
    "30d": ("30 days", 30 * DAY),
    "90d": ("90 days", 90 * DAY),
}
USUAL: Final = "24h"
TONES: Final[tuple[Sentiment, ...]] = get_args(Sentiment)
#: The names of what an address may say.
NAMES: Final = ("span", "from", "to", "tag", "source", "sentiment", "q")
_MOST_TEXT = 200
_NO_MOMENT = "A time such as 2026-11-15T12:00, in UTC."


class Chip(NamedTuple):
    """A filter that is on, and where one goes without it."""

    name: str
    text: str
    without: str


@dataclass(frozen=True)
class View:
    """What is looked at. Without ends, the time is the preset's, up to now."""

    preset: str = USUAL
    since: datetime | None = None
    until: datetime | None = None
    #: As it was typed; case does not count.
    tag: str | None = None
    source: str | None = None
    sentiment: Sentiment | None = None
    q: str | None = None

    # --- what it means ---------------------------------------------------------------------------

    @property
    def has_ends(self) -> bool:
        return self.since is not None or self.until is not None

    def span(self, now: datetime) -> Span:
        """The time that is meant, or a problem."""
        if self.has_ends:
            return span_of(self.since, self.until, now)
        length = PRESETS[self.preset][1]
        return Span(floor(now - length, HOUR if length > HOUR else MINUTE), now)

    @property
    def asked(self) -> Asked:
        """Of what figures are wanted; their tones are apart."""
        return Asked(self.tag and self.tag.casefold(), self.source, words_of(self.q))

    @property
    def is_counted(self) -> bool:
        """Whether somebody counts it, so that it costs little to look again."""
        return self.asked.subject is not None

    def wanted(self, now: datetime) -> ArticleFilter:
        """The articles that are meant. A time without an end has none: lists go on as it moves."""
        asked = self.asked
        return ArticleFilter(
            sentiment=self.sentiment,
            tag=asked.tag,
            source=asked.source,
            words=asked.words,
            since=self.span(now).since,
            until=self.until,
        )

    # --- where it is -----------------------------------------------------------------------------

    @property
    def query(self) -> dict[str, str | None]:
        """As the address says it; what is usual is not said."""
        preset = None if self.has_ends or self.preset == USUAL else self.preset
        return {
            "span": preset,
            "from": _written(self.since),
            "to": _written(self.until),
            "tag": self.tag,
            "source": self.source,
            "sentiment": self.sentiment,
            "q": self.q,
        }

    def path(self, below: str = "/", **more: str | None) -> str:
        """The address of this view, or of a part of it."""
        return with_query(f"{BASE}{below}", **{**self.query, **more})

    def with_(self, **chosen: Any) -> View:
        """The same with other filters."""
        return replace(self, **chosen)

    def at(self, span: Span) -> View:
        """The same, within another time."""
        return replace(self, since=span.since, until=span.until)

    def lasting(self, preset: str) -> View:
        return replace(self, preset=preset, since=None, until=None)

    @property
    def typed(self) -> dict[str, str]:
        """The ends as a browser's own field for times has them."""
        ends = {"from": self.since, "to": self.until}
        return {name: f"{end:%Y-%m-%dT%H:%M}" if end else "" for name, end in ends.items()}

    @property
    def chips(self) -> list[Chip]:
        """The filters that are on."""
        found = []
        if self.has_ends:
            text = f"{_said(self.since, 'the beginning')} to {_said(self.until, 'now')}"
            found.append(Chip("Time", text, self.lasting(self.preset).path()))
        for title, name in (("Topic", "tag"), ("Publisher", "source"), ("Tone", "sentiment")):
            if text := getattr(self, name):
                found.append(Chip(title, text, self.with_(**{name: None}).path()))
        if self.q:
            found.append(Chip("Words", self.q, replace(self, q=None).path()))
        return found

    @property
    def bare(self) -> View:
        """The same time without any filter."""
        return replace(self, tag=None, source=None, sentiment=None, q=None)


def _written(moment: datetime | None) -> str | None:
    """In UTC; seconds only if there are some."""
    if moment is None:
        return None
    form = "%Y-%m-%dT%H:%M" if not (moment.second or moment.microsecond) else "%Y-%m-%dT%H:%M:%S"
    return moment.astimezone(UTC).strftime(f"{form}Z")


def _said(moment: datetime | None, otherwise: str) -> str:
    return otherwise if moment is None else f"{moment.astimezone(UTC):%-d %b %Y, %H:%M}"


# --- reading it ----------------------------------------------------------------------------------


def view_of(given: Mapping[str, str], now: datetime) -> View:
    """The view that an address asks for, or a problem at its fields."""
    said = {name: given.get(name, "").strip() for name in NAMES}
    errors: list[FieldError] = []
    since = _moment(said["from"], "from", errors)
    until = _moment(said["to"], "to", errors)
    if said["span"] and said["span"] not in PRESETS:
        errors.append(FieldError("query.span", f"One of {', '.join(PRESETS)}."))
    tag = _tag(said["tag"], errors)
    if said["sentiment"] and said["sentiment"] not in TONES:
        errors.append(FieldError("query.sentiment", f"One of {', '.join(TONES)}."))
    if len(said["source"]) > _MOST_TEXT or len(said["q"]) > _MOST_TEXT:
        errors.append(FieldError("query.q", f"At most {_MOST_TEXT} characters."))
    if errors:
        raise invalid(*errors)
    tone = next((each for each in TONES if each == said["sentiment"]), None)
    view = View(
        preset=said["span"] or USUAL,
        since=since,
        until=until,
        tag=tag,
        source=said["source"] or None,
        sentiment=tone,
        q=" ".join(said["q"].split()) or None,
    )
    _checked(view, now)
    return view


def _tag(text: str, errors: list[FieldError]) -> str | None:
    try:
        return clean_tag(text) if text else None
    except ValueError as error:
        errors.append(FieldError("query.tag", str(error)))
        return None


def _moment(text: str, name: str, errors: list[FieldError]) -> datetime | None:
    """A time that was typed or linked; without a zone it is UTC."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
        found = found.replace(microsecond=0)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        errors.append(FieldError(f"query.{name}", _NO_MOMENT))
        return None


def _checked(view: View, now: datetime) -> None:
    """That the time can be; what is wrong with it stands at its beginning."""
    try:
        view.span(now)
    except Problem as problem:
        raise invalid(FieldError("query.from", problem.detail)) from None
