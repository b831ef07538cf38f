"""Rows that have lost what they belong to."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.systems.sentiment.support import NOW, analysis, hash_of, newsroom_on, stored

from tablewright.clock import ManualClock
from tablewright.model import attr, delete, update
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.articles import Article, TagRow
from tablewright.testing.backends import Backend

OTHER = "v1.0.0+finbert"


def test_what_was_written_by_transactions_is_whole(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            for number in range(120):
                await stored(newsroom, f"a-{number}", ("AI", "Energy"))
            article = await stored(newsroom, "said", ("Climate",), said="negative")
            said = analysis("neutral", "0.01", NOW, OTHER)
            await newsroom.db.run(changes.save_result(article, said))
            found = await newsroom.books.fsck()
            assert found.clean
            assert found.as_json() == {
                "looked_at": {"articles": 121, "tag_rows": 241, "results": 1, "hashes": 121},
                "counts": {},
                "found": {},
            }

    asyncio.run(go())


def test_what_was_lost_is_found(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            gone = await stored(newsroom, "gone", ("AI",), said="positive")
            said = analysis("neutral", "0.01", NOW, OTHER)
            await newsroom.db.run(changes.save_result(gone, said))
            await newsroom.db.run(delete(Article, gone.source_id, gone.timestamp))
            rowless = await stored(newsroom, "rowless", ("Climate", "AI"))
            await newsroom.db.run(delete(TagRow, rowless.source_id, rowless.timestamp, "ai"))
            odd = await stored(newsroom, "odd", ("Energy",), said="positive")
            wrong = update(TagRow, odd.source_id, odd.timestamp, "energy")
            await newsroom.db.run(wrong.do(attr(TagRow.tag_sentiment).set("negative")))
            found = await newsroom.books.fsck()
            assert found.counts == {
                "article_without_tag_row": 1,
                "tag_row_tells_otherwise": 1,
                "tag_row_without_article": 1,
                "result_without_article": 1,
                "hash_without_article": 1,
            }
            assert found.found["article_without_tag_row"][0].startswith(rowless.source_id)
            assert found.found["hash_without_article"][0].endswith(hash_of("gone"))
            assert not found.clean

    asyncio.run(go())


def test_what_has_ended_is_not_lost(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with newsroom_on(tablewright_backend, clock) as newsroom:
            await stored(newsroom, "old", ("AI",), said="positive")
            # The hash stays for a week longer.
            clock.advance(timedelta(days=30).total_seconds())
            found = await newsroom.books.fsck()
            assert (found.clean, found.looked_at["hashes"]) == (True, 1)

    asyncio.run(go())
