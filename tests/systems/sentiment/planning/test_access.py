"""Policies of least privilege: what each component sends is allowed, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext, suppress
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from tests.deploy.templates.evaluator import Asked, allowed
from tests.deploy.templates.recording import ACCOUNT, Recorder

from tablewright.cli.models import find_access, find_deployed
from tablewright.client import Db, Embedded
from tablewright.client.feed import ChangeFeed, TableCheckpoints
from tablewright.clock import ManualClock
from tablewright.deploy.naming import Naming
from tablewright.deploy.templates.iam import Account, policies
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.service.kit import kit
from tablewright.systems.sentiment.articles import Tally, items
from tablewright.systems.sentiment.changes import correct_count
from tablewright.systems.sentiment.samples import NOW

ITEMS, KIT = f"{ACCOUNT}:table/sentiment-items", f"{ACCOUNT}:table/kit"
INDEXES = {name: f"{ITEMS}/index/{name}" for name in ("by_sentiment", "by_tag", "by_status")}
STREAM = f"{ITEMS}/stream/*"
ARTICLES = {"file#*", "newsapi#*", "reddit#*", "rss#*", "twitter#*"}
FOLLOWING = {"DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"}

#: What components may do with the table itself and its indexes.
EXPECTED: dict[str, dict[str, set[str]]] = {
    "ingest": {ITEMS: {"PutItem", "UpdateItem", "GetItem", "BatchGetItem", "Query"}},
    "analysis": {ITEMS: {"GetItem", "UpdateItem", "DescribeTable"}, STREAM: FOLLOWING},
    "live": {ITEMS: {"DescribeTable"}, STREAM: FOLLOWING},
    "reanalysis": {
        ITEMS: {"GetItem", "BatchGetItem", "UpdateItem", "PutItem", "ConditionCheckItem"},
        INDEXES["by_sentiment"]: {"Query"},
        INDEXES["by_status"]: {"Query"},
    },
    "dashboard": {
        ITEMS: {"Query", "GetItem", "BatchGetItem"},
        **{each: {"Query"} for each in INDEXES.values()},
    },
    "editor": {ITEMS: {"GetItem", "UpdateItem", "PutItem", "DeleteItem"}},
    "metrics": {INDEXES["by_status"]: {"Query"}},
    "requeue": {ITEMS: {"UpdateItem"}},
    "alerts": {ITEMS: {"Query", "PutItem", "UpdateItem"}},
    "admin": {ITEMS: {"GetItem", "UpdateItem", "PutItem", "DeleteItem"}},
    "fsck": {ITEMS: {"Scan", "GetItem", "BatchGetItem"}},
    "recount": {ITEMS: {"Query", "GetItem", "UpdateItem", "DeleteItem"}},
}


@cache
def made() -> dict[str, dict[str, Any]]:
    named = find_deployed("sentiment")
    return policies(named.model, Account(), named.calls, find_access("sentiment"))


@cache
def sent() -> dict[str, list[Asked]]:
    """What each component really sends: every pattern, again when many are refused, and feeds."""
    named, access = find_deployed("sentiment"), find_access("sentiment")
    assert named.now is not None
    now = named.now.timestamp()
    found: dict[str, list[Asked]] = {}
    # The engine's own clock is behind: what has ended is still there, and the client's to remove.
    with Engine.memory(clock=ManualClock(now - 86_400 * 5)) as engine:
        recorder = Recorder(engine)
        db = Db(recorder, clock=ManualClock(now))
        writer = Db(Embedded(engine), clock=ManualClock(now))
        db.create_tables(*Naming(env="dev").tables(named.model))
        for item in named.items:
            db.run(put(item))
        for again in (False, True):
            for name, call in named.calls.items():
                recorder.asked.clear()
                with suppress(TablewrightError) if again else _allowing(name):
                    db.run(call)
                found.setdefault(name, []).extend(recorder.asked)
        by_component: dict[str, list[Asked]] = {}
        for name, asked in found.items():
            component = named.model.patterns[name].component or ""
            by_component.setdefault(component, []).extend(asked)
        for component, names in access.beside.items():
            for name in names:
                by_component.setdefault(component, []).extend(found[name])
        by_component["recount"] += _recounted(db, recorder)
        for component in access.feeds:
            by_component.setdefault(component, []).extend(
                _followed(db, recorder, writer, component)
            )
        for component in access.asking:
            by_component.setdefault(component, []).extend(_asked(db, recorder, component))
    return by_component


def _allowing(name: str) -> Any:
    """The kit's sample of a bucket that is used up rests on one that is not there."""
    return suppress(TablewrightError) if name == "use_bucket" else nullcontext()


def _recounted(db: Db, recorder: Recorder) -> list[Asked]:
    """Putting a count right whose row has ended since."""
    minute = NOW - timedelta(days=4)
    row = Tally(
        subject="all",
        shard=0,
        bucket=f"m#{minute:%Y-%m-%dT%H:%MZ}",
        ttl_timestamp=minute + timedelta(days=3),
    )
    db.run(put(row))
    recorder.asked.clear()
    with suppress(TablewrightError):
        db.run(correct_count(row, {"positive": 1}))
    return list(recorder.asked)


def _followed(db: Db, recorder: Recorder, writer: Db, component: str) -> list[Asked]:
    """Changes, read by one process and then by another one."""
    recorder.asked.clear()
    for number in range(2):
        checkpoints = TableCheckpoints(kit, component=component)
        feed = ChangeFeed(db, items, consumer=component, checkpoints=checkpoints, unknown="raw")
        writer.run(put(Tally(subject="all", bucket=f"h#2026-11-2{number}T12Z", ttl_timestamp=NOW)))
        with feed.batch(wait=20) as changes:
            assert changes
        feed.close()
    return list(recorder.asked)


def _asked(db: Db, recorder: Recorder, component: str) -> list[Asked]:
    recorder.asked.clear()
    checkpoints = TableCheckpoints(kit, component=component)
    db.drive(checkpoints.seen(db.context, "analysis"))
    return list(recorder.asked)


def granted(component: str) -> set[tuple[str, str]]:
    return {
        (action.removeprefix("dynamodb:"), statement["Resource"])
        for statement in made()[component]["Statement"]
        for action in statement["Action"]
    }


def keys_of(component: str, action: str, resource: str = ITEMS) -> set[str] | None:
    """What a component is held to; None if nothing."""
    (statement,) = (
        each
        for each in made()[component]["Statement"]
        if each["Resource"] == resource and f"dynamodb:{action}" in each["Action"]
    )
    condition = statement.get("Condition", {})
    if not condition:
        return None
    assert condition["Null"] == {"dynamodb:LeadingKeys": "false"}
    return set(condition["ForAllValues:StringLike"]["dynamodb:LeadingKeys"])


# --- the scenario --------------------------------------------------------------------------------

#: Of following a stream: what only happens when its shards end, or when it was switched off and on.
_RARELY = {("BatchWriteItem", KIT), ("ListStreams", STREAM)}


@pytest.mark.parametrize("component", sorted(EXPECTED))
def test_scenario_18_calls_fit_policies(component: str) -> None:
    """Each component's calls fit its policy; no action unused."""
    asked = sent()[component]
    assert asked
    assert [each for each in asked if not allowed(made()[component], each)] == []
    used = {(each.action, _stream(each.resource)) for each in asked}
    rarely = _RARELY if component in find_access("sentiment").feeds else set()
    assert granted(component) - used <= rarely


def _stream(resource: str) -> str:
    return STREAM if "/stream/" in resource else resource


@pytest.mark.parametrize("component", sorted(EXPECTED))
def test_actions_are_those_of_the_design(component: str) -> None:
    found: dict[str, set[str]] = {}
    for action, resource in granted(component):
        if resource != KIT:
            found.setdefault(resource, set()).add(action)
    assert found == EXPECTED[component]


def test_every_component_is_in_the_design() -> None:
    own = {each.component for each in find_deployed("sentiment").model.patterns.values()}
    kits = {"api-keys", "audit", "events", "idempotency", "leases", "limits", "outbox", "sessions"}
    assert {each for each in own if each} - kits <= set(EXPECTED)


# --- keys ----------------------------------------------------------------------------------------


def test_ingest_is_held_to_what_it_brings_in() -> None:
    assert keys_of("ingest", "BatchGetItem") == {"dedup#*"}
    assert keys_of("ingest", "PutItem") == ARTICLES | {"dedup#*", "run#*"}
    assert keys_of("ingest", "Query") == {"config#source", "config#watch"}
    reads = keys_of("ingest", "GetItem")
    assert reads is not None
    assert reads >= ARTICLES | {"dedup#*"}
    assert all(each.startswith(("config#", "dedup#")) for each in reads - ARTICLES)


def test_analysis_reads_articles_and_settings() -> None:
    assert keys_of("analysis", "UpdateItem") == ARTICLES | {"agg#*"}
    reads = keys_of("analysis", "GetItem")
    assert reads is not None
    assert reads - ARTICLES <= {"config#settings", "config#model"}


def test_editors_replace_and_delete_configuration_only() -> None:
    for action in ("PutItem", "DeleteItem"):
        keys = keys_of("editor", action)
        assert keys is not None
        assert all(each.startswith("config#") for each in keys), action
    assert "alert#log" in (keys_of("editor", "UpdateItem") or ())


def test_alerts_read_counts_and_leave_messages() -> None:
    reads = keys_of("alerts", "Query") or set()
    assert {"agg#*", "config#alert"} <= reads
    assert reads <= {"agg#*", "config#alert", "config#source", "alert#log", "quota#*"}
    assert (keys_of("alerts", "PutItem") or set()) <= {"alert#log", "config#alert"}
    assert keys_of("alerts", "PutItem", KIT) == {"LEASE#*", "OUTBOX#*"}
    assert not allowed(made()["alerts"], _on("DeleteItem", "OUTBOX#x", KIT))


def test_who_queues_again_can_change_articles_and_nothing_else() -> None:
    assert keys_of("requeue", "UpdateItem") == ARTICLES
    assert keys_of("requeue", "GetItem", KIT) == {"FEED#*", "LEASE#*"}


@pytest.mark.parametrize(
    ("component", "asked"),
    [
        ("ingest", ("DeleteItem", "file#1")),
        ("ingest", ("Query", "file#1")),
        ("ingest", ("PutItem", "config#settings")),
        ("ingest", ("PutItem", "agg#all#00")),
        ("analysis", ("PutItem", "file#1")),
        ("analysis", ("DeleteItem", "file#1")),
        ("analysis", ("UpdateItem", "config#settings")),
        ("dashboard", ("UpdateItem", "file#1")),
        ("dashboard", ("PutItem", "config#watch")),
        ("dashboard", ("Query", "dedup#0")),
        ("dashboard", ("Scan", "file#1")),
        ("editor", ("DeleteItem", "file#1")),
        ("editor", ("PutItem", "file#1")),
        ("metrics", ("GetItem", "file#1")),
        ("alerts", ("UpdateItem", "file#1")),
        ("alerts", ("Query", "file#1")),
        ("requeue", ("UpdateItem", "agg#all#00")),
        ("live", ("GetItem", "file#1")),
    ],
)
def test_what_is_not_theirs_is_refused(component: str, asked: tuple[str, str]) -> None:
    assert not allowed(made()[component], _on(*asked))


@pytest.mark.parametrize("component", ["ingest", "analysis", "editor", "alerts", "requeue"])
def test_indexes_are_for_readers(component: str) -> None:
    for index in INDEXES.values():
        for key in ("pending", "negative", "ai"):
            assert not allowed(made()[component], _on("Query", key, index))


def _on(action: str, key: str, resource: str = ITEMS) -> Asked:
    return Asked(action, resource, {"dynamodb:LeadingKeys": (key,)})


def test_only_two_follow_the_table() -> None:
    """A shard of a stream allows two readers."""
    followers: Iterable[str] = (name for name in made() if ("GetRecords", STREAM) in granted(name))
    assert sorted(followers) == ["analysis", "live"]
