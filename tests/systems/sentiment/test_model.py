"""The model of sentiment: keys, indexes, what each pattern gives, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zlib import crc32

import pytest
from pydantic import ValidationError

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import definition, put
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    KeyValueError,
    NotFound,
    TransactionCancelled,
    VersionConflict,
)
from tablewright.model.explain import requests_of
from tablewright.model.tables import create_request
from tablewright.systems.sentiment import changes, config_reads, reads, upkeep_reads, writes
from tablewright.systems.sentiment.articles import (
    Article,
    Metadata,
    ModelResult,
    Override,
    TagRow,
    Tally,
    items,
)
from tablewright.systems.sentiment.changes import dedup_of, result_of, tag_row, tags_of
from tablewright.systems.sentiment.config import (
    AlertRule,
    ModelVersion,
    Publisher,
    Quota,
    Settings,
    Source,
    Watch,
)
from tablewright.systems.sentiment.demo import demo
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.samples import (
    ARTICLES,
    BAD,
    FAILED,
    FINBERT,
    FOREIGN,
    FRENCH,
    FRESH,
    GOOD,
    JUDGED,
    NOW,
    SOURCE,
    STUCK,
    VADER,
    alert_of,
    analysis,
    article,
    comparison,
    feed,
    hash_of,
    rule,
    run,
    topic,
)
from tablewright.systems.sentiment.shapes import hour_of, minute_of, shard_of_article
from tablewright.testing.backends import Backend

#: The access patterns of the specification, and what is declared for each.
SPECIFIED = {
    "1": {
        "known_hashes",
        "ingest",
        "backfill",
        "source",
        "source_to_edit",
        "sources_to_read",
        "delay_source",
        "create_source",
        "save_source",
        "delete_source",
        "advance_source",
        "source_failed",
        "note_publisher",
    },
    "2": {
        "article_to_analyse",
        "model_in_use",
        "analyse",
        "leave_unjudged",
        "analysis_failed",
        "give_up",
    },
    "3": {"articles_by_sentiment"},
    "4": {"articles_by_tag", "article_of_row", "articles_of_rows"},
    "5": {"number_stuck", "stuck_articles"},
    "6": {"recent_articles"},
    "7": {"article_page"},
    "8": {"known_hash", "article_to_tag", "tag_article"},
    "9": {"series", "series_to_judge", "raise_shards", "publishers"},
    "10": {"articles_with_status", "number_failed", "failed_articles"},
    "11": {"watch_rules", "watches", "watch", "create_watch", "save_watch", "delete_watch"},
    "12": {"article_to_edit", "override", "clear_override"},
    "13": {"requeue", "sweep", "sweep_out"},
    "14": {
        "runs",
        "start_run",
        "begin_reading",
        "end_reading",
        "abandon_run",
        "finish_run",
        "sources",
        "alerts",
        "alert",
        "raise_alert",
        "note_window",
        "rest_rule",
        "clear_alert",
        "note_digest",
        "alerts_to_digest",
        "install_alert_rule",
        "alert_rule",
        "sources_to_check",
        "acknowledge_alert",
        "alert_rules",
        "alert_rules_to_check",
        "create_alert_rule",
        "save_alert_rule",
        "delete_alert_rule",
        "jobs",
        "job",
        "start_job",
        "advance_job",
        "move_job",
        "begin_promotion",
    },
    "15": {"quota", "latest_quota", "take_quota"},
    "16": {"save_result", "stored_result"},
    "17": {
        "article_to_promote",
        "settings",
        "models",
        "registered_model",
        "promote",
        "activate_model",
        "register_model",
        "install_settings",
        "queue_unjudged",
        "unjudged_articles",
    },
    "18": {"export_slice", "reanalysis_slice", "series_to_check", "correct_count"},
    "19": {
        "every_tag_row",
        "every_result",
        "every_hash",
        "every_article",
        "article_to_check",
        "tag_row_to_check",
        "articles_to_check",
        "tag_rows_to_check",
    },
}
TRANSACTIONS = {
    "T1": {"ingest"},
    "T1+T2": {"backfill"},
    "T2": {"analyse", "leave_unjudged"},
    "T3": {"tag_article"},
    "T4": {"override", "clear_override"},
    "T5": {"promote"},
}
STRONG = {
    "article_to_analyse",
    "article_to_tag",
    "article_to_edit",
    "article_to_promote",
    "article_page",
    "article_to_check",
    "tag_row_to_check",
    "series_to_check",
    "watch_rules",
    "watches",
}
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LONG_AGO, FIVE_MINUTES_AGO = NOW - 30 * DAY, NOW - timedelta(minutes=5)
WAITING = {"since": LONG_AGO, "until": FIVE_MINUTES_AGO, "queued_before": FIVE_MINUTES_AGO}


@pytest.fixture
def db(tablewright_db: Db, tablewright_clock: ManualClock) -> Db:
    """A database that holds the demo's items, at the demo's time."""
    tablewright_clock.set(NOW.timestamp())
    tablewright_db.create_tables(model)
    for item in demo().items:
        tablewright_db.run(put(item))
    return tablewright_db


@pytest.fixture
def inside(db: Db, tablewright_backend: Backend) -> Engine:
    """The engine under ``db``, to look at what is stored."""
    if tablewright_backend.engine is None:
        pytest.skip("what is stored is only looked at in our own engine")
    return tablewright_backend.engine


# --- declarations --------------------------------------------------------------------------------


def _told(pattern: str) -> dict[str, set[str]]:
    told: dict[str, set[str]] = {}
    for each in model.patterns.values():
        found = re.search(pattern, each.doc)
        if found:
            told.setdefault(found[1], set()).add(each.name)
    return told


def test_every_access_pattern_of_the_specification_is_declared() -> None:
    assert _told(r"\[(\d+)[\],]") == SPECIFIED
    assert set().union(*SPECIFIED.values()) == set(model.patterns)
    assert _told(r", (T[^\]]+)\]") == TRANSACTIONS


def test_every_pattern_says_who_uses_it() -> None:
    for pattern in model.patterns.values():
        assert pattern.component, pattern.name
        assert pattern.rate or pattern.admin, pattern.name


def test_only_administrators_scan() -> None:
    scans = {each.name for each in model.patterns.values() if each.kind == "scan"}
    assert scans == {name for name in SPECIFIED["19"] if name.startswith("every_")}
    for name, op in demo().calls.items():
        sent = {operation for operation, _ in requests_of(op)}
        assert ("Scan" in sent) == (name in scans)


@pytest.mark.parametrize("name", sorted(STRONG))
def test_strong_reads(name: str) -> None:
    assert all(body["ConsistentRead"] is True for _, body in requests_of(demo().calls[name]))


@pytest.mark.parametrize(
    ("component", "allowed"),
    [
        ("ingest", {"PutItem", "UpdateItem", "GetItem", "BatchGetItem", "Query"}),
        ("analysis", {"GetItem", "UpdateItem"}),
        ("reanalysis", {"GetItem", "UpdateItem", "PutItem", "Query", "ConditionCheckItem"}),
        ("dashboard", {"Query", "GetItem", "BatchGetItem"}),
        ("editor", {"GetItem", "UpdateItem", "PutItem", "DeleteItem"}),
        ("metrics", {"Query"}),
        ("requeue", {"UpdateItem"}),
        ("alerts", {"Query", "PutItem", "UpdateItem"}),
    ],
)
def test_components_keep_to_their_permissions(component: str, allowed: set[str]) -> None:
    kinds = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
    kinds["ConditionCheck"] = "ConditionCheckItem"
    used: set[str] = set()
    for name, op in demo().calls.items():
        if model.patterns[name].component != component:
            continue
        for operation, body in requests_of(op):
            if operation == "TransactWriteItems":
                used |= {kinds[next(iter(each))] for each in body["TransactItems"]}
            else:
                used.add(operation)
            assert component != "ingest" or "IndexName" not in body
    assert used
    assert used <= allowed


def test_table_and_indexes() -> None:
    request = create_request(items)
    assert (items.name, items.ttl, items.pitr) == ("sentiment-items", "ttl_timestamp", 7)
    assert request["StreamSpecification"]["StreamEnabled"] is True
    assert [each["AttributeName"] for each in request["KeySchema"]] == ["source_id", "timestamp"]
    shown = {
        each["IndexName"]: (
            [key["AttributeName"] for key in each["KeySchema"]],
            each["Projection"]["ProjectionType"],
            each["Projection"].get("NonKeyAttributes"),
        )
        for each in request["GlobalSecondaryIndexes"]
    }
    assert shown == {
        "by_sentiment": (["sentiment", "timestamp"], "ALL", None),
        "by_tag": (["tag", "timestamp"], "ALL", None),
        "by_status": (["status", "timestamp"], "INCLUDE", ["queued_at"]),
    }


def test_keys_are_those_of_the_specification() -> None:
    seen = datetime(2026, 11, 20, 10, 5, 7, 89_000, tzinfo=UTC)
    text = "2026-11-20T10:05:07.089Z"
    source_id, sha = "newsapi#0123456789abcdef", "0123456789abcdef" * 4
    one = GOOD.model_copy(update={"source_id": source_id, "timestamp": seen})
    tally = Tally(subject="all", shard=3, bucket="m#2026-11-20T10:05Z", ttl_timestamp=NOW)
    ulid = "01M7W2Y7M0DACV9CFQFQ8GETTW"
    fired = rule(1, "x").model_copy(update={"rule_id": ulid})
    expected: list[tuple[Any, tuple[str, str]]] = [
        (one, (source_id, text)),
        (tag_row(one, "ai"), (source_id, f"{text}#ai")),
        (
            result_of(one, analysis("neutral", "0.0", NOW, "v1.2.3+onnx.a-1")),
            (source_id, f"{text}#@v1.2.3+onnx.a-1"),
        ),
        (dedup_of(one, sha), (f"dedup#{sha}", "0")),
        (tally, ("agg#all#03", "m#2026-11-20T10:05Z")),
        (
            tally.model_copy(update={"subject": "tag#ai", "bucket": "h#2026-11-20T10Z"}),
            ("agg#tag#ai#03", "h#2026-11-20T10Z"),
        ),
        (
            tally.model_copy(update={"subject": "source#bbc-news"}),
            ("agg#source#bbc-news#03", "m#2026-11-20T10:05Z"),
        ),
        (Settings(active_model=VADER), ("config#settings", "0")),
        (topic("AI"), ("config#watch", "ai")),
        (feed("local-feed"), ("config#source", "local-feed")),
        (
            ModelVersion(model_version=VADER, kind="vader", checksum=sha, registered_at=NOW),
            ("config#model", "v3.3.2+vader"),
        ),
        (
            Publisher(source_key="bbc-news", name="BBC News", last_seen=NOW),
            ("config#publisher", "bbc-news"),
        ),
        (fired, ("config#alert", ulid)),
        (
            Quota(source=SOURCE, day=date(2026, 11, 20), limit=100, ttl_timestamp=NOW),
            ("quota#newsapi-main", "2026-11-20"),
        ),
        (
            run(1, 0, done=True).model_copy(update={"run_id": ulid, "started_at": seen}),
            ("run#newsapi-main", f"{text}#{ulid}"),
        ),
        (
            alert_of(fired, 1).model_copy(update={"window_start": seen}),
            ("alert#log", f"{text}#{ulid}"),
        ),
        (comparison(1, 1).model_copy(update={"job_id": ulid}), ("job#reanalysis", ulid)),
    ]
    for entity, key in expected:
        found = definition(entity).key_of(entity)
        assert (found["source_id"]["S"], found["timestamp"]["S"]) == key
    assert {type(entity).__name__ for entity, _ in expected} == set(model.entities)


def test_how_long_everything_lives() -> None:
    lives = {
        "Article": 30 * DAY,
        "TagRow": 30 * DAY,
        "ModelResult": 30 * DAY,
        "Dedup": 37 * DAY,
        "Quota": 90 * DAY,
        "Run": 30 * DAY,
        "Alert": 90 * DAY,
        "Job": 90 * DAY,
    }
    begins = ("timestamp", "ingested_at", "article_ts", "started_at", "window_start", "until")
    seen = set()
    for item in demo().items:
        name = type(item).__name__
        if name in lives:
            begin = next((getattr(item, each) for each in begins if hasattr(item, each)), NOW)
            assert item.ttl_timestamp == begin + lives[name], name
            seen.add(name)
        elif name != "Tally":
            assert definition(item).ttl is None, name
    assert seen == set(lives)


def test_only_articles_and_tag_rows_can_be_in_an_index() -> None:
    """Every item has a timestamp, so an attribute of the name is all it takes."""
    for entity in model.entities.values():
        attributes = {each.attribute for each in entity.fields.values()}
        assert ("tag" in attributes) == (entity.name == "TagRow"), entity.name
        assert ({"status", "sentiment"} <= attributes) == (entity.name == "Article")
        if entity.name != "Article":
            assert attributes.isdisjoint({"status", "sentiment"}), entity.name


def test_an_item_belongs_to_the_entity_whose_key_it_has() -> None:
    for item in demo().items:
        stored = definition(item).encode(item)
        owners = [each.name for each in items.entities.values() if each.owns(stored)]
        assert owners == [definition(item).name]


@pytest.mark.parametrize(
    "wrong",
    [
        {"source_id": "dedup#0123456789abcdef"},
        {"source_id": "config#watch"},
        {"source_id": "newsapi#a#b"},
        {"source_id": "newsapi#" + "a" * 129},
        {"source_id": "rss#0123456789abcdef"},
        {"source_url": "http://plain.example"},
        {"source_url": "https://" + "x" * 2048},
        {"text_snippet": "x" * 201},
        {"text_snippet": "<script>"},
        {"text_snippet": "a\x07b"},
        {"matched_tags": set()},
        {"matched_tags": {"a", "b", "c", "d", "e", "f"}},
        {"matched_tags": {"C++"}},
        {"matched_tags": {"a" * 51}},
        {"score": Decimal("1.1")},
        {"score": Decimal("0.12345")},
        {"polarity": Decimal("-1.01")},
        {"sentiment": "angry"},
        {"sentiment": None},
        {"model_version": "3.3.2"},
        {"model_version": "v1.0.0+" + "a" * 41},
        {"attempts": 4},
        {"status": "pending"},
        {"status": "done"},
    ],
)
def test_limits_of_an_article(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Article.model_validate({**GOOD.model_dump(), **wrong})
    assert Article.model_validate(GOOD.model_dump()) == GOOD


def test_limits_of_other_things() -> None:
    with pytest.raises(ValidationError):
        Metadata(title="x" * 501, published_at=NOW, source_name="x")
    assert Metadata(title="x", published_at=NOW, source_name="x").author == "Unknown"
    verdict = {"from_": "positive", "to": "negative", "by": "x", "at": NOW}
    with pytest.raises(ValidationError):
        Override.model_validate({**verdict, "reason": "x" * 501})
    with pytest.raises(ValidationError):
        Settings(active_model=VADER, watch_count=21)
    for wrong in ({"any": []}, {"any": ["x"] * 21}, {"all": ["x"] * 6}, {"none": ["x" * 201]}):
        with pytest.raises(ValidationError):
            Watch.model_validate({**topic("AI").model_dump(), **wrong})
    with pytest.raises(ValidationError):
        Watch.model_validate({**topic("AI").model_dump(), "watch_tag": "AI"})


@pytest.mark.parametrize("tag", ["AI", "a#b", "@v1.0.0", ""])
def test_tags_cannot_forge_keys(tag: str) -> None:
    with pytest.raises((KeyValueError, TypeError)):
        config_reads.watch(tag)
    with pytest.raises(KeyValueError):
        reads.series(f"tag#{tag}", 0, first="h#2026-11-20T10Z", last="h#2026-11-20T11Z")


def test_shards_are_the_same_in_every_process() -> None:
    assert {shard_of_article(each.source_id) for each in ARTICLES.values()} <= set(range(16))
    # The check value of CRC-32.
    assert crc32(b"123456789") == 0xCBF43926
    assert shard_of_article("123456789", 7) == 0xCBF43926 % 7
    assert minute_of(GOOD.timestamp) == "m#2026-11-20T10:05Z"
    assert hour_of(GOOD.timestamp) == "h#2026-11-20T10Z"


# --- what the indexes hold -----------------------------------------------------------------------


def _indexed(engine: Engine, name: str) -> list[dict[str, Any]]:
    request = {"TableName": "sentiment-items", "IndexName": name}
    found: list[dict[str, Any]] = engine.call("Scan", request)["Items"]
    return found


def _keys(found: list[dict[str, Any]], name: str) -> set[tuple[str, ...]]:
    return {(each[name]["S"], each["source_id"]["S"], each["timestamp"]["S"]) for each in found}


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}.000Z"


def test_what_the_indexes_hold(inside: Engine) -> None:
    articles = ARTICLES.values()
    assert _keys(_indexed(inside, "by_sentiment"), "sentiment") == {
        (each.sentiment, each.source_id, _shown(each.timestamp))
        for each in articles
        if each.status == "analyzed"
    }
    assert _keys(_indexed(inside, "by_status"), "status") == {
        (each.status, each.source_id, _shown(each.timestamp)) for each in articles
    }
    assert _keys(_indexed(inside, "by_tag"), "tag") == {
        (tag.casefold(), each.source_id, f"{_shown(each.timestamp)}#{tag.casefold()}")
        for each in articles
        for tag in each.matched_tags
    }
    held = {name for each in _indexed(inside, "by_status") for name in each}
    assert held == {"source_id", "timestamp", "status", "queued_at"}


def test_indexes_after_all_that_can_happen(db: Db, inside: Engine) -> None:
    for op in demo().calls.values():
        db.run(op)
    analyzed = {each["source_id"]["S"] for each in _indexed(inside, "by_sentiment")}
    statuses = _keys(_indexed(inside, "by_status"), "status")
    assert analyzed == {source for status, source, _ in statuses if status == "analyzed"}
    tags = _indexed(inside, "by_tag")
    assert all("sentiment" not in each and "status" not in each for each in tags)
    assert len(tags) == len(list(db.iterate(upkeep_reads.every_tag_row())))


# --- every pattern by its sample call ------------------------------------------------------------

Check = Callable[[Db, Any], object]


def _stored(db: Db, each: Article) -> Article:
    return db.require(reads.article_to_edit(each.source_id, each.timestamp))


def _tags(db: Db, each: Article) -> dict[str, tuple[str | None, Decimal | None]]:
    page = db.run(reads.article_page(each.source_id))
    return {row.tag: (row.tag_sentiment, row.tag_score) for row in page.tags}


def _tallies(db: Db) -> dict[tuple[str, str], Counter[str]]:
    """All counts by subject and bucket; none is zero."""
    found: dict[tuple[str, str], Counter[str]] = {}
    subjects = ["all", "source#bbc-news", *(f"tag#{tag}" for tag in ("ai", "climate", "energy"))]
    for subject in subjects:
        for shard in range(16):
            for kind in ("m", "h"):
                bounds = {"first": f"{kind}#2026-01-01T00", "last": f"{kind}#2026-12-31T23"}
                tail = ":00Z" if kind == "m" else "Z"
                op = reads.series(subject, shard, **{k: v + tail for k, v in bounds.items()})
                for each in db.iterate(op):
                    counts = found.setdefault((subject, each.bucket), Counter())
                    names = ("ingested", "positive", "neutral", "negative", "unjudged")
                    counts.update({name: getattr(each, name) for name in names})
    return _without_zeros(found)


def _without_zeros(
    found: dict[tuple[str, str], Counter[str]],
) -> dict[tuple[str, str], Counter[str]]:
    # Not `+counts`: a count below zero has to be seen.
    kept = {
        key: Counter({name: number for name, number in counts.items() if number})
        for key, counts in found.items()
    }
    return {key: counts for key, counts in kept.items() if counts}


def _recount(db: Db, now: datetime = NOW) -> dict[tuple[str, str], Counter[str]]:
    """The same from the articles alone."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for status in ("pending", "analyzed", "failed", "unjudged"):
        for each in db.iterate(reads.articles_with_status(status)):
            minute, hour = f"m#{each.timestamp:%Y-%m-%dT%H:%MZ}", f"h#{each.timestamp:%Y-%m-%dT%HZ}"
            buckets = [hour] if each.timestamp + 3 * DAY <= now else [minute, hour]
            for bucket in buckets:
                found.setdefault(("all", bucket), Counter())["ingested"] += 1
            counted = "unjudged" if each.status == "unjudged" else each.sentiment
            if counted is None:
                continue
            for bucket in buckets:
                found["all", bucket][counted] += 1
                for tag in each.matched_tags:
                    key = f"tag#{tag.casefold()}", bucket
                    found.setdefault(key, Counter())[counted] += 1
            key = f"source#{each.source_key}", hour
            found.setdefault(key, Counter())[counted] += 1
    return found


def _ids(found: Any) -> list[str]:
    return [each.source_id for each in found]


CHECKS: dict[str, Check] = {
    "known_hash": lambda db, r: (r.article_id, r.article_ts) == (FRESH.source_id, FRESH.timestamp),
    "known_hashes": lambda db, r: (
        [each and each.article_id for each in r] == [FRESH.source_id, None]
    ),
    "article_to_tag": lambda db, r: r == GOOD.model_copy(update={"version": 1}),
    "article_to_analyse": lambda db, r: r == FRESH.model_copy(update={"version": 1}),
    "article_to_edit": lambda db, r: r == BAD.model_copy(update={"version": 1}),
    "article_to_promote": lambda db, r: r == GOOD.model_copy(update={"version": 1}),
    "stored_result": lambda db, r: (r.result_label, r.model_version) == ("neutral", FINBERT),
    "number_failed": lambda db, r: r == 1,
    "failed_articles": lambda db, r: _ids(r) == [FAILED.source_id],
    "article_page": lambda db, r: (
        r.article.source_id == GOOD.source_id
        and [each.tag for each in r.tags] == ["ai"]
        and [each.model_version for each in r.results] == [FINBERT]
    ),
    "articles_by_sentiment": lambda db, r: _ids(r) == [BAD.source_id, JUDGED.source_id],
    "articles_by_tag": lambda db, r: (
        [(each.source_id, each.tag) for each in r] == [(BAD.source_id, "ai")]
    ),
    "recent_articles": lambda db, r: _ids(r) == [GOOD.source_id],
    "export_slice": lambda db, r: _ids(r) == [GOOD.source_id],
    "reanalysis_slice": lambda db, r: _ids(r) == [GOOD.source_id],
    "number_stuck": lambda db, r: r == 1,
    "stuck_articles": lambda db, r: (
        [(each.source_id, each.queued_at) for each in r] == [(STUCK.source_id, STUCK.queued_at)]
    ),
    "articles_with_status": lambda db, r: list(r) == [FAILED.model_copy(update={"version": 1})],
    "unjudged_articles": lambda db, r: _ids(r) == [FOREIGN.source_id],
    "series": lambda db, r: (
        [(each.bucket, each.positive) for each in r] == [("h#2026-11-20T10Z", 1)]
    ),
    "series_to_judge": lambda db, r: [each.subject for each in r] == ["tag#ai"],
    "article_of_row": lambda db, r: r.source_id == GOOD.source_id,
    "articles_of_rows": lambda db, r: _ids(r) == [GOOD.source_id],
    "series_to_check": lambda db, r: (
        [(each.bucket, each.positive) for each in r] == [("h#2026-11-20T10Z", 1)]
    ),
    "settings": lambda db, r: (r.active_model, r.watch_count, r.shards) == (VADER, 3, 16),
    "model_in_use": lambda db, r: r.active_model == VADER,
    "watch_rules": lambda db, r: [each.watch_tag for each in r] == ["ai", "climate", "energy"],
    "watches": lambda db, r: [each.label for each in r] == ["AI", "Climate", "Energy"],
    "watch": lambda db, r: (r.label, r.version) == ("AI", 1),
    "source": lambda db, r: (r.name, r.source_type) == (SOURCE, "newsapi"),
    "source_to_edit": lambda db, r: (r.name, r.revision) == (SOURCE, 0),
    "sources_to_read": lambda db, r: [each.name for each in r] == ["local-feed", SOURCE],
    "sources": lambda db, r: [each.name for each in r] == ["local-feed", SOURCE],
    "models": lambda db, r: [each.model_version for each in r] == [FINBERT, VADER],
    "registered_model": lambda db, r: (r.model_version, r.kind) == (FINBERT, "onnx"),
    "alert_rules": lambda db, r: [each.firing for each in r] == [False, True],
    "alert_rules_to_check": lambda db, r: [each.firing for each in r] == [True, False],
    "alert_rule": lambda db, r: (r.name, r.version) == ("Bad news about AI", 1),
    "sources_to_check": lambda db, r: SOURCE in [each.name for each in r],
    "latest_quota": lambda db, r: [(each.used, each.limit) for each in r] == [(41, 100)],
    "alerts_to_digest": lambda db, r: [each.name for each in r] == ["Bad news about AI"],
    "runs": lambda db, r: (
        [(NOW - each.started_at) // timedelta(minutes=1) for each in r] == [1, 5, 125]
    ),
    "quota": lambda db, r: (r.used, r.limit) == (41, 100),
    "alerts": lambda db, r: (
        [(each.window_start, each.state) for each in r] == [(NOW - 3 * HOUR, "firing")]
    ),
    "alert": lambda db, r: (r.z, r.acked_by) == (Decimal("4.5"), None),
    "jobs": lambda db, r: (
        [(each.model_version, each.state) for each in r] == [(FINBERT, "running")]
    ),
    "job": lambda db, r: r == comparison(1, days=2),
    "every_tag_row": lambda db, r: (
        len(r) == sum(len(each.matched_tags) for each in ARTICLES.values())
    ),
    "every_result": lambda db, r: _ids(r) == [GOOD.source_id],
    "every_hash": lambda db, r: {each.sha256 for each in r} == set(map(hash_of, ARTICLES)),
    "every_article": lambda db, r: set(_ids(r)) == {a.source_id for a in ARTICLES.values()},
    "article_to_check": lambda db, r: r.source_id == GOOD.source_id,
    "tag_row_to_check": lambda db, r: (r.source_id, r.tag) == (GOOD.source_id, "ai"),
    "articles_to_check": lambda db, r: _ids(r) == [GOOD.source_id, BAD.source_id],
    "tag_rows_to_check": lambda db, r: (r[0].tag, r[1]) == ("ai", None),
    "correct_count": lambda db, r: (r.subject, r.shard, r.ingested) == ("all", 0, 1),
    "ingest": lambda db, r: (
        len(r) == 4 + 2
        and db.require(reads.known_hash(hash_of("fusion-record"))).article_id == r[1].source_id
        and _tags(db, r[1]) == {"ai": (None, None), "energy": (None, None)}
        and _recount(db) == _tallies(db)
    ),
    "backfill": lambda db, r: (
        # The minutes of ten days ago have ended: two items fewer than 5 + 3k.
        len(r) == 5 + 3 - 2
        and _stored(db, r[1]).status == "analyzed"
        and _tags(db, r[1]) == {"climate": ("neutral", r[1].score)}
        and _recount(db) == _tallies(db)
    ),
    "tag_article": lambda db, r: (
        _stored(db, GOOD).matched_tags == {"AI", "Energy"}
        and _tags(db, GOOD)["energy"] == ("positive", GOOD.score)
        and _recount(db) == _tallies(db)
    ),
    "analyse": lambda db, r: (
        len(r) == 4 + 3
        and (found := _stored(db, FRESH)).status == "analyzed"
        and (found.sentiment, found.model_version, found.score)
        == ("negative", VADER, Decimal("0.85"))
        and _tags(db, FRESH) == {"climate": ("negative", Decimal("0.85"))}
        and _recount(db) == _tallies(db)
    ),
    "leave_unjudged": lambda db, r: (
        len(r) == 4 + 3
        and (found := _stored(db, FRENCH)).status == "unjudged"
        and (found.language, found.sentiment) == ("fr", None)
        and _recount(db) == _tallies(db)
    ),
    "queue_unjudged": lambda db, r: (
        (found := _stored(db, FOREIGN)).status == "pending"
        and found.queued_at == NOW
        and _recount(db) == _tallies(db)
    ),
    "sweep": lambda db, r: (
        (r.status, r.attempts, r.queued_at) == ("pending", 1, NOW)
        and db.run(reads.number_stuck("pending", **WAITING)) == 0
    ),
    "analysis_failed": lambda db, r: (
        (r.status, r.attempts, r.error_code) == ("pending", 2, "model_timeout")
    ),
    "sweep_out": lambda db, r: (r.status, r.attempts, r.error_code) == ("failed", 3, "stuck"),
    "give_up": lambda db, r: (r.status, r.attempts, r.error_code) == ("failed", 3, "unreadable"),
    "save_result": lambda db, r: (
        db.run(reads.article_page(BAD.source_id)).results == (r,)
        and r.result_label == "negative"
        and _stored(db, BAD).model_version == VADER
    ),
    "promote": lambda db, r: (
        (found := _stored(db, GOOD)).model_version == FINBERT
        and (found.sentiment, found.model_sentiment) == ("neutral", "neutral")
        and {
            each.model_version: each.result_label
            for each in db.run(reads.article_page(GOOD.source_id)).results
        }
        == {FINBERT: "neutral", VADER: "positive"}
        and set(_tags(db, GOOD).values()) == {("neutral", Decimal("0.8"))}
        and _recount(db) == _tallies(db)
    ),
    "override": lambda db, r: (
        (found := _stored(db, BAD)).sentiment == "neutral"
        and (found.model_sentiment, found.score) == ("negative", BAD.score)
        and found.override is not None
        and found.override.by == "analyst-2"
        and {each[0] for each in _tags(db, BAD).values()} == {"neutral"}
        and _recount(db) == _tallies(db)
    ),
    "clear_override": lambda db, r: (
        (found := _stored(db, JUDGED)).override is None
        and found.sentiment == "positive"
        and _tags(db, JUDGED)["energy"] == ("positive", JUDGED.score)
        and _recount(db) == _tallies(db)
    ),
    "requeue": lambda db, r: (
        (r.status, r.attempts, r.error_code, r.queued_at) == ("pending", 0, None, NOW)
        and db.run(reads.number_stuck("pending", **WAITING)) == 0
    ),
    "create_watch": lambda db, r: (
        db.require(config_reads.watch("space")).label == "Space"
        and db.require(config_reads.settings()).watch_count
        == len(db.run(config_reads.watches()))
        == 4
    ),
    "save_watch": lambda db, r: (
        db.require(config_reads.watch("energy")).any == ["energy", "grid", "solar"]
        and r.version == 2
    ),
    "delete_watch": lambda db, r: (
        db.run(config_reads.watch("climate")) is None
        and db.require(config_reads.settings()).watch_count
        == len(db.run(config_reads.watches()))
        == 3
    ),
    "create_alert_rule": lambda db, r: len(db.run(config_reads.alert_rules())) == 3,
    "save_alert_rule": lambda db, r: (r.name, r.version, r.firing) == ("Bad news", 2, True),
    "delete_source": lambda db, r: db.run(config_reads.source("second-feed")) is None,
    "delete_alert_rule": lambda db, r: (
        r.name not in [each.name for each in db.run(config_reads.alert_rules())]
    ),
    "acknowledge_alert": lambda db, r: (r.acked_by, r.acked_at) == ("analyst-1", NOW),
    "install_settings": lambda db, r: (r.active_model, r.shards, r.watch_count) == (VADER, 16, 3),
    "raise_shards": lambda db, r: r.shards == 32,
    "note_publisher": lambda db, r: (r.name, r.articles, r.last_seen) == ("Reuters", 2, NOW),
    "publishers": lambda db, r: [each.name for each in r] == ["BBC News"],
    "create_source": lambda db, r: db.run(config_reads.source("second-feed")) == r,
    "save_source": lambda db, r: (r.interval_seconds, r.source_type) == (600, "rss"),
    "register_model": lambda db, r: (
        "v2.0.0+finbert" in [m.model_version for m in db.run(config_reads.models())]
    ),
    "activate_model": lambda db, r: db.require(config_reads.model_in_use()).active_model == FINBERT,
    "take_quota": lambda db, r: db.require(config_reads.quota(SOURCE, NOW.date())).used == 42,
    "begin_reading": lambda db, r: (
        (r.open_run, r.last_run_at) == (run(3, 0, done=True).run_id, NOW)
    ),
    "end_reading": lambda db, r: (r.open_run, r.last_run_at) == (None, NOW),
    "abandon_run": lambda db, r: (r.state, r.finished_at) == ("abandoned", NOW),
    "delay_source": lambda db, r: (
        (r.failures, r.breaker_open_until) == (1, NOW + timedelta(seconds=60))
    ),
    "start_run": lambda db, r: db.run(config_reads.runs(SOURCE))[0].state == "running",
    "finish_run": lambda db, r: (
        (latest := db.run(config_reads.runs(SOURCE))[0]).state == "ok" and latest.fetched == 12
    ),
    "advance_source": lambda db, r: (
        (r.cursor, r.etag, r.failures) == ("2026-11-20T11:59:00Z", '"e7"', 0)
    ),
    "source_failed": lambda db, r: (
        (r.failures, r.breaker_open_until) == (1, NOW + timedelta(seconds=300))
    ),
    "start_job": lambda db, r: db.run(config_reads.jobs())[0].job_id == r.job_id,
    "advance_job": lambda db, r: (r.done, r.cursor) == (75, NOW - 8 * HOUR),
    "move_job": lambda db, r: (r.state, r.report.changed) == ("compared", 4),
    "begin_promotion": lambda db, r: (
        (r.state, r.flipped_at, r.cursor, r.done) == ("promoting", NOW, LONG_AGO, 0)
    ),
    "raise_alert": lambda db, r: (
        [each.window_start for each in db.run(config_reads.alerts())]
        == [NOW - HOUR, NOW - 3 * HOUR]
        and _rule(db).last_fired_at == NOW
        and (_rule(db).firing, _rule(db).fired_window) == (True, NOW - HOUR)
    ),
    "install_alert_rule": lambda db, r: r.name == "Articles that wait",
    "note_window": lambda db, r: (r.firing, r.calm_windows) == (True, 1),
    "rest_rule": lambda db, r: not _rule(db).firing,
    "clear_alert": lambda db, r: (
        not _rule(db).firing
        and [(each.state, each.cleared_at) for each in db.run(config_reads.alerts())]
        == [("cleared", NOW)]
    ),
    "note_digest": lambda db, r: (r.digested_until, r.version) == (NOW, 2),
}


def _rule(db: Db) -> AlertRule:
    wanted = rule(1, "x").rule_id
    return next(each for each in db.run(config_reads.alert_rules()) if each.rule_id == wanted)


def test_there_is_a_sample_call_and_a_check_of_every_pattern() -> None:
    assert set(demo().calls) == set(model.patterns) == set(CHECKS)


@pytest.mark.parametrize("name", list(demo().calls))
def test_sample_call(db: Db, name: str) -> None:
    for earlier, op in demo().calls.items():
        result = db.run(op)
        if earlier == name:
            break
    assert CHECKS[name](db, result)


def test_the_demo_counts_what_it_holds(db: Db) -> None:
    assert _tallies(db) == _recount(db) != {}


# --- articles ------------------------------------------------------------------------------------


def _refused(db: Db, op: Any) -> list[tuple[int, type]]:
    with pytest.raises(TransactionCancelled) as caught:
        db.run(op)
    return [(each.position, type(each.error)) for each in caught.value.failures]


def test_an_article_comes_in_once(db: Db, tablewright_clock: ManualClock) -> None:
    new = article("twice", 0, {"AI"})
    db.run(changes.ingest(new, hash_of("twice"), now=NOW))
    later = new.model_copy(update={"timestamp": NOW + HOUR})
    assert _refused(db, changes.ingest(later, hash_of("twice"), now=NOW)) == [(0, AlreadyExists)]
    assert _recount(db) == _tallies(db)
    # Between 30 and 37 days the article is gone, and its hash keeps it out.
    tablewright_clock.advance(31 * DAY.total_seconds())
    assert db.run(reads.article_to_tag(new.source_id, new.timestamp)) is None
    assert db.require(reads.known_hash(hash_of("twice"))).article_id == new.source_id
    tablewright_clock.advance(7 * DAY.total_seconds())
    again = article("twice", -38 * 24 * 60, {"AI"})
    db.run(changes.ingest(again, hash_of("twice"), now=NOW + 38 * DAY))
    assert db.require(reads.known_hash(hash_of("twice"))).article_ts == again.timestamp


def test_sizes_of_the_transactions() -> None:
    tags = {"a", "b", "c", "d", "e"}
    said = analysis("positive", "0.5", NOW)
    pending, done = article("x", 1, tags, version=1), article("x", 1, tags, said=said, version=1)
    verdict = Override(from_="positive", to="negative", by="x", at=NOW, reason="x")
    sizes = {
        4 + 5: changes.ingest(pending, hash_of("x"), now=NOW),
        4 + 15: changes.analyse(pending, said, now=NOW),
        5 + 15: changes.backfill(done, hash_of("x"), now=NOW),
    }
    for size, op in sizes.items():
        ((_, body),) = requests_of(op)
        assert len(body["TransactItems"]) == size
    for op in (
        changes.override(done, verdict, now=NOW),
        changes.promote(done, analysis("neutral", "0", NOW, FINBERT), now=NOW),
    ):
        ((_, body),) = requests_of(op)
        keys = [repr(next(iter(each.values())).get("Key")) for each in body["TransactItems"]]
        assert len({key for key in keys if key != "None"}) == len(keys) - keys.count("None")
        assert len(keys) <= 20


def test_an_article_is_analysed_once(db: Db) -> None:
    fresh = _stored(db, FRESH)
    said = analysis("negative", "-0.7", NOW)
    db.run(changes.analyse(fresh, said, now=NOW))
    assert _refused(db, changes.analyse(fresh, said, now=NOW)) == [(0, VersionConflict)]
    done = _stored(db, FRESH)
    assert _refused(db, changes.analyse(done, said, now=NOW)) == [(0, ConditionFailed)]
    assert _recount(db) == _tallies(db)


def test_a_new_tag_and_the_analysis_race(db: Db) -> None:
    """Who comes second has to look again; then rows and counts agree, whoever was first."""
    seen, said = _stored(db, FRESH), analysis("positive", "0.5", NOW)
    db.run(changes.tag_article(seen, "Energy", now=NOW))
    assert _refused(db, changes.analyse(seen, said, now=NOW)) == [(0, VersionConflict)]
    db.run(changes.analyse(_stored(db, FRESH), said, now=NOW))
    assert _tags(db, FRESH) == dict.fromkeys(("climate", "energy"), ("positive", said.score))
    db.run(changes.tag_article(_stored(db, FRESH), "AI", now=NOW))
    assert _recount(db) == _tallies(db)
    total = sum(counts["positive"] for key, counts in _tallies(db).items() if key[0] == "all")
    # This article and another one, each in a minute and an hour.
    assert total == 4


def test_an_article_has_at_most_five_tags(db: Db) -> None:
    for tag in ("b", "c", "d", "e"):
        db.run(changes.tag_article(_stored(db, GOOD), tag, now=NOW))
    full = changes.tag_article(_stored(db, GOOD), "f", now=NOW)
    assert _refused(db, full) == [(0, ConditionFailed)]
    twice = changes.tag_article(_stored(db, BAD), "AI", now=NOW)
    assert _refused(db, twice) == [(1, AlreadyExists)]


def test_the_third_failure_is_the_last(db: Db) -> None:
    states = []
    for _ in range(3):
        waiting = _stored(db, FRESH)
        states.append(db.run(changes.analysis_failed(waiting, "poison", NOW)).status)
    assert states == ["pending", "pending", "failed"]
    with pytest.raises(ConditionFailed):
        db.run(changes.analysis_failed(_stored(db, FRESH), "poison", NOW))
    again = {"now": NOW + HOUR, "stuck_before": NOW}
    assert db.run(changes.requeue(FRESH.source_id, FRESH.timestamp, **again)).attempts == 0


def test_only_what_failed_or_is_stuck_is_queued_again(
    db: Db, tablewright_clock: ManualClock
) -> None:
    times = {"now": NOW, "stuck_before": FIVE_MINUTES_AGO}
    for each in (FRESH, GOOD):
        with pytest.raises(ConditionFailed):
            db.run(changes.requeue(each.source_id, each.timestamp, **times))
        with pytest.raises(ConditionFailed):
            db.run(changes.sweep(each.source_id, each.timestamp, **times))
    assert db.run(changes.requeue(STUCK.source_id, STUCK.timestamp, **times)).queued_at == NOW
    # What has ended does not come back as a ghost.
    tablewright_clock.advance(30 * DAY.total_seconds())
    with pytest.raises(NotFound):
        db.run(changes.requeue(FAILED.source_id, FAILED.timestamp, **times))


def test_verdicts(db: Db) -> None:
    seen = _stored(db, BAD)
    verdict = Override(from_="negative", to="positive", by="a", at=NOW, reason="x")
    db.run(changes.override(seen, verdict, now=NOW))
    assert _refused(db, changes.override(seen, verdict, now=NOW)) == [(0, VersionConflict)]
    assert _recount(db) == _tallies(db)
    # Another verdict on top, the same one again, and back to the model's own.
    for to in ("neutral", "neutral"):
        change = verdict.model_copy(update={"to": to})
        db.run(changes.override(_stored(db, BAD), change, now=NOW))
        assert _recount(db) == _tallies(db)
    db.run(changes.clear_override(_stored(db, BAD), now=NOW))
    assert _stored(db, BAD).sentiment == "negative"
    assert _recount(db) == _tallies(db)
    # What is not analyzed has nothing to be overridden.
    with pytest.raises(ValidationError):
        changes.clear_override(_stored(db, FRESH), now=NOW)


def test_a_promotion_keeps_verdicts_and_can_be_taken_back(db: Db) -> None:
    before = _tallies(db)
    other = analysis("neutral", "0.01", NOW, FINBERT)
    for each in (GOOD, JUDGED):
        db.run(changes.promote(_stored(db, each), other, now=NOW))
    assert (_stored(db, GOOD).sentiment, _stored(db, JUDGED).sentiment) == ("neutral", "negative")
    assert _stored(db, JUDGED).model_sentiment == "neutral"
    assert _recount(db) == _tallies(db) != before
    for each in (GOOD, JUDGED):
        db.run(changes.promote(_stored(db, each), each.analysis, now=NOW))
    assert _tallies(db) == before
    assert _stored(db, GOOD).sentiment == "positive"


def test_minutes_that_have_ended_are_left_alone(db: Db, tablewright_clock: ManualClock) -> None:
    tablewright_clock.advance(4 * DAY.total_seconds())
    now = NOW + 4 * DAY
    verdict = Override(from_="negative", to="neutral", by="a", at=now, reason="x")
    ((_, body),) = requests_of(changes.override(_stored(db, BAD), verdict, now=now))
    counted = [each["Update"]["Key"]["timestamp"]["S"] for each in body["TransactItems"]]
    assert not [key for key in counted if key.startswith("m#")]
    db.run(changes.override(_stored(db, BAD), verdict, now=now))
    assert _tallies(db) == _recount(db, now)


def test_counts_end(db: Db, tablewright_clock: ManualClock) -> None:
    made = [each for each in demo().items if isinstance(each, Tally)]
    at = next(each for each in made if each.bucket == minute_of(GOOD.timestamp))
    assert at.ttl_timestamp == GOOD.timestamp + 3 * DAY
    new = article("counted", 0, {"AI"})
    db.run(changes.ingest(new, hash_of("counted"), now=NOW))
    shard = shard_of_article(new.source_id)
    hours = {"first": hour_of(NOW), "last": hour_of(NOW)}
    (hour,) = db.run(reads.series("all", shard, **hours))
    assert hour.ttl_timestamp == NOW + 400 * DAY
    tablewright_clock.advance(3 * DAY.total_seconds())
    minutes = {"first": minute_of(NOW), "last": minute_of(NOW)}
    assert list(db.run(reads.series("all", shard, **minutes))) == []
    assert list(db.run(reads.series("all", shard, **hours))) == [hour]


def test_ranges_of_time_exclude_their_end(db: Db) -> None:
    at = GOOD.timestamp
    assert _ids(db.run(reads.export_slice("positive", since=at, until=at + HOUR))) == [
        GOOD.source_id
    ]
    assert _ids(db.run(reads.export_slice("positive", since=at - HOUR, until=at))) == []
    assert _ids(db.run(reads.articles_by_tag("ai", since=at))) == [GOOD.source_id]
    assert _ids(db.run(reads.articles_by_tag("ai", until=at))) == [BAD.source_id]


def test_stuck_articles_are_counted_on_all_pages(db: Db) -> None:
    for number in range(130):
        waiting = article(f"waiting-{number}", 10, {"AI"})
        db.run(put(waiting))
    assert db.run(reads.number_stuck("pending", **WAITING)) == 131
    # A day-old article that was queued again a moment ago is none of them.
    times = {"now": NOW, "stuck_before": FIVE_MINUTES_AGO}
    db.run(changes.requeue(FAILED.source_id, FAILED.timestamp, **times))
    assert db.run(reads.number_stuck("pending", **WAITING)) == 131


# --- configuration and workers -------------------------------------------------------------------


def test_a_quota_ends_with_its_day(db: Db) -> None:
    day, ends = date(2026, 11, 21), NOW + 90 * DAY
    used = [db.run(writes.take_quota(SOURCE, day, 3, ends)).used for _ in range(3)]
    assert used == [1, 2, 3]
    with pytest.raises(ConditionFailed):
        db.run(writes.take_quota(SOURCE, day, 3, ends))
    assert db.run(writes.take_quota(SOURCE, day, 4, ends)).used == 4


def test_there_are_at_most_twenty_topics(db: Db) -> None:
    for number in range(17):
        db.run(writes.create_watch(topic(f"Topic{number}")))
    assert _refused(db, writes.create_watch(topic("More"))) == [(1, ConditionFailed)]
    assert db.run(config_reads.watch("more")) is None
    db.run(writes.delete_watch(db.require(config_reads.watch("topic3"))))
    assert _refused(db, writes.create_watch(topic("TOPIC4"))) == [(0, AlreadyExists)]
    db.run(writes.create_watch(topic("More")))
    assert (
        db.require(config_reads.settings()).watch_count == len(db.run(config_reads.watches())) == 20
    )


def test_topics_and_rules_are_edited_from_the_version_that_was_read(db: Db) -> None:
    watch = db.require(config_reads.watch("ai"))
    db.run(writes.save_watch(watch))
    with pytest.raises(VersionConflict):
        db.run(writes.save_watch(watch))
    assert _refused(db, writes.delete_watch(watch)) == [(0, VersionConflict)]
    seen = _rule(db)
    db.run(writes.save_alert_rule(seen))
    for stale in (writes.save_alert_rule(seen), writes.delete_alert_rule(seen)):
        with pytest.raises(ConditionFailed):
            db.run(stale)


def test_shards_only_rise(db: Db) -> None:
    for shards in (16, 4):
        with pytest.raises(ConditionFailed):
            db.run(writes.raise_shards(shards))


def test_publisher_keeps_its_first_name_and_adds_up(db: Db) -> None:
    for name in ("Le Monde", "LE MONDE"):
        noted = db.run(writes.note_publisher("le-monde", name, 3, NOW))
    assert (noted.name, noted.articles) == ("Le Monde", 6)


def test_editing_a_source_leaves_its_place(db: Db) -> None:
    before = db.require(config_reads.source(SOURCE))
    db.run(writes.advance_source(before, "page-7"))
    edited = Source(name=SOURCE, source_type="newsapi", query="space")
    assert db.run(writes.save_source(edited)).cursor == "page-7"
    with pytest.raises(AlreadyExists):
        db.run(writes.create_source(edited))


def test_a_run_ends_once(db: Db) -> None:
    with pytest.raises(ConditionFailed):
        db.run(writes.finish_run(run(1, 125, done=True)))
    with pytest.raises(NotFound):
        db.run(writes.finish_run(run(9, 1, done=True)))


def test_jobs_go_allowed_ways_only(db: Db) -> None:
    job = comparison(1, days=2).job_id
    with pytest.raises(ConditionFailed):
        db.run(writes.move_job(job, "promoting"))
    for state in ("compared", "promoting", "promoted"):
        assert db.run(writes.move_job(job, state)).state == state
    with pytest.raises(ConditionFailed):
        db.run(writes.move_job(job, "cancelled"))
    with pytest.raises(ConditionFailed):
        db.run(writes.advance_job(comparison(1, days=2), NOW, 1))


def test_a_model_must_be_known_to_be_used(db: Db) -> None:
    assert _refused(db, writes.activate_model("v9.9.9")) == [(0, NotFound)]
    known = next(each for each in demo().items if isinstance(each, ModelVersion))
    with pytest.raises(AlreadyExists):
        db.run(writes.register_model(known))


def test_an_alert_is_raised_once_for_a_window(db: Db) -> None:
    rested = {"quiet_since": NOW - HOUR}
    quiet = rule(2, "Silence about AI").rule_id
    fired = alert_of(rule(2, "x"), hours=1)
    with pytest.raises(ConditionFailed):
        db.run(writes.note_window(quiet, NOW, 1))
    db.run(writes.raise_alert(fired, NOW, **rested))
    again = _refused(db, writes.raise_alert(fired, NOW, **rested))
    assert again == [(0, AlreadyExists), (1, ConditionFailed)]
    later = fired.model_copy(update={"window_start": NOW})
    assert _refused(db, writes.raise_alert(later, NOW, **rested)) == [(1, ConditionFailed)]
    gone = fired.model_copy(update={"rule_id": "gone", "window_start": NOW})
    assert _refused(db, writes.raise_alert(gone, NOW, **rested)) == [(1, NotFound)]


def test_an_alert_is_over_once_and_rests(db: Db) -> None:
    fired = alert_of(rule(2, "x"), hours=3)
    db.run(writes.raise_alert(fired, NOW, quiet_since=NOW - HOUR))
    first, second = NOW - 2 * HOUR, NOW - HOUR
    assert db.run(writes.note_window(fired.rule_id, first, 1)).calm_windows == 1
    with pytest.raises(ConditionFailed):
        db.run(writes.note_window(fired.rule_id, first, 2))
    over = writes.clear_alert(fired.rule_id, fired.window_start, second, now=NOW)
    db.run(over)
    assert _refused(db, over) == [(0, ConditionFailed)]
    again = fired.model_copy(update={"window_start": NOW})
    soon = writes.raise_alert(again, NOW, quiet_since=NOW - HOUR)
    assert _refused(db, soon) == [(1, ConditionFailed)]
    db.run(writes.raise_alert(again, NOW + HOUR, quiet_since=NOW))


def test_rows_of_an_article(db: Db) -> None:
    page = db.run(reads.article_page(BAD.source_id))
    assert [each.tag for each in page.tags] == tags_of(BAD) == ["ai", "climate"]
    assert all(isinstance(each, TagRow) for each in page.tags)
    db.run(changes.save_result(BAD, analysis("neutral", "0", NOW, FINBERT)))
    page = db.run(reads.article_page(BAD.source_id))
    assert [type(each) for each in page.results] == [ModelResult]
    nothing = db.run(reads.article_page("rss#none"))
    assert (nothing.article, nothing.tags, nothing.results) == (None, (), ())
