"""Demo data of sentiment, as of ``NOW``: one call for each pattern, in an order that works."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

from tablewright.model import Entity, Op
from tablewright.model.demo import Demo
from tablewright.systems.sentiment import changes, config_reads, reads, upkeep_reads, writes
from tablewright.systems.sentiment.articles import Override, Tally
from tablewright.systems.sentiment.changes import result_of
from tablewright.systems.sentiment.config import (
    Comparison,
    ModelVersion,
    Publisher,
    Quota,
    Run,
    Settings,
    Source,
)
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
    hashes,
    rule,
    run,
    tag_rows,
    tallies,
    topic,
)
from tablewright.systems.sentiment.shapes import hour_of, shard_of_article

__all__ = ["NOW", "demo"]

_TODAY = NOW.date()
_MONTH_AGO, _FIVE_MINUTES_AGO = NOW - timedelta(days=30), NOW - timedelta(minutes=5)
_HOUR = timedelta(hours=1)
_FIRING, _CALM = rule(1, "Bad news about AI", firing=True), rule(2, "Silence about AI")


def demo() -> Demo:
    return Demo(
        [*ARTICLES.values(), *tag_rows(), *hashes(), *tallies(), *_results(), *_config(), *_log()],
        {
            **_article_reads(),
            **_other_reads(),
            **_article_changes(),
            **_people_changes(),
            **_config_changes(),
            **_worker_changes(),
        },
        now=NOW,
    )


# --- items ---------------------------------------------------------------------------------------


def _results() -> list[Entity]:
    said = analysis("neutral", "0.02", NOW - _HOUR, FINBERT)
    return [result_of(GOOD, said)]


def _config() -> list[Entity]:
    topics = [topic("AI", "artificial intelligence"), topic("Climate"), topic("Energy", "grid")]
    return [
        Settings(active_model=VADER, watch_count=len(topics)),
        *topics,
        Publisher(source_key="bbc-news", name="BBC News", articles=6, last_seen=NOW),
        _newsapi(),
        feed("local-feed"),
        _model(VADER, "vader"),
        _model(FINBERT, "onnx"),
        _FIRING,
        _CALM,
    ]


def _model(version: str, kind: Any) -> ModelVersion:
    return ModelVersion(
        model_version=version,
        kind=kind,
        checksum=sha256(version.encode()).hexdigest(),
        registered_at=NOW - timedelta(days=20),
    )


def _log() -> list[Entity]:
    return [
        Quota(source=SOURCE, day=_TODAY, used=41, limit=100, ttl_timestamp=_quota_ends()),
        run(1, 125, done=True),
        run(2, 5, done=True),
        run(4, 1, done=False),
        alert_of(_FIRING, hours=3),
        comparison(1, days=2),
    ]


def _quota_ends() -> Any:
    return NOW + timedelta(days=90)


# --- calls that read -----------------------------------------------------------------------------


def _article_reads() -> dict[str, Op[Any]]:
    waiting = {
        "since": _MONTH_AGO,
        "until": _FIVE_MINUTES_AGO,
        "queued_before": _FIVE_MINUTES_AGO,
    }
    hour = GOOD.timestamp.replace(minute=0)
    return {
        "known_hash": reads.known_hash(hash_of("sea-ice-report")),
        "known_hashes": reads.known_hashes([hash_of("sea-ice-report"), hash_of("never-seen")]),
        "article_to_tag": reads.article_to_tag(GOOD.source_id, GOOD.timestamp),
        "article_to_analyse": reads.article_to_analyse(FRESH.source_id, FRESH.timestamp),
        "article_to_edit": reads.article_to_edit(BAD.source_id, BAD.timestamp),
        "article_page": reads.article_page(GOOD.source_id),
        "articles_by_sentiment": reads.articles_by_sentiment("negative", since=NOW - 6 * _HOUR),
        "articles_by_tag": reads.articles_by_tag("ai", until=NOW, tag_sentiment="negative"),
        "article_of_row": reads.article_of_row(GOOD.source_id, GOOD.timestamp),
        "articles_of_rows": reads.articles_of_rows([(GOOD.source_id, GOOD.timestamp)]),
        "recent_articles": reads.recent_articles("positive"),
        "export_slice": reads.export_slice("positive", since=hour, until=hour + _HOUR),
        "reanalysis_slice": reads.reanalysis_slice("positive", since=hour, until=hour + _HOUR),
        "article_to_promote": reads.article_to_promote(GOOD.source_id, GOOD.timestamp),
        "stored_result": reads.stored_result(GOOD.source_id, GOOD.timestamp, FINBERT),
        "number_stuck": reads.number_stuck("pending", **waiting),
        "stuck_articles": reads.stuck_articles("pending", **waiting),
        "number_failed": reads.number_failed("failed", since=_MONTH_AGO, until=_FIVE_MINUTES_AGO),
        "failed_articles": reads.failed_articles(
            "failed", since=_MONTH_AGO, until=_FIVE_MINUTES_AGO
        ),
        "unjudged_articles": reads.unjudged_articles("unjudged"),
        "articles_with_status": reads.articles_with_status("failed", since=_MONTH_AGO),
    }


def _other_reads() -> dict[str, Op[Any]]:
    shard = shard_of_article(GOOD.source_id)
    first, last = hour_of(NOW - 6 * _HOUR), hour_of(NOW)
    return {
        "series": reads.series("all", shard, first=first, last=last),
        "series_to_judge": reads.series_to_judge("tag#ai", shard, first=first, last=last),
        "series_to_check": reads.series_to_check("all", shard, first=first, last=last),
        "settings": config_reads.settings(),
        "model_in_use": config_reads.model_in_use(),
        "watch_rules": config_reads.watch_rules(),
        "watches": config_reads.watches(),
        "watch": config_reads.watch("ai"),
        "source": config_reads.source(SOURCE),
        "source_to_edit": config_reads.source_to_edit(SOURCE),
        "sources_to_read": config_reads.sources_to_read(),
        "sources": config_reads.sources(),
        "publishers": config_reads.publishers(),
        "models": config_reads.models(),
        "registered_model": config_reads.registered_model(FINBERT),
        "alert_rules": config_reads.alert_rules(),
        "alert_rules_to_check": config_reads.alert_rules_to_check(),
        "alert_rule": config_reads.alert_rule(_FIRING.rule_id),
        "sources_to_check": config_reads.sources_to_check(),
        "runs": config_reads.runs(SOURCE),
        "quota": config_reads.quota(SOURCE, _TODAY),
        "latest_quota": config_reads.latest_quota(SOURCE),
        "alerts": config_reads.alerts(since=NOW - timedelta(days=1)),
        "alerts_to_digest": config_reads.alerts_to_digest(since=NOW - timedelta(days=1), until=NOW),
        "alert": config_reads.alert(NOW - 3 * _HOUR, _FIRING.rule_id),
        "jobs": config_reads.jobs(),
        "job": config_reads.job(comparison(1, days=2).job_id),
        "every_tag_row": upkeep_reads.every_tag_row(),
        "every_result": upkeep_reads.every_result(),
        "every_hash": upkeep_reads.every_hash(),
        **_checks(),
    }


def _checks() -> dict[str, Op[Any]]:
    key = (GOOD.source_id, GOOD.timestamp)
    return {
        "every_article": upkeep_reads.every_article(),
        "article_to_check": upkeep_reads.article_to_check(*key),
        "tag_row_to_check": upkeep_reads.tag_row_to_check(*key, "ai"),
        "articles_to_check": upkeep_reads.articles_to_check([key, (BAD.source_id, BAD.timestamp)]),
        "tag_rows_to_check": upkeep_reads.tag_rows_to_check([(*key, "ai"), (*key, "energy")]),
    }


# --- calls that write ----------------------------------------------------------------------------

# What was stored has the version 1, and each change makes it one higher.


def _article_changes() -> dict[str, Op[Any]]:
    new = article("fusion-record", 0, {"Energy", "AI"})
    past = analysis("neutral", "0.01", NOW)
    swept = STUCK.model_copy(update={"attempts": 1, "version": 2})
    tagged = GOOD.model_copy(update={"matched_tags": {"AI", "Energy"}, "version": 2})
    return {
        "ingest": changes.ingest(new, hash_of("fusion-record"), now=NOW),
        "backfill": changes.backfill(
            article("quiet-week", 60 * 24 * 10, {"Climate"}, said=past),
            hash_of("quiet-week"),
            now=NOW,
        ),
        "tag_article": changes.tag_article(
            GOOD.model_copy(update={"version": 1}), "Energy", now=NOW
        ),
        "analyse": changes.analyse(
            FRESH.model_copy(update={"version": 1}), analysis("negative", "-0.7", NOW), now=NOW
        ),
        "leave_unjudged": changes.leave_unjudged(
            FRENCH.model_copy(update={"version": 1}), "fr", now=NOW
        ),
        "queue_unjudged": changes.queue_unjudged(
            FOREIGN.model_copy(update={"version": 1}), now=NOW
        ),
        "sweep": changes.sweep(
            STUCK.source_id, STUCK.timestamp, now=NOW, stuck_before=_FIVE_MINUTES_AGO
        ),
        "analysis_failed": changes.analysis_failed(swept, "model_timeout", NOW),
        "sweep_out": changes.sweep_out(
            STUCK.source_id, STUCK.timestamp, now=NOW + _HOUR, stuck_before=NOW + _HOUR / 2
        ),
        "give_up": changes.give_up(new.source_id, new.timestamp, "unreadable", NOW),
        "save_result": changes.save_result(BAD, analysis("negative", "-0.9", NOW, FINBERT)),
        "promote": changes.promote(tagged, analysis("neutral", "0.02", NOW, FINBERT), now=NOW),
    }


def _people_changes() -> dict[str, Op[Any]]:
    verdict = Override(from_="negative", to="neutral", by="analyst-2", at=NOW, reason="A forecast")
    return {
        "override": changes.override(BAD.model_copy(update={"version": 1}), verdict, now=NOW),
        "clear_override": changes.clear_override(JUDGED.model_copy(update={"version": 1}), now=NOW),
        "requeue": changes.requeue(
            FAILED.source_id, FAILED.timestamp, now=NOW, stuck_before=_FIVE_MINUTES_AGO
        ),
        "create_watch": writes.create_watch(topic("Space", "rocket")),
        "save_watch": writes.save_watch(topic("Energy", "grid", "solar", version=1)),
        "delete_watch": writes.delete_watch(topic("Climate", version=1)),
        "create_alert_rule": writes.create_alert_rule(rule(3, "Bad news about everything")),
        "save_alert_rule": writes.save_alert_rule(rule(1, "Bad news", firing=True, version=1)),
        "delete_alert_rule": writes.delete_alert_rule(rule(2, "Silence about AI", version=1)),
        "acknowledge_alert": writes.acknowledge_alert(
            NOW - 3 * _HOUR, _FIRING.rule_id, by="analyst-1", now=NOW
        ),
    }


def _config_changes() -> dict[str, Op[Any]]:
    return {
        "install_settings": writes.install_settings(VADER),
        "raise_shards": writes.raise_shards(32),
        "note_publisher": writes.note_publisher("reuters", "Reuters", 2, NOW),
        "create_source": writes.create_source(feed("second-feed")),
        "save_source": writes.save_source(
            feed("local-feed").model_copy(update={"interval_seconds": 600})
        ),
        "delete_source": writes.delete_source(feed("second-feed")),
        "register_model": writes.register_model(_model("v2.0.0+finbert", "onnx")),
        "activate_model": writes.activate_model(FINBERT),
    }


def _newsapi() -> Source:
    return Source(name=SOURCE, source_type="newsapi", query="AI OR climate", daily_limit=100)


def _abandoned(run: Run) -> Op[Run]:
    return writes.abandon_run(run.source, run.started_at, run.run_id, NOW)


def _missing_hour() -> Tally:
    """An hour in which nothing was counted."""
    bucket = hour_of(NOW - 30 * _HOUR)
    return Tally(subject="all", bucket=bucket, ttl_timestamp=NOW + timedelta(days=398))


def _worker_changes() -> dict[str, Op[Any]]:
    job, later = comparison(1, days=2), comparison(2, days=0)
    report = Comparison(
        agreement=Decimal("0.91"),
        kappa=Decimal("0.84"),
        matrix={"positive": {"positive": 40, "neutral": 4}, "negative": {"negative": 31}},
        changed=4,
    )
    return {
        "take_quota": writes.take_quota(SOURCE, _TODAY, 100, _quota_ends()),
        "start_run": writes.start_run(run(3, 0, done=False)),
        "begin_reading": writes.begin_reading(run(3, 0, done=False)),
        "end_reading": writes.end_reading(run(3, 0, done=False)),
        "finish_run": writes.finish_run(run(3, 0, done=True)),
        "advance_source": writes.advance_source(_newsapi(), "2026-11-20T11:59:00Z", etag='"e7"'),
        "source_failed": writes.source_failed(
            "local-feed", open_until=NOW + timedelta(seconds=300), enabled=True
        ),
        "delay_source": writes.delay_source(
            "local-feed", NOW + timedelta(seconds=60), "RATE_LIMITED"
        ),
        "abandon_run": _abandoned(run(4, 1, done=False)),
        "start_job": writes.start_job(later),
        "advance_job": writes.advance_job(job, NOW - 8 * _HOUR, 75),
        "move_job": writes.move_job(job.job_id, "compared", report),
        "begin_promotion": writes.begin_promotion(job.job_id, now=NOW, cursor=_MONTH_AGO),
        "install_alert_rule": writes.install_alert_rule(rule(4, "Articles that wait")),
        "note_window": writes.note_window(_FIRING.rule_id, NOW - 2 * _HOUR, 1),
        "clear_alert": writes.clear_alert(_FIRING.rule_id, NOW - 3 * _HOUR, NOW - _HOUR, now=NOW),
        "raise_alert": writes.raise_alert(alert_of(_FIRING, hours=1), NOW, quiet_since=NOW - _HOUR),
        "rest_rule": writes.rest_rule(_FIRING.rule_id, NOW - _HOUR, NOW),
        "note_digest": writes.note_digest(_FIRING.rule_id, NOW),
        "correct_count": changes.correct_count(_missing_hour(), {"ingested": 1}),
    }
