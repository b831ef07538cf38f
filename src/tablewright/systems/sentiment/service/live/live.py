"""The streams of readers, and the picture they begin with."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.auth import Principal
from tablewright.service.events.hub import Render, Snapshot
from tablewright.service.events.lasting import Keeping
from tablewright.service.events.lookouts import too_many_streams
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.rules.figures import total
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.rules.spans import DAY, HOUR, ceiling, floor
from tablewright.systems.sentiment.service.alerts.windows import Windows
from tablewright.systems.sentiment.service.live.reader import KEPT_SECS, TOPIC
from tablewright.systems.sentiment.service.live.telling import item_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Articles of the picture.
RECENT = 20
#: How long a picture is shown again.
PICTURE_SECS = 5.0
#: Who is further behind gets the picture anew.
MOST_WAITING = 500
_TONES = ("positive", "neutral", "negative")


class _Picture(NamedTuple):
    """What was shown, after which event, and when."""

    place: str
    at: float
    shown: Mapping[str, object]

    def is_good(self, place: str, now: float) -> bool:
        return self.place == place and self.at <= now < self.at + PICTURE_SECS


class Live:
    """What arrives, told to whoever is looking."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._events = newsroom.runtime.events
        self._events.keep(TOPIC, Keeping(KEPT_SECS, numbered=True))
        self._windows = Windows(newsroom, reads.series)
        self._open: Counter[str] = Counter()
        self._picture: _Picture | None = None
        self._making = asyncio.Lock()
        self._streams = newsroom.runtime.metrics.gauge(
            "sentiment_streams", "Streams that are open in this process."
        )

    # --- streams -----------------------------------------------------------------------

    def stream(
        self,
        request: Request,
        by: Principal,
        *,
        snapshot: Snapshot | None = None,
        render: Render | None = None,
    ) -> Response:
        """The picture, then what happens; or what happened since ``Last-Event-ID``.

        Pages have a picture of their own, and events that are pieces of a page.
        """
        from tablewright.systems.sentiment.service.live.counted import Counted

        release = self._admitted(by.id)
        try:
            answer = self._events.stream(
                request,
                [],
                lasting=[TOPIC],
                snapshot=snapshot or self.snapshot,
                render=render,
                most_waiting=MOST_WAITING,
            )
        except BaseException:
            release()
            raise
        return Counted(answer, release)

    @property
    def streams(self) -> int:
        """How many are open."""
        return self._open.total()

    def _admitted(self, who: str) -> Callable[[], None]:
        """One more stream, if there may be; gives what to call when it is over."""
        options = self._newsroom.options
        if self._open[who] >= options.streams_per_user:
            raise too_many_streams(
                f"You have {options.streams_per_user} open streams, the most there are"
            )
        if self.streams >= options.streams:
            raise too_many_streams(f"This process has {options.streams} open streams, its most")
        self._open[who] += 1
        self._streams.set(self.streams)

        def release() -> None:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]
            self._streams.set(self.streams)

        return release

    # --- the picture -------------------------------------------------------------------

    async def snapshot(self) -> Mapping[str, object]:
        """The latest articles and the totals of a day; made once for all who begin together."""
        # It must not be older than the event that its readers go on after; nor much older at all,
        # for the day that it shows passes also if nothing happens.
        async with self._making:
            place, now = self._events.last(TOPIC) or "", self._newsroom.runtime.clock.now()
            kept = self._picture
            if kept is None or not place or not kept.is_good(place, now):
                kept = self._picture = _Picture(place, now, await self._made())
            return kept.shown

    async def _made(self) -> Mapping[str, object]:
        now = self._newsroom.now()
        since, until = floor(now - DAY, HOUR), ceiling(now, HOUR)
        articles, rows = await asyncio.gather(
            self.recent(), self._windows.rows("all", since, until, fine=False)
        )
        figures = total(each for _, each in rows)
        return {
            "at": moment_text(now),
            "items": [item_of(each) for each in articles],
            "totals": {
                "since": moment_text(since),
                "ingested": figures.ingested,
                **{tone: getattr(figures, tone) for tone in _TONES},
                "index": figures.index,
            },
        }

    async def recent(self) -> list[Article]:
        """The latest articles of every tone."""
        db = self._newsroom.db
        pages = await asyncio.gather(
            db.run(reads.recent_articles("positive"), limit=RECENT),
            db.run(reads.recent_articles("neutral"), limit=RECENT),
            db.run(reads.recent_articles("negative"), limit=RECENT),
        )
        found = [article for page in pages for article in page]
        found.sort(key=lambda article: (article.timestamp, article.source_id), reverse=True)
        return found[:RECENT]
