"""What a rule would find: tried on the latest articles, without storing anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from tablewright.model import PageOp
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.rules.matching import Matcher
from tablewright.systems.sentiment.rules.text import text_of
from tablewright.systems.sentiment.shapes import Sentiment

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Articles that a rule is tried on.
LATEST = 500
#: Read at once of one tone. Small pages read little too much.
_PAGE = 100


@dataclass(frozen=True)
class Hit:
    """An article that the rule finds, and by which of its words."""

    article: Article
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """What a rule finds, the latest first."""

    looked_at: int
    hits: tuple[Hit, ...]


class Trials:
    """Tries rules."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def run(self, topic: Watch) -> Trial:
        matcher = Matcher([topic])
        articles = await self._latest(LATEST)
        hits = [
            Hit(each, tuple(matcher.terms(text)))
            for each in articles
            if matcher.tags(text := text_of(each))
        ]
        return Trial(len(articles), tuple(hits))

    async def _latest(self, count: int) -> list[Article]:
        """Of all three tones, and of those without one: page by page, always the one behind."""
        ops = [reads.recent_articles(tone) for tone in get_args(Sentiment)]
        tones = [_Tone(self._newsroom, op) for op in (*ops, reads.articles_with_status("unjudged"))]
        found: list[Article] = []
        while len(found) < count:
            heads = [(head, tone) for tone in tones if (head := await tone.head()) is not None]
            if not heads:
                break
            head, tone = max(heads, key=lambda each: (each[0].timestamp, each[0].source_id))
            tone.take()
            found.append(head)
        return found


class _Tone:
    """The articles of one tone, the latest first, read as far as they are wanted."""

    def __init__(self, newsroom: Newsroom, op: PageOp[Article]) -> None:
        self._newsroom = newsroom
        self._op = op
        self._ahead: list[Article] = []
        self._cursor: str | None = None
        self._ended = False

    async def head(self) -> Article | None:
        if not self._ahead and not self._ended:
            page = await self._newsroom.db.run(self._op, limit=_PAGE, cursor=self._cursor)
            self._ahead = list(reversed(page))
            self._cursor, self._ended = page.cursor, page.cursor is None
        return self._ahead[-1] if self._ahead else None

    def take(self) -> None:
        self._ahead.pop()
