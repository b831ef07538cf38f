"""What ``/metrics`` shows: everything that is to be watched, and that it moves."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.service.measuring import Values, measured, total
from tests.systems.sentiment.api_world import API, World, told, world
from tests.systems.sentiment.sources.support import feed_server

#: What is to be watched, and where it is.
WATCHED = {
    "consumed read units": "tablewright_db_read_units_total",
    "consumed write units": "tablewright_db_write_units_total",
    "throttles": "tablewright_db_throttles_total",
    "conditional failures": "tablewright_db_condition_failures_total",
    "transaction conflicts": "tablewright_db_transaction_conflicts_total",
    "stuck articles": "sentiment_stuck_items",
    "failed articles": "sentiment_failed_items",
    "how far readers are behind": "sentiment_feed_lag_seconds",
    "changes that nobody has read": "sentiment_feed_gaps_total",
    "quota": "sentiment_quota_used_percent",
    "breaker": "sentiment_breaker_open",
    "runs of sources": "sentiment_source_runs_total",
    "records": "sentiment_records_total",
    "analyses": "sentiment_analyses_total",
    "conflicts of analyses": "sentiment_analysis_conflicts_total",
    "alerts": "sentiment_alerts_total",
    "open streams": "sentiment_streams",
    "live events": "sentiment_live_events_total",
    "backups": "tablewright_last_backup_timestamp_seconds",
}
#: Only there once it has happened.
RARE = {"changes that nobody has read", "alerts"}
PATIENCE_SECS = 20.0


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with feed_server(lambda path, headers: (401, {}, b"{}")) as url:
        environ = {"SENTIMENT_NEWSAPI_KEY": "key", "TABLEWRIGHT_SENTIMENT_NEWSAPI_URL": url}
        with world(workers=True, environ=environ) as found:
            yield found


def until(service: World, enough: Callable[[Values], bool]) -> Values:
    ends = time.monotonic() + PATIENCE_SECS
    while not enough(values := measured(service.http)):
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.1)
    return values


def test_everything_that_is_to_be_watched_is_there(service: World) -> None:
    before = measured(service.http)
    name = service.source(source_type="newsapi", url=None, query="AI", daily_limit=50)
    records = [told(), told(published_at="never")]
    service.done("POST", "/ingest", {"records": records})
    service.done("POST", "/ingest", {"records": records})
    service.done("GET", "/ops")
    body = {"tag": "AI", "any": ["ai"]}
    again = service.http.post(f"{API}/watch", json=body, headers=service.admin)
    assert again.status_code == 409

    def is_done(values: Values) -> bool:
        named = {each for each, _ in values}
        return (
            {name for what, name in WATCHED.items() if what not in RARE} <= named
            and total(values, WATCHED["analyses"]) > total(before, WATCHED["analyses"])
            and total(values, WATCHED["live events"], kind="item") > 0
            and total(values, WATCHED["quota"], source=name) > 0
        )

    after = until(service, is_done)
    for what in ("consumed read units", "consumed write units", "conditional failures"):
        assert total(after, WATCHED[what]) > total(before, WATCHED[what]), what
    for result, number in (("ingested", 1), ("duplicate", 1), ("rejected", 2)):
        counts = [total(each, WATCHED["records"], result=result) for each in (before, after)]
        # The sources are read meanwhile, and bring some, too.
        assert counts[1] - counts[0] >= number, result
    assert total(after, WATCHED["stuck articles"]) >= 0
    assert total(after, WATCHED["failed articles"]) == 1
    assert total(after, WATCHED["quota"], source=name) <= 100
    assert {("feed", "analyse")} in [
        labels for each, labels in after if each == WATCHED["how far readers are behind"]
    ]
    assert total(after, WATCHED["backups"], table="sentiment-items") > 0


def test_open_streams_are_counted(service: World) -> None:
    for _ in range(2):
        with service.http.stream("GET", f"{API}/stream", headers=service.admin) as answer:
            assert answer.status_code == 200
            until(service, lambda values: total(values, WATCHED["open streams"]) == 1)
        until(service, lambda values: total(values, WATCHED["open streams"]) == 0)


def test_metrics_are_for_those_inside(service: World) -> None:
    answer = service.http.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")


def test_no_label_comes_from_what_callers_send(service: World) -> None:
    secret = "made-up-by-a-caller"
    service.http.get(f"{API}/{secret}")
    service.http.request(secret.upper(), f"{API}/items")
    service.http.get(f"{API}/watch/{secret}", headers=service.admin)
    service.http.get(f"{API}/items?tag={secret}&source={secret}&q={secret}", headers=service.admin)
    sent = {"records": [told(source=secret, title=f"AI {secret}", author=secret)]}
    service.done("POST", "/ingest", sent)
    assert secret not in service.http.get("/metrics").text.lower()


def test_healthy(service: World) -> None:
    for path in ("/health", "/health/live", "/health/ready"):
        assert service.http.get(path).status_code == 200


def test_every_metric_is_in_the_manual(service: World) -> None:
    manual = (Path(__file__).parents[3] / "docs" / "sentiment.md").read_text()
    source = Path(__file__).parents[3] / "src" / "tablewright" / "systems" / "sentiment"
    own = {
        name
        for path in source.rglob("*.py")
        for name in re.findall(r'"(sentiment_[a-z_]+)"', path.read_text())
    }
    shown = {name.removesuffix("_total") for name in WATCHED.values()}
    assert {name for name in shown if name.startswith("sentiment_")} <= own
    assert [name for name in own if f"`{name}`" not in manual] == []
