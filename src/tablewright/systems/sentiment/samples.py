"""Sample data: a Friday noon in the news, with three topics and articles in every state.

Everything is fixed. Hashes come from addresses, ids from hashes, counts from articles.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256

from tablewright.systems.sentiment.articles import (
    Analysis,
    Article,
    Dedup,
    Metadata,
    Override,
    TagRow,
    Tally,
)
from tablewright.systems.sentiment.changes import counted_as, dedup_of, tag_row, tags_of
from tablewright.systems.sentiment.config import Alert, AlertRule, Job, Run, Source, Watch
from tablewright.systems.sentiment.shapes import (
    HOUR_LIFE,
    MINUTE_LIFE,
    Sentiment,
    Status,
    hour_of,
    minute_of,
    shard_of_article,
)

#: When all of it is seen.
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
VADER, FINBERT = "v3.3.2+vader", "v1.0.0+finbert"
SOURCE = "newsapi-main"

_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(moment: datetime, number: int) -> str:
    """An id that sorts by its time, without the randomness."""
    value = (int(moment.timestamp() * 1000) << 80) | number
    return "".join(_CROCKFORD[(value >> shift) & 31] for shift in range(125, -5, -5))


def address(slug: str) -> str:
    return f"https://news.example/2026/{slug}"


def hash_of(slug: str) -> str:
    """Of the address without its scheme: the same article over http is no other."""
    return sha256(address(slug).removeprefix("https://").encode()).hexdigest()


# --- articles ------------------------------------------------------------------------------------


def analysis(label: Sentiment, compound: str, at: datetime, version: str = VADER) -> Analysis:
    """A model's verdict from a polarity between -1 and 1."""
    polarity = Decimal(compound)
    sure = 1 - abs(polarity) * 10 if label == "neutral" else Decimal("0.5") + abs(polarity) / 2
    return Analysis(
        label=label,
        score=sure.quantize(Decimal("0.0001")),
        polarity=polarity,
        model_version=version,
        analyzed_at=at,
    )


def article(
    slug: str,
    minutes: int,
    tags: set[str],
    *,
    said: Analysis | None = None,
    status: Status = "pending",
    version: int = 0,
) -> Article:
    """An article that came in so many minutes ago."""
    at = NOW - minutes * _MINUTE
    return Article(
        source_id=f"newsapi#{hash_of(slug)[:16]}",
        timestamp=at,
        source_type="newsapi",
        source_key="bbc-news",
        source_url=address(slug),
        text_snippet=f"{slug.replace('-', ' ').capitalize()}, as told by those who were there.",
        matched_tags=tags,
        metadata=Metadata(
            title=slug.replace("-", " ").capitalize(),
            published_at=at - 20 * _MINUTE,
            source_name="BBC News",
        ),
        status=status if said is None else "analyzed",
        queued_at=at,
        attempts=3 if status == "failed" else 0,
        error_code="model_timeout" if status == "failed" else None,
        sentiment=None if said is None else said.label,
        score=None if said is None else said.score,
        polarity=None if said is None else said.polarity,
        model_sentiment=None if said is None else said.label,
        model_version=None if said is None else said.model_version,
        analyzed_at=None if said is None else said.analyzed_at,
        version=version,
    )


GOOD = article(
    "robots-help-farmers", 115, {"AI"}, said=analysis("positive", "0.62", NOW - 114 * _MINUTE)
)
BAD = article(
    "chip-plant-closes",
    240,
    {"AI", "Climate"},
    said=analysis("negative", "-0.48", NOW - 239 * _MINUTE),
)
FRESH = article("sea-ice-report", 1, {"Climate"})
STUCK = article("grid-study", 20, {"Energy", "Climate"})
FAILED = article("wind-farm-vote", 60 * 26, {"Energy"}, status="failed")
#: In languages that VADER does not cover; the first one still waits.
FRENCH = article("inondations-dans-le-midi", 3, {"Climate"})
FOREIGN = article("waldbrand-breitet-sich-aus", 130, {"Climate"}, status="unjudged").model_copy(
    update={"language": "de"}
)
#: Somebody has found the model wrong.
JUDGED = article(
    "old-mine-reopens", 300, {"Energy"}, said=analysis("positive", "0.31", NOW - 299 * _MINUTE)
)
VERDICT = Override(
    from_="positive", to="negative", by="analyst-1", at=NOW - 100 * _MINUTE, reason="Irony"
)
JUDGED = JUDGED.model_copy(update={"sentiment": "negative", "override": VERDICT})
ARTICLES = {
    "robots-help-farmers": GOOD,
    "chip-plant-closes": BAD,
    "sea-ice-report": FRESH,
    "grid-study": STUCK,
    "wind-farm-vote": FAILED,
    "old-mine-reopens": JUDGED,
    "inondations-dans-le-midi": FRENCH,
    "waldbrand-breitet-sich-aus": FOREIGN,
}


def hashes() -> list[Dedup]:
    return [dedup_of(each, hash_of(slug)) for slug, each in ARTICLES.items()]


def tag_rows() -> list[TagRow]:
    return [tag_row(each, tag) for each in ARTICLES.values() for tag in tags_of(each)]


def tallies() -> list[Tally]:
    """What the articles count, all together."""
    made: dict[tuple[str, int, str], Tally] = {}
    for each in ARTICLES.values():
        shard = shard_of_article(each.source_id)
        for subject, bucket, name in _countings(each):
            life = MINUTE_LIFE if bucket.startswith("m#") else HOUR_LIFE
            new = Tally(
                subject=subject, shard=shard, bucket=bucket, ttl_timestamp=each.timestamp + life
            )
            tally = made.setdefault((subject, shard, bucket), new)
            setattr(tally, name, getattr(tally, name) + 1)
    return list(made.values())


def _countings(each: Article) -> Iterable[tuple[str, str, str]]:
    minute, hour = minute_of(each.timestamp), hour_of(each.timestamp)
    yield from (("all", bucket, "ingested") for bucket in (minute, hour))
    if (counted := counted_as(each)) is not None:
        for subject in ("all", *(f"tag#{tag}" for tag in tags_of(each))):
            yield from ((subject, bucket, counted) for bucket in (minute, hour))
        yield f"source#{each.source_key}", hour, counted


# --- configuration and what workers leave --------------------------------------------------------


def topic(label: str, *terms: str, version: int = 0) -> Watch:
    return Watch(
        watch_tag=label.casefold(), label=label, any=[label.lower(), *terms], version=version
    )


def feed(name: str) -> Source:
    return Source(name=name, source_type="rss", url=f"https://{name}.example/feed.xml")


def rule(number: int, name: str, *, firing: bool = False, version: int = 1) -> AlertRule:
    return AlertRule(
        rule_id=ulid(NOW - 20 * _DAY, number),
        name=name,
        watch_tag="ai",
        metric="negative_share",
        firing=firing,
        judged_window=NOW - 180 * _MINUTE if firing else None,
        fired_window=NOW - 180 * _MINUTE if firing else None,
        last_fired_at=NOW - 90 * _MINUTE if firing else None,
        version=version,
    )


def alert_of(fired: AlertRule, hours: int) -> Alert:
    start = NOW - timedelta(hours=hours)
    return Alert(
        window_start=start,
        rule_id=fired.rule_id,
        name=fired.name,
        watch_tag=fired.watch_tag,
        metric=fired.metric,
        window=fired.window,
        value=Decimal("0.70"),
        mean=Decimal("0.25"),
        z=Decimal("4.5"),
        fired_at=start + timedelta(minutes=61),
        ttl_timestamp=start + 90 * _DAY,
    )


def run(number: int, minutes: int, *, done: bool) -> Run:
    started = NOW - minutes * _MINUTE
    return Run(
        source=SOURCE,
        started_at=started,
        run_id=ulid(started, number),
        state="ok" if done else "running",
        fetched=12 if done else 0,
        ingested=2 if done else 0,
        duplicates=9 if done else 0,
        unmatched=1 if done else 0,
        finished_at=started + timedelta(seconds=4) if done else None,
        ttl_timestamp=started + 30 * _DAY,
    )


def comparison(number: int, days: int) -> Job:
    """A comparison of the two models that began so many days ago."""
    begun = NOW - days * _DAY
    return Job(
        job_id=ulid(begun, number),
        model_version=FINBERT,
        old_version=VADER,
        since=begun - 7 * _DAY,
        until=begun,
        ttl_timestamp=begun + 90 * _DAY,
    )
