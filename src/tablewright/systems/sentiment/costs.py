"""What a month costs: the document's figures, its design done right, and ours.

As the document has it: a hundred articles an hour for thirty days, of 1 KB and with two tags each;
487 of them come back from the sources every five minutes; two lists of twenty are read a second;
and an open dashboard is refreshed every five seconds. Production is a hundred times that, with the
same readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from hashlib import sha256
from math import exp
from typing import Any

from tablewright.model import Entity, Op, definition
from tablewright.plan.costs import Amount, Bill, Calls, Costs, Held, Kept, Line, Said
from tablewright.plan.operations import Change, Entry, Operation
from tablewright.plan.scenario import Holding
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.articles import Article, Tally
from tablewright.systems.sentiment.changes import dedup_of, tag_row, tags_of
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.samples import NOW, analysis, article
from tablewright.systems.sentiment.shapes import (
    ARTICLE_LIFE,
    DEDUP_LIFE,
    HOUR_LIFE,
    MINUTE_LIFE,
    SHARDS,
    hour_of,
)
from tablewright.values import item_size

SAID, RIGHT = "the document", "its design, right"
#: The fewest items that every count is spread over, and as many as there are unless it is said.
OURS, SPREAD = "ours, 4 shards", f"ours, {SHARDS} shards"
_DESIGNS = {OURS: 4, SPREAD: SHARDS}

DAYS = 30
#: Articles in a month, at 100 an hour.
DEMO, PRODUCTION = 100 * 24 * DAYS, 10_000 * 24 * DAYS
#: Known articles that the sources give again every five minutes, and how often that is in a month.
KNOWN, POLLS = 487, 12 * 24 * DAYS
LISTS = 2 * 86_400 * DAYS
REFRESHES = 86_400 // 5 * DAYS
#: Bytes of an article, as the document has it; ours has to stay below while its state changes.
_SIZE, _OWN = 1024, 1000
_TAGS = {"AI", "Climate"}
#: Tags and publishers that there are: rows of counts for each hour.
_TOPICS, _PUBLISHERS = 5, 12


def costs() -> Costs:
    return Costs(
        title="A month of 30 days, on demand: what the document says, its design done right, ours",
        model=model,
        designs=(SAID, RIGHT, OURS, SPREAD),
        bills=(_demo(), _production()),
        items=_items(),
        now=NOW,
        notes=(
            "its design, right: an article and a copy for each of its two tags, all of them "
            "updated, with every entry in an index paid for",
            f"counts are spread over {SHARDS} items unless the settings say otherwise, so that a "
            "burst does not collide; each of them is one query of an overview",
            "counts by the hour are kept for 400 days, and storage is that of a table as old: they "
            "do not grow with the number of articles",
            "before what is free: 25 GB, of all tables of an account",
        ),
    )


def _demo() -> Bill:
    lines = (
        _writes(DEMO, Said(0.72)),
        _checks(1),
        _lists(Said(0.25)),
        *_overviews(DEMO),
        _storage(DEMO, Said(0.08)),
    )
    return Bill("demo", lines)


def _production() -> Bill:
    lines = (
        _writes(PRODUCTION, Said(9.00)),
        _checks(PRODUCTION // DEMO),
        _lists(Said(3.25)),
        *_overviews(PRODUCTION),
        _storage(PRODUCTION, Said(1.75 + 5.25)),
    )
    return Bill("production", lines)


# --- lines ---------------------------------------------------------------------------------------


def _writes(articles: int, said: Said) -> Line:
    return Line(
        f"writes of {articles:,} articles",
        {
            SAID: [said],
            RIGHT: _document_writes(articles),
            **_own(lambda s: [_own_writes(s, articles)]),
        },
    )


def _own(amounts: Callable[[int], Sequence[Amount]]) -> dict[str, Sequence[Amount]]:
    """Ours, for each number of shards."""
    return {design: amounts(shards) for design, shards in _DESIGNS.items()}


def _own_writes(shards: int, articles: int) -> Calls:
    new, waiting = sized("new", 0), sized("waiting", 1)
    said = analysis("negative", "-0.7", NOW)
    return Calls(
        [
            changes.ingest(new, _hash("new"), now=NOW, shards=shards),
            changes.analyse(
                waiting.model_copy(update={"version": 1}), said, now=NOW, shards=shards
            ),
        ],
        articles,
    )


def _document_writes(articles: int) -> list[Amount]:
    """An article is in two indexes, each copy in one; by_status holds keys."""
    keys = 150

    def written(about: str, kind: Any, items: int, **indexes: Entry) -> Operation:
        return Operation(about, kind, "items", articles, _SIZE, items=items, indexes=indexes)

    def whole(change: Change) -> Entry:
        return Entry(change, _SIZE)

    return [
        written("article", "put", 1, by_status=Entry("put", keys)),
        written("copies", "put", 2, by_tag=whole("put")),
        written("analysis", "update", 1, by_sentiment=whole("put"), by_status=Entry("move", keys)),
        written("copies' analysis", "update", 2, by_tag=whole("change")),
    ]


def _checks(times: int) -> Line:
    refused = Operation("refused", "put", "items", KNOWN * times * POLLS, _SIZE, refused=True)
    known = reads.known_hashes([_hash(f"known-{number}") for number in range(KNOWN)])
    return Line(
        f"{KNOWN * times:,} x {POLLS:,} duplicate checks",
        {RIGHT: [refused], **_own(lambda s: [Calls([known], POLLS * times)])},
    )


def _lists(said: Said) -> Line:
    queried = Operation("list", "query", "items", LISTS, _SIZE, items=20, index="by_sentiment")
    shown = reads.articles_by_sentiment("negative", until=NOW)
    return Line(
        "2 lists of 20 a second",
        {SAID: [said], RIGHT: [queried], **_own(lambda s: [Calls([shown], LISTS)])},
    )


def _overviews(articles: int) -> tuple[Line, Line]:
    """The document reads a day's articles, for every open page; we read counts, for all of them."""
    per_day = articles // DAYS
    counted = Operation(
        "overview", "query", "items", REFRESHES, _SIZE, items=per_day, index="by_sentiment"
    )
    return (
        Line("overview every 5 s, for each page", {RIGHT: [counted]}, per="page"),
        Line(
            "overview every 5 s, for all pages",
            _own(lambda shards: [Calls(overview_of(shards), REFRESHES)]),
        ),
    )


def overview_of(shards: int) -> list[Op[Any]]:
    """A day by the hour: one query for each shard."""
    first, last = hour_of(NOW - timedelta(hours=23)), hour_of(NOW)
    return [reads.series("all", shard, first=first, last=last) for shard in range(shards)]


def _storage(articles: int, said: Said) -> Line:
    copies = Holding("copies", 2 * articles, _SIZE, (_SIZE,))
    whole = Holding("articles", articles, _SIZE, (_SIZE, 150))
    return Line(
        "storage, point-in-time recovery",
        {
            SAID: [said],
            RIGHT: [Held([whole, copies], recovery=True)],
            **_own(lambda s: [Kept(_kept(articles, s))]),
        },
    )


# --- what is there -------------------------------------------------------------------------------


def sized(slug: str, minutes: int, *, analysed: bool = False) -> Article:
    """An article that is as large as the document says once it is analysed."""
    said = analysis("negative", "-0.48", NOW)
    lacking = _OWN - _bytes(_long(article(slug, minutes, _TAGS, said=said)))
    made = article(slug, minutes, _TAGS, said=said if analysed else None)
    return _long(made, lacking)


def _long(made: Article, lacking: int = 0) -> Article:
    """With a beginning as long as it may be, a title of usual length, and the rest in its names."""
    told = {"title": made.metadata.title.ljust(80, "."), "source_name": "x" * 40}
    told["author"] = "x" * min(200, 40 + lacking)
    return made.model_copy(
        update={
            "text_snippet": made.text_snippet.ljust(200, "."),
            "source_url": f"{made.source_url}".ljust(100 + max(0, lacking - 160), "x"),
            "metadata": made.metadata.model_copy(update=told),
        }
    )


def _bytes(made: Article) -> int:
    return item_size(definition(Article).encode(made))


def _items() -> list[Entity]:
    shown = [sized(f"shown-{number:02d}", 2 + number, analysed=True) for number in range(20)]
    # What is asked for is known, which costs as much as if it were not.
    hashes = [dedup_of(each, _hash(f"known-{number}")) for number, each in enumerate(shown)]
    rows = [tag_row(each, tag) for each in shown for tag in tags_of(each)]
    waiting = sized("waiting", 1)
    own = [tag_row(waiting, tag) for tag in tags_of(waiting)]
    return [*shown, *hashes, *rows, waiting, *own, *_day()]


def _day() -> Iterator[Tally]:
    """The last day by the hour, in every shard, of everything."""
    for shard in range(SHARDS):
        for ago in range(24):
            hour = NOW - timedelta(hours=ago)
            yield Tally(
                subject="all",
                shard=shard,
                bucket=hour_of(hour),
                ingested=6,
                positive=2,
                neutral=2,
                negative=2,
                ttl_timestamp=hour + HOUR_LIFE,
            )


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _kept(articles: int, shards: int) -> dict[str, float]:
    """How many items there are once the first of each kind begin to end."""
    hourly = articles / (24 * DAYS)
    subjects = [hourly, *[2 * hourly / _TOPICS] * _TOPICS]
    publishers = [hourly / _PUBLISHERS] * _PUBLISHERS
    hours = HOUR_LIFE / timedelta(hours=1)
    minutes = MINUTE_LIFE / timedelta(minutes=1)
    return {
        "Article": articles,
        "TagRow": 2 * articles,
        "Dedup": articles * (DEDUP_LIFE / ARTICLE_LIFE),
        "Tally": hours * sum(_used(shards, rate) for rate in (*subjects, *publishers))
        + minutes * sum(_used(shards, rate / 60) for rate in subjects),
    }


def _used(shards: int, articles: float) -> float:
    """Of so many shards, those that some of the articles fall into."""
    return shards * (1 - exp(-articles / shards))
