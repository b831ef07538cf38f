"""`recount`, `fsck`, `shards`: books that agree, books that do not, and wider ones."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import BAD, GOOD, Typed, before, news, write

from tablewright.model import delete
from tablewright.systems.sentiment import reads
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import correct_count
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import hour_of

RECENT = ("--from", "6h")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A data folder for each test: they spoil what is in it."""
    return tmp_path / "data"


@pytest.fixture
def kept(typed: Typed, tmp_path: Path) -> Typed:
    """Some articles of hours that are over."""
    records = [
        *news("early", 4, GOOD, published_at=before(hours=5)),
        *news("late", 3, BAD, published_at=before(hours=3)),
    ]
    assert typed("replay", write(tmp_path / "some.jsonl", records), "--as-published").code == 0
    return typed


def test_counts_that_are_wrong(kept: Typed) -> None:
    found = kept.json("recount", *RECENT)
    assert (found["articles"], found["drift"], found["unsettled"]) == (7, [], [])
    assert "7 articles" in kept("recount", *RECENT).out
    kept.newsroom(_miscount)
    wrong = kept.json("recount", *RECENT, code=1)
    (drift,) = wrong["drift"]
    assert (drift["name"], drift["counted"] - drift["articles"]) == ("positive", 7)
    shown = kept("recount", *RECENT)
    assert (shown.code, "1 count differs:" in shown.out, "--fix" in shown.out) == (1, True, True)
    fixed = kept.json("recount", *RECENT, "--fix")
    assert (fixed["drift"], fixed["fixed"]) == ([], [drift])
    assert "all counts agree" in kept("recount", *RECENT).out
    assert "--from" in kept.fails("recount", "--from", "soon")
    assert "before --to" in kept.fails("recount", "--from", "1h", "--to", "2h")


async def _miscount(newsroom: Newsroom) -> None:
    """An hour that is over gets seven positive articles that nobody wrote."""
    since, until = (hour_of(newsroom.now() - timedelta(hours=hours)) for hours in (6, 2))
    rows = [
        row
        for shard in range((await newsroom.setup.current()).shards)
        for row in await newsroom.db.run(reads.series("all", shard, first=since, last=until))
    ]
    await newsroom.db.run(correct_count(rows[0], {"positive": 7}))


def test_rows_that_are_lost(kept: Typed) -> None:
    assert "Nothing is wrong with 7 articles" in kept("fsck").out
    lost = kept.newsroom(_lose)
    found = kept.json("fsck", code=1)
    assert found["counts"] == {"tag_row_without_article": 1, "hash_without_article": 1}
    assert all(lost in each for rows in found["found"].values() for each in rows)
    shown = kept("fsck")
    assert (shown.code, "rows of tags have no article" in shown.out) == (1, True)


async def _lose(newsroom: Newsroom) -> str:
    lost = (await newsroom.db.run(reads.recent_articles("positive"), limit=1))[0]
    await newsroom.db.run(delete(Article, lost.source_id, lost.timestamp))
    return lost.source_id


def test_counts_are_spread_over_more_items_and_never_over_fewer(
    kept: Typed, tmp_path: Path
) -> None:
    assert kept.json("shards") == {"shards": 16}
    assert "between 1 and 99" in kept.fails("shards", "100")
    assert kept.json("shards", "32") == {"shards": 32}
    assert "never over fewer" in kept.fails("shards", "31")
    # What was counted before and what is counted from now on stand side by side.
    more = news("later", 9, GOOD, published_at=before(hours=4))
    assert kept("replay", write(tmp_path / "more.jsonl", more), "--as-published").code == 0
    found = kept.json("recount", *RECENT)
    assert (found["articles"], found["drift"], found["unsettled"]) == (16, [], [])
    assert kept.json("shards") == {"shards": 32}
