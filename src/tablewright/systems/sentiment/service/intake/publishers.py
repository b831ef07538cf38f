"""Publishers: each is counted by its own name, however many there are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tablewright.service.names import clean_text
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment.config import Publisher
from tablewright.systems.sentiment.config_reads import publishers
from tablewright.systems.sentiment.rules.publishers import OTHER, slug
from tablewright.systems.sentiment.writes import note_publisher

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Seconds between two notes about one publisher, and for which a list of them is kept.
_NOTE_SECS, _LIST_SECS = 60.0, 30.0
OTHERS = "Other publishers"


class Publishers:
    """The publishers that articles come from."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        #: Articles that are not noted yet, and when each publisher was noted last.
        self._waiting: Counter[str] = Counter()
        self._noted: dict[str, float] = {}
        self._listed: Remembered[str, list[Publisher]] = Remembered(
            self._load, newsroom.runtime.clock, secs=_LIST_SECS
        )

    async def key_of(self, name: str) -> str:
        """Return the key of a publisher, and make it known.

        A publisher is noted with its first article, and then once a minute. The numbers only rank
        publishers, so the last minute may be lost with the process.
        """
        key = slug(name)
        self._waiting[key] += 1
        now = self._newsroom.runtime.clock.now()
        noted = self._noted.get(key)
        if noted is None or not noted <= now < noted + _NOTE_SECS:
            self._noted[key] = now
            op = note_publisher(
                key, clean_text(name)[:100] or key, self._waiting.pop(key), self._newsroom.now()
            )
            try:
                await self._newsroom.db.run(op)
            except BaseException:
                self._noted.pop(key, None)
                raise
        return key

    async def ranked(self) -> list[Publisher]:
        """All publishers, those with the most articles first."""
        return await self._listed.get("")

    async def names(self) -> dict[str, str]:
        """The names of all publishers by their keys."""
        return {each.source_key: each.name for each in await self.ranked()}

    async def _load(self, _: str) -> list[Publisher]:
        newsroom = self._newsroom
        found = {each.source_key: each async for each in newsroom.db.iterate(publishers())}
        for key in (await newsroom.setup.current()).source_keys - {OTHER}:
            if key not in found:
                found[key] = Publisher(source_key=key, name=key, last_seen=newsroom.now())
        return sorted(found.values(), key=lambda each: (-each.articles, each.source_key))
