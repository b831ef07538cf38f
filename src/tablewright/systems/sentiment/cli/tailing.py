"""``tail``: the latest articles, and those that follow."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import moment
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import Tone

if TYPE_CHECKING:
    from tablewright.systems.sentiment.rules.filters import ArticleFilter, ArticleRow

#: How often it is looked for new ones, and among how many.
_LOOK_SECS, _LATEST = 1.0, 100
#: Articles that are known to be shown.
_KNOWN = 2000


async def tail(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    lines: Annotated[int, Parameter(name=("--lines", "-n"), validator=Number(gte=1, lte=100))] = 10,
    follow: Annotated[bool, Parameter(name=("--follow", "-f"))] = False,
    tag: str | None = None,
    source: str | None = None,
    sentiment: Tone | None = None,
) -> Answer:
    """Show the latest articles that were analysed, the newest last.

    Parameters
    ----------
    lines
        How many.
    follow
        Show those that come, too, until Ctrl-C.
    tag
        Articles of this topic.
    source
        Articles of this publisher, such as bbc-news.
    sentiment
        Articles of this tone.
    """
    from tablewright.systems.sentiment.rules.filters import ArticleFilter

    if follow and desk.json:
        raise invalid(FieldError("--follow", "has no end, so there is no document: leave one out"))
    wanted = ArticleFilter(
        sentiment=sentiment,
        tag=reading.tag("--tag", tag),
        source=source,
        status="analyzed",
    )
    rows = await _latest(newsroom, wanted)
    last = rows[-lines:]
    if not follow:
        return Answer([_line(each) for each in last], [_data(each) for each in last])
    _print(desk, last)
    await _follow(newsroom, desk, wanted, rows)
    return Answer()


async def _latest(newsroom: Newsroom, wanted: ArticleFilter) -> list[ArticleRow]:
    """The newest last."""
    return (await newsroom.articles.find(wanted, limit=_LATEST)).rows[::-1]


async def _follow(
    newsroom: Newsroom, desk: Desk, wanted: ArticleFilter, before: list[ArticleRow]
) -> None:
    """Each article once, also one that was analysed later than others that came after it."""
    known = OrderedDict.fromkeys(each.source_id for each in before)
    # What is older comes into sight when another one loses its tone, and is not news.
    oldest = before[0].timestamp if len(before) == _LATEST else None
    while True:
        await asyncio.sleep(_LOOK_SECS)
        rows = [each for each in await _latest(newsroom, wanted) if each.source_id not in known]
        _print(desk, [each for each in rows if oldest is None or each.timestamp >= oldest])
        known.update(dict.fromkeys(each.source_id for each in rows))
        while len(known) > _KNOWN:
            known.popitem(last=False)


def _print(desk: Desk, rows: list[ArticleRow]) -> None:
    for each in rows:
        desk.stdout.write(f"{_line(each)}\n".encode())
    desk.stdout.flush()


def _line(row: ArticleRow) -> str:
    return f"{moment(row.timestamp)}  {row.sentiment or '-':8}  {row.source_name}: {row.title}"


def _data(row: ArticleRow) -> dict[str, object]:
    from tablewright.systems.sentiment.rules.ids import shown_id
    from tablewright.systems.sentiment.rules.moments import moment_text

    return {
        "id": shown_id(row.source_id),
        "timestamp": moment_text(row.timestamp),
        "title": row.title,
        "source": row.source_key,
        "source_name": row.source_name,
        "url": row.source_url,
        "sentiment": row.sentiment,
        "score": None if row.score is None else float(row.score),
    }
