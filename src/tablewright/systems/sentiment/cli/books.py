"""``recount``, ``fsck`` and ``shards``: the counts, and what there is to count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.typed import number
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import Since, Until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.sentiment.service.books import Drift

#: Differences, and rows of each kind, that are shown; a program gets all.
_SHOWN = 20
#: What can be wrong with a row.
FINDINGS = {
    "article_without_tag_row": "articles lack the row of a tag",
    "tag_row_tells_otherwise": "rows of tags tell another tone than their article",
    "tag_row_without_article": "rows of tags have no article",
    "result_without_article": "results of models have no article",
    "hash_without_article": "hashes have no article",
}


async def recount(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    since: Since = None,
    until: Until = None,
    fix: bool = False,
) -> Answer:
    """Count the articles of past hours again, and compare.

    Only hours that are over. If counts differ and are not put right, the exit code is 1.

    Parameters
    ----------
    since
        The first moment, such as 2026-11-15, or 7d for seven days ago; else all that there is.
    until
        The moment after the last; now if nothing is said.
    fix
        Put right what differs. Others may write meanwhile, and it may be run again.
    """
    from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

    now = newsroom.now()
    begin, end = reading.ends(since, until, now, ARTICLE_LIFE)
    desk.tick("counting")
    found = await newsroom.books.recount(begin, end, fix=fix)
    looked = f"{several(found.articles, 'article')} in {several(found.hours, 'hour')}"
    lines: list[Line] = []
    if not (found.drift or found.fixed or found.unsettled):
        lines.append(f"{looked}: all counts agree.")
    else:
        lines.append(f"{looked}.")
    if found.fixed:
        lines += _listed(f"{several(len(found.fixed), 'count')} put right:", found.fixed)
    if found.drift:
        head = several(len(found.drift), "count differs:", "counts differ:")
        lines += [*_listed(head, found.drift), *([] if fix else ["--fix puts them right."])]
    if found.unsettled:
        hours = ", ".join(found.unsettled[:_SHOWN])
        lines.append(Styled(f"Written to all the time, look again: {hours}", "yellow"))
    return Answer(lines, found.as_json(), ok=not found.drift and not found.unsettled)


def _listed(head: str, drift: Sequence[Drift]) -> list[Line]:
    rows = [
        (each.subject, each.bucket, each.name, number(each.articles), number(each.counted))
        for each in drift[:_SHOWN]
    ]
    titles = ("of", "when", "what", "articles", "counted")
    more = len(drift) - len(rows)
    return [
        Styled(head, "yellow"),
        *columns(titles, rows, {"articles", "counted"}),
        *([f"and {several(more, 'other')}"] if more else []),
    ]


async def fsck(newsroom: Newsroom, desk: Desk, /) -> Answer:
    """Read the whole table for rows that have lost what they belong to.

    There should be none. If there is one, the exit code is 1. On AWS, every row that is read is
    paid for.
    """
    desk.tick("reading all rows")
    found = await newsroom.books.fsck()
    looked = ", ".join(
        f"{number(count)} {name.replace('_', ' ')}" for name, count in found.looked_at.items()
    )
    if found.clean:
        return Answer([f"Nothing is wrong with {looked}."], found.as_json())
    lines: list[Line] = [f"Looked at {looked}."]
    for kind, count in found.counts.items():
        lines.append(Styled(f"{number(count)} {FINDINGS.get(kind, kind)}:", "yellow"))
        lines += [f"  {each}" for each in found.found.get(kind, [])[:_SHOWN]]
    return Answer(lines, found.as_json(), ok=False)


async def shards(newsroom: Newsroom, desk: Desk, /, number: int | None = None) -> Answer:
    """Over how many items each count is spread, or spread it over more.

    More of them let more articles come in at once; every figure then costs as many reads. There is
    no way back: fewer would hide what was counted.

    Parameters
    ----------
    number
        Up to 99, and more than now; if nothing is said, the present number is shown.
    """
    if number is None:
        held = await newsroom.setup.current()
        return Answer([f"Counts are spread over {held.shards} items."], {"shards": held.shards})
    held = await newsroom.setup.raise_shards(number, desk.by)
    line = f"Counts are spread over {held.shards} items from now on."
    return Answer([line], {"shards": held.shards})
