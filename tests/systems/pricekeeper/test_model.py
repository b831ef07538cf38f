"""The model of pricekeeper: keys, what each pattern gives, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import Get, definition, put, shard_of
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
from tablewright.systems.pricekeeper import reads, recording, writes
from tablewright.systems.pricekeeper.config import (
    Label,
    Org,
    OrgIndex,
    Price,
    RevokedToken,
)
from tablewright.systems.pricekeeper.demo import demo
from tablewright.systems.pricekeeper.model import model
from tablewright.systems.pricekeeper.samples import (
    BATCH,
    FLUSH,
    NEW_ORG,
    NOW,
    ORG,
    PRICED_FROM,
    RECORDS,
    SHARDS,
    TODAY,
    TUESDAY,
    WEB,
    WEEK,
    application,
    correction_of,
    counter_of,
    credential_of,
    dirty_of,
    gates_of,
    label_named,
    organisation,
    pending_price,
    price_of,
    promise,
    record,
    retrieval_of,
    total_of,
)
from tablewright.systems.pricekeeper.shapes import (
    ALL,
    TotalKey,
    UsageKey,
    bucket_of,
    scope_of,
    slot_of,
)
from tablewright.systems.pricekeeper.spend import (
    AMOUNTS,
    LEDGER_BYTES,
    LEDGER_TEXT,
    AlertSent,
    Exhausted,
    Gate,
    Ledger,
    RecentAlert,
    Reservation,
    StreamCheckpoint,
    Total,
    UsageCounter,
)
from tablewright.values import item_size

#: The access patterns of the specification, and what is declared for each.
SPECIFIED = {
    "C1": {"org", "save_org"},
    "C2": {"app", "save_app"},
    "C3": {"apps"},
    "1": {
        "exhausted",
        "selection_state",
        "tight_selection_state",
        "checked_usage",
        "dirty_counts_of_app",
        "exhaust",
        "replace_exhausted",
        "restore_labels",
    },
    "2": {"flush", "record_for_stream", "fold", "stream_checkpoint", "correct"},
    "3": {
        "dirty_counts",
        "dirty_counts_of_day",
        "days_of_total",
        "stored_totals",
        "usage_shard",
        "usage_shards",
        "mark_dirty",
        "mark_dirty_anew",
        "publish_total",
        "finish_total",
    },
    "4": {"total_of_period", "totals_of_period"},
    "5": {"revoked_token", "revocations", "revoke_token", "use_refresh_token", "end_tokens"},
    "6": {
        "credential",
        "credentials",
        "create_org",
        "create_app",
        "rotate",
        "upgrade_secret_hash",
    },
    "7": {"secret_retrieval", "redeem_secret"},
    "8": {
        "price_at",
        "prices_of_model",
        "pending_price",
        "pending_prices",
        "set_price",
        "save_price",
        "hold_price",
        "approve_price",
        "reject_price",
        "withdraw_price",
    },
    "9": {"history"},
    "10": {"ledger_row"},
    "11": {"ledger_bucket", "repair_count"},
    "12": {
        "ended_reservations",
        "open_reservations",
        "reservation",
        "gate",
        "gates",
        "reserve",
        "release",
        "sweep_reservation",
    },
    "13": {
        "orgs",
        "label",
        "labels",
        "save_label",
        "alerts",
        "recent_alerts",
        "remember_alert",
        "list_alert",
    },
}
#: Those that the specification marks as strongly consistent.
STRONG = {
    "org",
    "app",
    "apps",
    "tight_selection_state",
    "checked_usage",
    "dirty_counts",
    "dirty_counts_of_app",
    "dirty_counts_of_day",
    "days_of_total",
    "stored_totals",
    "usage_shards",
    "revocations",
    "ledger_row",
}
ORG_SCOPE = f"ORG#{ORG}"
WEB_SCOPE, BATCH_SCOPE = f"ORG#{ORG}#APP#web", f"ORG#{ORG}#APP#batch"
DAY = timedelta(days=1)


@pytest.fixture
def db(tablewright_db: Db, tablewright_clock: ManualClock) -> Db:
    """A database that holds the demo's items, at the demo's time."""
    tablewright_clock.set(NOW.timestamp())
    tablewright_db.create_tables(model)
    for item in demo().items:
        tablewright_db.run(put(item))
    return tablewright_db


# --- declarations --------------------------------------------------------------------------------


def test_every_access_pattern_of_the_specification_is_declared() -> None:
    told: dict[str, set[str]] = {}
    for pattern in model.patterns.values():
        found = re.search(r"\[(\w+)\]", pattern.doc)
        assert found, f"{pattern.name} does not say what it is for"
        told.setdefault(found[1], set()).add(pattern.name)
    assert told == SPECIFIED


def test_every_pattern_says_who_uses_it_and_how_often() -> None:
    for pattern in model.patterns.values():
        assert pattern.component, pattern.name
        assert pattern.rate, pattern.name


def test_nothing_scans_and_nothing_needs_an_index() -> None:
    assert not [each.name for each in model.patterns.values() if each.kind == "scan"]
    assert not [table.name for table in model.tables.values() if table.indexes]
    for op in demo().calls.values():
        for operation, body in requests_of(op):
            assert operation != "Scan"
            assert "IndexName" not in body


@pytest.mark.parametrize("name", sorted(STRONG))
def test_strong_reads(name: str) -> None:
    for _, body in requests_of(demo().calls[name]):
        asked = body.get("RequestItems", {"": body})
        assert all(each["ConsistentRead"] is True for each in asked.values())


def test_tables() -> None:
    shown = {
        table.name: (
            table.ttl,
            bool(table.pitr),
            table.stream,
            tuple(each["AttributeName"] for each in create_request(table)["KeySchema"]),
        )
        for table in model.tables.values()
    }
    ends, both = "expires_at_epoch", ("PK", "SK")
    assert shown == {
        "Config": (None, True, None, both),
        "StickyState": (ends, False, None, both),
        "UsageAggSharded": (ends, False, None, both),
        "DailyTotal": (ends, False, None, both),
        "PricingCache": (None, False, None, both),
        "RevokedTokens": (ends, False, None, ("PK",)),
        "SecretRetrievalTokens": (ends, False, None, ("PK",)),
        "RequestDedup": (ends, True, "NEW_IMAGE", both),
    }
    for entity in model.entities.values():
        assert (entity.ttl is None) == (entity.table.ttl is None), entity.name


def test_keys_are_those_of_the_specification() -> None:
    request = "01a1f8c2-7b00-7000-8000-00000000002a"
    row = RECORDS[0].model_copy(update={"request_id": request, "bucket": "9f"})
    dirty = dirty_of(RECORDS[0]).model_copy(update={"slot": 3})
    reserved = promise(1, datetime(2026, 11, 20, 12, 2, tzinfo=UTC)).model_copy(
        update={"slot": 3, "reservation_uuid": request}
    )
    sticky = {"scope": WEB_SCOPE, "expires_at_epoch": NOW}
    closed = Exhausted(
        **sticky, day=TODAY, config_version=1, reason="QUOTA_EXCEEDED", activated_at_epoch=NOW
    )
    told = {"sent_at_epoch": NOW, "spend": 1, "quota": 1}
    revoked = {
        "token_type": "access",
        "client_id": f"org-{ORG}",
        "revoked_at_epoch": NOW,
        "original_expiry_epoch": NOW,
    }
    model_id = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    expected: list[tuple[Any, tuple[str, ...]]] = [
        (organisation(), (ORG_SCOPE, "META")),
        (application(WEB), (ORG_SCOPE, "APP#web")),
        (credential_of(ORG), (ORG_SCOPE, "CRED")),
        (credential_of(ORG, WEB), (ORG_SCOPE, "CRED#APP#web")),
        (label_named("premium"), ("GLOBAL#LABEL", "LABEL#premium")),
        (
            OrgIndex(org_id=ORG, org_name="x", status="ACTIVE"),
            ("GLOBAL#ORG", f"ORG#{ORG}"),
        ),
        (
            pending_price("economy"),
            ("GLOBAL#PRICE", "PENDING#amazon.nova-lite-v1:0#region#standard"),
        ),
        (closed, (WEB_SCOPE, "DAY#20261120")),
        (closed.model_copy(update={"scope": ORG_SCOPE}), (ORG_SCOPE, "DAY#20261120")),
        (Gate(**sticky, day=TODAY, label="premium"), (WEB_SCOPE, "DAY#20261120#GATE#premium")),
        (Gate(**sticky, day=TODAY, label=ALL), (WEB_SCOPE, "DAY#20261120#GATE#_all")),
        (
            AlertSent(**sticky, **told, period="MONTH#202611", label=ALL, pct=95),
            (WEB_SCOPE, "MONTH#202611#ALERT#_all#095"),
        ),
        (
            RecentAlert(**sticky, **told, sent_on=TODAY, period="MONTH#202611", label=ALL, pct=95),
            (
                "ALERTS#20261120",
                f"{int(told['sent_at_epoch'].timestamp())}#{WEB_SCOPE}#MONTH#202611#ALERT#_all#095",
            ),
        ),
        (
            counter_of(RECORDS[:1]).model_copy(update={"shard": 5}),
            (f"{WEB_SCOPE}#LABEL#premium#SH#05", "DAY#20261120"),
        ),
        (
            total_of(WEB_SCOPE, "premium", "DAY#20261120"),
            (f"{WEB_SCOPE}#LABEL#premium", "DAY#20261120"),
        ),
        (
            total_of(ORG_SCOPE, ALL, "WEEK#2026-W47"),
            (f"{ORG_SCOPE}#LABEL#_all", "WEEK#2026-W47"),
        ),
        (
            total_of(ORG_SCOPE, ALL, "MONTH#202611"),
            (f"{ORG_SCOPE}#LABEL#_all", "MONTH#202611"),
        ),
        (dirty, ("DIRTY#03", f"ORG#{ORG}#DAY#20261120#APP#web#LABEL#premium")),
        (
            StreamCheckpoint(shard_id="shardId-1", sequence="1", expires_at_epoch=NOW),
            ("STREAM#shardId-1", "CKPT"),
        ),
        (
            price_of("premium", datetime(2026, 11, 1, tzinfo=UTC)),
            (model_id, "region#standard#2026-11-01T00:00:00Z"),
        ),
        (RevokedToken(**revoked, token="ab" * 16), ("ab" * 16,)),
        (RevokedToken(**revoked, token="FAM#" + "cd" * 16), ("FAM#" + "cd" * 16,)),
        # The SHA-256 of "first".
        (
            retrieval_of("first", ORG),
            ("a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e",),
        ),
        (row, (f"ORG#{ORG}#APP#web#B#9f", f"REQ#{request}")),
        (reserved, ("RSV#03", f"1795176120#{ORG}#web#premium#{request}")),
    ]
    for entity, key in expected:
        found = definition(entity).key_of(entity)
        assert tuple(each["S"] for each in found.values()) == key
    assert {type(entity).__name__ for entity, _ in expected} == set(model.entities)


def test_an_item_belongs_to_the_entity_whose_key_it_has() -> None:
    for item in demo().items:
        known = definition(item)
        stored = known.encode(item)
        owners = [each.name for each in known.table.entities.values() if each.owns(stored)]
        assert owners == [known.name]


@pytest.mark.parametrize("forged", ["a#LABEL#b", "A", "", "-a", "x" * 64, ALL])
def test_names_cannot_forge_keys(forged: str) -> None:
    with pytest.raises(ValidationError):
        application(WEB).model_validate({**application(WEB).model_dump(), "app_id": forged})
    with pytest.raises((KeyValueError, TypeError)):
        reads.app(ORG, forged)
    with pytest.raises(ValidationError):
        Label.model_validate({**label_named("premium").model_dump(), "label": forged})


@pytest.mark.parametrize(
    "wrong",
    [
        {"org_name": ""},
        {"org_name": "x" * 101},
        {"model_ordering": []},
        {"model_ordering": ["premium"] * 21},
        {"quotas": {"premium": -1}},
        {"quotas": {"premium": 10**15 + 1}},
        {"quotas": {"Premium!": 1}},
        {"agg_shard_count": 65},
        {"tight_mode_threshold_pct": 49},
        {"late_window_hours": 23},
        {"late_window_hours": 721, "ledger_retention_days": 60},
        {"late_window_hours": 720, "ledger_retention_days": 30},
        {"quota_scope": "TEAM"},
        {"status": "GONE"},
    ],
)
def test_limits_of_an_organisation(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Org.model_validate({**organisation().model_dump(), **wrong})


def test_defaults_of_an_organisation() -> None:
    given = {"org_id", "org_name", "timezone", "model_ordering"}
    times = {"created_at_epoch", "updated_at_epoch"}
    made = Org(**organisation().model_dump(include=given | times))
    assert made.model_dump(exclude=given | times) == {
        "zone_history": [],
        "quota_scope": "ORG",
        "quotas": {},
        "quotas_week": {},
        "quotas_month": {},
        "sticky_fallback_enabled": True,
        "agg_shard_count": 8,
        "tight_mode_threshold_pct": 95,
        "refresh_interval_normal_secs": 300,
        "refresh_interval_tight_secs": 60,
        "write_mode": "exact",
        "reservations": "off",
        "reservations_from_epoch": None,
        "alert_pcts": (50, 80, 95, 100),
        "fail_mode": "closed",
        "unpriced": "count",
        "late_window_hours": 48,
        "ledger_retention_days": 35,
        "retention_raised_epoch": None,
        "status": "ACTIVE",
        "version": 0,
    }


def test_the_largest_row_of_the_ledger_is_one_unit() -> None:
    row = RECORDS[0].model_dump()
    app_id, label = "a" * 63, "l" * 63
    price = row["price_id"]
    room = LEDGER_TEXT - 2 * len(app_id) - len(label) - len(price)
    most = {
        **row,
        "app_id": app_id,
        "label": label,
        "kind": "CORRECTION",
        "status": "ERROR",
        "cost_source": "UNPRICED",
        "corrects": row["request_id"],
        **{name: -(10**12) + 1 for name in row if name.endswith("tokens")},
        "cost_usd_picos": -(10**24) + 1,
        "net_cost_picos": 10**24 - 1,
    }
    largest = Ledger.model_validate(
        {**most, "bedrock_model_id": "m" * (room - 9), "reason": "r" * 9}
    )
    assert 900 < item_size(definition(largest).encode(largest)) <= LEDGER_BYTES
    with pytest.raises(ValidationError, match="too large"):
        Ledger.model_validate({**most, "bedrock_model_id": "m" * room, "reason": "é"})


def test_counters_of_all_writers_are_one_unit_each() -> None:
    """With the default number of shards, and the longest names there can be."""
    shards: dict[int, dict[str, int]] = {}
    for name in (f"w_{slot:02d}" for slot in range(64)):
        shards.setdefault(shard_of(name, SHARDS), {})[name] = 10**9 + 7
    amounts = dict.fromkeys(AMOUNTS, 10**14 + 1)
    names = {"app_id": "a" * 63, "label": "l" * 63}
    for flushes in shards.values():
        full = counter_of(RECORDS[:1]).model_copy(update={**flushes, **amounts, **names})
        assert item_size(definition(full).encode(full)) <= 1024


def test_signs_of_the_ledger() -> None:
    row = RECORDS[0].model_dump()
    with pytest.raises(ValidationError, match="negative"):
        Ledger.model_validate({**row, "output_tokens": -1})
    with pytest.raises(ValidationError, match="corrects"):
        Ledger.model_validate({**row, "kind": "CORRECTION"})
    correction = correction_of(RECORDS[0], 1)
    assert (correction.output_tokens, correction.net_output_tokens) == (-400, None)
    assert RECORDS[0].net_output_tokens == RECORDS[0].output_tokens == 800


def test_demo_is_what_it_says() -> None:
    """Costs are tokens times prices, counters are the ledger, totals are the counters."""
    items = demo().items
    ledger = [each for each in items if isinstance(each, Ledger)]
    for row in ledger:
        price = next(
            p
            for p in items
            if isinstance(p, Price)
            and p.bedrock_model_id == row.bedrock_model_id
            and row.price_id == f"region#standard#{p.effective_from:%Y-%m-%dT%H:%M:%SZ}"
        )
        assert price.effective_from <= row.event_at_epoch
        assert row.cost_usd_picos == (
            row.input_tokens * price.input_price_usd_micros_per_1m
            + row.output_tokens * price.output_price_usd_micros_per_1m
            + row.cache_read_tokens * price.cache_read_price_usd_micros_per_1m
        )
    spent = sum(row.cost_usd_picos for row in ledger)
    assert sum(c.cost_usd_picos for c in items if isinstance(c, UsageCounter)) == spent
    totals = {(t.scope, t.label, t.period): t for t in items if isinstance(t, Total)}
    assert totals[ORG_SCOPE, ALL, WEEK].cost_usd_picos == spent
    assert totals[ORG_SCOPE, ALL, WEEK].rev == len(ledger)
    for (scope, label, period), each in totals.items():
        if label == ALL:
            parts = [
                t for key, t in totals.items() if key[::2] == (scope, period) and key[1] != ALL
            ]
            assert each.cost_usd_picos == sum(t.cost_usd_picos for t in parts)
            assert each.labels == {t.label for t in parts}
        assert each.cost_usd_micros == (each.cost_usd_picos + 500_000) // 10**6


# --- every pattern by its sample call ------------------------------------------------------------

Check = Callable[[Db, Any], object]


def _counter(db: Db, app_id: str, label: str, day: str) -> UsageCounter:
    shards = db.run(reads.usage_shards(UsageKey(ORG, app_id, label, day, SHARDS)))
    (found,) = [each for each in shards if each is not None]
    return found


def _gate(db: Db, scope: str) -> int:
    key = {"PK": {"S": scope}, "SK": {"S": f"DAY#{TODAY}#GATE#premium"}}
    found = db.run(Get(definition(Gate), key, True))
    assert found is not None
    return found.granted_picos


def _labels(page: Any) -> list[str]:
    return [each.label for each in page]


WEB_SPENT = 15_600_000_000 + 6_300_000_000
IN_ALL = WEB_SPENT + 15_600_000_000
#: Two cents, twice.
PROMISED = 40_000_000_000

CHECKS: dict[str, Check] = {
    "org": lambda db, r: (r.org_name, r.version, r.quotas["economy"]) == ("sample_corp", 1, None),
    "app": lambda db, r: (r.app_id, r.quotas) == ("web", {"premium": 4_000_000}),
    "apps": lambda db, r: [each.app_id for each in r] == ["batch", "web"],
    "orgs": lambda db, r: [(each.org_id, each.status) for each in r] == [(ORG, "ACTIVE")],
    "label": lambda db, r: r == label_named("premium"),
    "labels": lambda db, r: _labels(r) == ["economy", "premium", "standard"],
    "credential": lambda db, r: r == credential_of(ORG),
    "credentials": lambda db, r: r == (credential_of(ORG), credential_of(ORG, WEB), None),
    "revoked_token": lambda db, r: r.token == "0f" * 16,
    "revocations": lambda db, r: [each and each.token for each in r] == ["0f" * 16, None],
    "secret_retrieval": lambda db, r: (r.used, len(r.ciphertext)) == (False, 48),
    "price_at": lambda db, r: r.input_price_usd_micros_per_1m == 3_000_000,
    "prices_of_model": lambda db, r: (
        [each.input_price_usd_micros_per_1m for each in r] == [3_600_000, 3_000_000]
    ),
    "pending_price": lambda db, r: r == pending_price("premium"),
    "pending_prices": lambda db, r: [each.change_pct for each in r] == [100, 100],
    "exhausted": lambda db, r: r.exhausted_labels == {"premium"},
    "total_of_period": lambda db, r: (r.labels, r.requests) == ({"premium", "standard"}, 3),
    "totals_of_period": lambda db, r: [each.requests for each in r] == [2, 1],
    "selection_state": lambda db, r: (
        [type(each) for each in r[:2]] == [Exhausted, type(None)]
        and [each and each.requests for each in r[2:]] == [3, 1, None, 4, 2, 1, None, 3]
    ),
    "tight_selection_state": lambda db, r: (
        [each and each.requests for each in r[2:]] == [3, 1, None, 4, 2, 1, None, 3]
    ),
    "checked_usage": lambda db, r: (
        len(r) == 2 * SHARDS and sum(each.requests for each in r if each) == 3
    ),
    "history": lambda db, r: (
        [(each.period, each.requests) for each in r] == [(f"DAY#{TUESDAY}", 1), (f"DAY#{TODAY}", 2)]
    ),
    "alerts": lambda db, r: [each.pct for each in r] == [50, 80],
    "recent_alerts": lambda db, r: [each.pct for each in r] == [80, 50],
    "dirty_counts": lambda db, r: (
        [(each.app_id, each.label) for each in r]
        == [("batch", "premium"), ("web", "premium"), ("web", "standard")]
    ),
    "dirty_counts_of_day": lambda db, r: {each.day for each in r} == {TODAY} and len(r) == 3,
    "dirty_counts_of_app": lambda db, r: _labels(r) == ["premium", "standard"],
    "days_of_total": lambda db, r: (
        [(each.period, each.requests) for each in r] == [(f"DAY#{TUESDAY}", 1), (f"DAY#{TODAY}", 3)]
    ),
    "stored_totals": lambda db, r: [each.requests for each in r] == [3, 1],
    "usage_shard": lambda db, r: (r.requests, r.w_07, r.w_08) == (2, FLUSH, None),
    "usage_shards": lambda db, r: len(r) == SHARDS and sum(each.rev for each in r if each) == 2,
    "ended_reservations": lambda db, r: [each.expires_epoch < NOW for each in r] == [True],
    "open_reservations": lambda db, r: [each.expires_epoch >= NOW for each in r] == [True],
    "gate": lambda db, r: 0 < r.spent_picos < r.granted_picos,
    "gates": lambda db, r: [each is not None for each in r] == [True, False],
    "reservation": lambda db, r: r == promise(1, NOW + timedelta(seconds=90)),
    "stream_checkpoint": lambda db, r: r.sequence == "100000000000000000001",
    "ledger_row": lambda db, r: r == RECORDS[0],
    "ledger_bucket": lambda db, r: list(r) == [RECORDS[0]],
    "create_org": lambda db, r: (
        db.require(reads.org(NEW_ORG)).version == 1
        and len(db.run(reads.orgs())) == 2
        and db.run(reads.credential(NEW_ORG, "CRED")) == r[2]
        and db.run(reads.secret_retrieval(r[3].token_hash)) == r[3]
    ),
    "save_org": lambda db, r: (
        r[0].version == 2
        and "Sample Corporation" in [each.org_name for each in db.run(reads.orgs())]
    ),
    "create_app": lambda db, r: (
        [each.app_id for each in db.run(reads.apps(ORG))] == ["batch", "mobile", "web"]
        and db.require(reads.credential(ORG, "CRED#APP#mobile")) == r[2]
    ),
    "save_app": lambda db, r: db.require(reads.app(ORG, BATCH)).quotas == {"premium": 6_000},
    "save_label": lambda db, r: db.run(reads.label("economy")) == r,
    "set_price": lambda db, r: db.run(reads.prices_of_model(r.bedrock_model_id))[-1] == r,
    "save_price": lambda db, r: db.run(reads.prices_of_model(r.bedrock_model_id))[-1] == r,
    "hold_price": lambda db, r: (
        r.bedrock_model_id in [each.bedrock_model_id for each in db.run(reads.pending_prices())]
    ),
    "approve_price": lambda db, r: (
        db.run(reads.pending_price(r[1].bedrock_model_id, "region", "standard")) is None
        and db.run(reads.prices_of_model(r[1].bedrock_model_id))[-1] == r[1]
    ),
    "reject_price": lambda db, r: (
        [each.state for each in db.run(reads.pending_prices())] == ["WAITING", "REJECTED"]
    ),
    "withdraw_price": lambda db, r: (
        r.state == "REJECTED" and r not in db.run(reads.pending_prices())
    ),
    "rotate": lambda db, r: (
        (found := db.require(reads.credential(ORG, "CRED#APP#web"))).cred_version == 2
        and found.previous_secret_hash == credential_of(ORG, WEB).client_secret_hash
        and found.client_secret_hash == "h1$k1$" + "4e" * 32
        and found.client_secret_rotation_grace_expires_at_epoch == NOW + DAY
        and found.tokens_valid_after_epoch is None
    ),
    "upgrade_secret_hash": lambda db, r: (
        (r.client_secret_hash, r.cred_version) == ("h1$k1$" + "5f" * 32, 1)
    ),
    "end_tokens": lambda db, r: (
        (r.tokens_valid_after_epoch, r.cred_version, r.holder) == (NOW, 1, f"CRED#APP#{BATCH}")
    ),
    "redeem_secret": lambda db, r: (
        (r.used, len(r.ciphertext)) == (False, 48)
        and (left := db.require(reads.secret_retrieval(r.token_hash)))
        and (left.used, left.used_at_epoch, left.ciphertext) == (True, NOW, None)
    ),
    "revoke_token": lambda db, r: (
        [each is not None for each in db.run(reads.revocations("00" * 16, "a7" * 16))]
        == [False, True]
    ),
    "use_refresh_token": lambda db, r: db.run(reads.revoked_token("1e" * 16)) == r,
    "mark_dirty": lambda db, r: (
        (r.shard_count, r.dirty_until_epoch) == (SHARDS, NOW + timedelta(seconds=180))
        and len(db.run(reads.dirty_counts(r.slot))) == 4
    ),
    "mark_dirty_anew": lambda db, r: (r.day, r.shard_count) == (TUESDAY, SHARDS),
    "repair_count": lambda db, r: _counter(db, WEB, "standard", TODAY).rev == 2,
    "flush": lambda db, r: (
        all(db.run(reads.ledger_row(ORG, WEB, row.bucket, row.request_id)) == row for row in r[:2])
        and (found := _counter(db, WEB, "premium", TODAY)).requests == 4
        and (found.rev, found.w_07) == (4, FLUSH + 1)
        and found.cost_usd_picos == WEB_SPENT + r[0].cost_usd_picos + r[1].cost_usd_picos
        and db.run(demo().calls["reservation"]) is None
        and _gate(db, WEB_SCOPE) == found.cost_usd_picos + PROMISED // 2
        and _gate(db, ORG_SCOPE) == found.cost_usd_picos + 15_600_000_000 + PROMISED // 2
    ),
    "record_for_stream": lambda db, r: (
        r.mode == "S" and db.run(reads.ledger_row(ORG, BATCH, r.bucket, r.request_id)) == r
    ),
    "fold": lambda db, r: (
        db.require(reads.stream_checkpoint(r[0].shard_id)).sequence == "100000000000000000002"
        and _counter(db, BATCH, "standard", TODAY).requests == 1
    ),
    "correct": lambda db, r: (
        (found := db.require(reads.ledger_row(ORG, WEB, RECORDS[4].bucket, RECORDS[4].request_id)))
        and (found.output_tokens, found.net_output_tokens) == (1_000, 500)
        and found.net_cost_picos == found.cost_usd_picos - 500 * 15_000_000
        and (counted := _counter(db, WEB, "premium", TUESDAY)).cost_usd_picos
        == found.net_cost_picos
        and (counted.rev, counted.requests) == (2, 1)
        and not db.require(reads.total_of_period(WEB_SCOPE, "premium", f"DAY#{TUESDAY}")).final
        and not db.require(reads.total_of_period(ORG_SCOPE, ALL, f"DAY#{TUESDAY}")).final
        and len(db.run(reads.dirty_counts_of_day(slot_of(ORG), ORG, TUESDAY))) == 1
    ),
    "publish_total": lambda db, r: (
        db.require(reads.total_of_period(ORG_SCOPE, "premium", f"DAY#{TODAY}")).fence == 4
    ),
    "finish_total": lambda db, r: r.final and r.period == f"DAY#{TUESDAY}",
    "exhaust": lambda db, r: r.exhausted_labels == {"premium", "standard"},
    "restore_labels": lambda db, r: (
        (r.exhausted_labels, r.reason) == ({"premium"}, "MANUAL_OVERRIDE")
    ),
    "replace_exhausted": lambda db, r: (
        db.require(reads.exhausted(BATCH_SCOPE, TODAY)).exhausted_labels == {"standard"}
    ),
    "remember_alert": lambda db, r: (
        [each.pct for each in db.run(reads.alerts(BATCH_SCOPE, f"DAY#{TODAY}"))] == [50, 80, 95]
    ),
    "list_alert": lambda db, r: (
        [each.pct for each in db.run(reads.recent_alerts(TODAY))] == [95, 80, 50]
    ),
    "reserve": lambda db, r: (
        db.run(reads.reservation(*_reservation_key(r[0]))) == r[0]
        and _gate(db, WEB_SCOPE) - _spent_by_web(db) == PROMISED
    ),
    "release": lambda db, r: (
        db.run(reads.reservation(*_reservation_key(promise(3, NOW + timedelta(seconds=120)))))
        is None
        and _gate(db, WEB_SCOPE) - _spent_by_web(db) == PROMISED // 2
    ),
    "sweep_reservation": lambda db, r: (
        list(db.run(reads.ended_reservations(slot_of(ORG), now=NOW))) == []
        and _gate(db, WEB_SCOPE) == _spent_by_web(db)
    ),
}


def _reservation_key(each: Reservation) -> tuple[Any, ...]:
    return (
        each.slot,
        each.expires_epoch,
        each.org_id,
        each.app_id,
        each.label,
        each.reservation_uuid,
    )


def _spent_by_web(db: Db) -> int:
    return _counter(db, WEB, "premium", TODAY).cost_usd_picos


def test_there_is_a_sample_call_and_a_check_of_every_pattern() -> None:
    assert set(demo().calls) == set(model.patterns) == set(CHECKS)


@pytest.mark.parametrize("name", list(demo().calls))
def test_sample_call(db: Db, name: str) -> None:
    for earlier, op in demo().calls.items():
        result = db.run(op)
        if earlier == name:
            break
    assert CHECKS[name](db, result)


# --- what is refused -----------------------------------------------------------------------------


def _refused(db: Db, op: Any) -> list[tuple[int, type]]:
    with pytest.raises(TransactionCancelled) as caught:
        db.run(op)
    return [(each.position, type(each.error)) for each in caught.value.failures]


def test_a_record_is_counted_once(db: Db) -> None:
    fresh = record(30, WEB, "premium", (1, 1, 0), TODAY)
    again = RECORDS[0].model_copy(update={"flush_id": fresh.flush_id})
    with pytest.raises(TransactionCancelled) as caught:
        db.run(recording.flush([fresh, again], [counter_of([fresh, again])]))
    (failure,) = caught.value.failures
    assert (failure.position, type(failure.error)) == (1, AlreadyExists)
    # What is stored comes back: its hash and its flush decide what to tell the caller.
    assert failure.error.item == RECORDS[0]
    assert _counter(db, WEB, "premium", TODAY).rev == 2
    with pytest.raises(AlreadyExists):
        db.run(recording.record_for_stream(again))


def test_a_flush_of_a_hundred_writes_costs_what_the_specification_says(db: Db) -> None:
    rows = [record(number, WEB, "premium", (10, 10, 0), TODAY) for number in range(100, 199)]
    ((_, body),) = requests_of(recording.flush(rows, [counter_of(rows)]))
    assert len(body["TransactItems"]) == 100
    sizes = [definition(row).encode(row) for row in rows]
    assert max(map(item_size, sizes)) <= 1024
    db.run(recording.flush(rows, [counter_of(rows)]))
    assert _counter(db, WEB, "premium", TODAY).requests == 2 + 99


def test_a_counter_is_written_by_one_list_of_additions() -> None:
    ((_, body),) = requests_of(recording.flush([], [counter_of(RECORDS[:2])]))
    (action,) = body["TransactItems"]
    text = action["Update"]["UpdateExpression"]
    assert (text.count("ADD "), text.count("SET ")) == (1, 1)


def test_a_promise_that_is_gone_is_not_given_back_twice(db: Db) -> None:
    ended = promise(2, NOW - timedelta(seconds=5))
    back = gates_of(-ended.reserved_picos)
    db.run(recording.sweep_reservation(ended, back))
    before = _gate(db, ORG_SCOPE)
    assert _refused(db, recording.sweep_reservation(ended, back)) == [(0, NotFound)]
    assert _refused(db, recording.flush([], [], [ended], back)) == [(0, NotFound)]
    assert _gate(db, ORG_SCOPE) == before


def test_gates_keep_the_limit(db: Db) -> None:
    new = promise(9, NOW + timedelta(seconds=120))
    assert (_gate(db, ORG_SCOPE), _gate(db, WEB_SCOPE)) == (IN_ALL + PROMISED, WEB_SPENT + PROMISED)
    claims = gates_of(new.reserved_picos)
    full = [(claims[0], IN_ALL + PROMISED), (claims[1], WEB_SPENT + PROMISED - 1)]
    assert _refused(db, recording.reserve(new, full)) == [(2, ConditionFailed)]
    assert _gate(db, ORG_SCOPE) == IN_ALL + PROMISED
    db.run(recording.reserve(new, [(claims[0], IN_ALL + PROMISED), (claims[1], 10**13)]))
    assert _gate(db, ORG_SCOPE) == IN_ALL + PROMISED + new.reserved_picos


def test_a_gate_that_is_not_there_has_room(db: Db) -> None:
    gate = gates_of(5)[0].model_copy(update={"label": "standard"})
    db.run(recording.reserve(promise(9, NOW + timedelta(seconds=120)), [(gate, 0)]))
    request = requests_of(recording.reserve(promise(9, NOW), [(gate, 0)]))[0][1]
    condition = request["TransactItems"][1]["Update"]["ConditionExpression"]
    assert "attribute_not_exists" in condition
    # DynamoDB's conditions do not reckon.
    assert not re.search(r"[+*-]", condition)


def test_a_correction_takes_no_more_than_there_is(db: Db) -> None:
    def late() -> Ledger:
        return db.require(reads.ledger_row(ORG, WEB, RECORDS[4].bucket, RECORDS[4].request_id))

    for number in (1, 2):
        correction = correction_of(late(), number)
        db.run(recording.correct(correction, late(), counter_of([correction]), dirty_of(late())))
    more = correction_of(late(), 3)
    op = recording.correct(more, late(), counter_of([more]), dirty_of(late()))
    assert _refused(db, op) == [(1, ConditionFailed)]
    assert _counter(db, WEB, "premium", TUESDAY).rev == 3
    assert db.run(reads.ledger_row(ORG, WEB, more.bucket, more.request_id)) is None


def test_corrections_come_one_after_the_other(db: Db) -> None:
    """Who has not seen the last one is refused, so that none is lost from the chain."""
    late = RECORDS[4]
    first, second = correction_of(late, 1), correction_of(late, 2)
    db.run(recording.correct(first, late, counter_of([first]), dirty_of(late)))
    stale = recording.correct(second, late, counter_of([second]), dirty_of(late))
    assert _refused(db, stale) == [(1, ConditionFailed)]


def test_a_flush_of_a_slot_that_was_lost_is_refused(db: Db) -> None:
    new = record(10, WEB, "premium", (500, 200, 0), TODAY)
    stale = recording.flush([new], [counter_of([new], FLUSH - 1)])
    assert _refused(db, stale) == [(1, ConditionFailed)]
    db.run(recording.flush([new], [counter_of([new], FLUSH)]))


def test_a_repair_of_counters_that_have_changed_is_refused(db: Db) -> None:
    lacking = counter_of(RECORDS[2:3], flush=0)
    revs: list[int | None] = [None] * SHARDS
    for seen, place in ((2, lacking.shard), (None, lacking.shard), (1, (lacking.shard + 1) % 8)):
        wrong = [*revs]
        wrong[lacking.shard], wrong[place] = 1, seen
        assert _refused(db, recording.repair_count(lacking, wrong, dirty_of(RECORDS[2])))


def test_a_piece_of_the_stream_is_folded_once(db: Db) -> None:
    fold = demo().calls["fold"]
    db.run(fold)
    # As another worker would try it, with a token of its own.
    assert _refused(db, recording.fold(*_fold_arguments())) == [(0, ConditionFailed)]
    assert _counter(db, BATCH, "standard", TODAY).rev == 1


def _fold_arguments() -> tuple[StreamCheckpoint, str, list[UsageCounter]]:
    row = record(12, BATCH, "standard", (300, 40, 0), TODAY)
    shard = "shardId-00000001794721234567-a1b2c3d4"
    checkpoint = StreamCheckpoint(
        shard_id=shard, sequence="100000000000000000002", expires_at_epoch=NOW + 3 * DAY
    )
    return checkpoint, "100000000000000000001", [counter_of([row])]


def test_a_total_is_not_overwritten_by_who_lost_the_lease(db: Db) -> None:
    key = TotalKey(ORG_SCOPE, "premium", f"DAY#{TODAY}")
    stored = db.require(reads.total_of_period(*key))
    for late in ({"fence": stored.fence - 1}, {"rev": stored.rev - 1}):
        with pytest.raises(ConditionFailed):
            db.run(recording.publish_total(stored.model_copy(update=late)))
    db.run(recording.publish_total(stored.model_copy(update={"rev": stored.rev + 1})))
    # A negative correction lowers the cost, and raises the number of rows.
    cheaper = {"rev": stored.rev + 2, "cost_usd_picos": 1, "fence": stored.fence + 1}
    db.run(recording.publish_total(stored.model_copy(update=cheaper)))
    with pytest.raises(ConditionFailed):
        db.run(recording.finish_total(key, stored.fence))
    new = stored.model_copy(update={"period": "DAY#20261121"})
    assert db.run(recording.publish_total(new)) == new


def test_a_day_keeps_its_number_of_shards(db: Db) -> None:
    more = dirty_of(RECORDS[0]).model_copy(update={"shard_count": 64})
    assert db.run(recording.mark_dirty(more)).shard_count == SHARDS
    tomorrow = more.model_copy(update={"day": "20261121"})
    assert db.run(recording.mark_dirty(tomorrow)).shard_count == 64


def test_an_edit_of_the_settings_opens_labels(db: Db) -> None:
    stored = db.require(reads.exhausted(BATCH_SCOPE, TODAY))
    newer = stored.model_copy(update={"config_version": 3, "exhausted_labels": {"economy"}})
    with pytest.raises(ConditionFailed):
        db.run(recording.exhaust(newer))
    db.run(recording.replace_exhausted(newer))
    with pytest.raises(ConditionFailed):
        db.run(recording.exhaust(stored))
    with pytest.raises(ConditionFailed):
        db.run(recording.replace_exhausted(stored))
    assert db.require(reads.exhausted(BATCH_SCOPE, TODAY)).exhausted_labels == {"economy"}
    first = stored.model_copy(update={"scope": WEB_SCOPE})
    assert db.run(recording.exhaust(first)) == first


def test_an_alert_is_sent_once(db: Db) -> None:
    db.run(demo().calls["remember_alert"])
    with pytest.raises(AlreadyExists):
        db.run(demo().calls["remember_alert"])


def test_a_secret_is_fetched_once_and_in_time(db: Db, tablewright_clock: ManualClock) -> None:
    token = retrieval_of("first", ORG).token_hash
    db.run(writes.redeem_secret(token, NOW))
    with pytest.raises(ConditionFailed):
        db.run(writes.redeem_secret(token, NOW))
    late = retrieval_of("late", ORG)
    db.run(put(late))
    tablewright_clock.advance(600)
    assert db.run(reads.secret_retrieval(late.token_hash)) is None
    with pytest.raises(NotFound):
        db.run(writes.redeem_secret(late.token_hash, NOW))


def test_rotation(db: Db) -> None:
    current = db.require(reads.credential(ORG, "CRED"))
    first, second = retrieval_of("r1", ORG), retrieval_of("r2", ORG)
    db.run(writes.rotate(current, "new", first, now=NOW, grace_until=None))
    found = db.require(reads.credential(ORG, "CRED"))
    assert (found.previous_secret_hash, found.tokens_valid_after_epoch) == (None, NOW)
    stale = writes.rotate(current, "newer", second, now=NOW, grace_until=NOW + DAY)
    assert _refused(db, stale) == [(0, ConditionFailed)]
    assert db.run(reads.secret_retrieval(second.token_hash)) is None
    with pytest.raises(ConditionFailed):
        db.run(writes.upgrade_secret_hash(ORG, "CRED", current.client_secret_hash, "x"))


def test_settings_are_edited_from_the_version_that_was_read(db: Db) -> None:
    org, app = db.require(reads.org(ORG)), db.require(reads.app(ORG, WEB))
    db.run(writes.save_org(org))
    assert _refused(db, writes.save_org(org)) == [(0, VersionConflict)]
    db.run(writes.save_app(app))
    with pytest.raises(VersionConflict):
        db.run(writes.save_app(app))
    # The credentials are no part of the settings: nothing has wiped them.
    assert db.run(reads.credential(ORG, "CRED")) == credential_of(ORG)


def test_apps_need_an_active_organisation(db: Db) -> None:
    org = db.require(reads.org(ORG)).model_copy(update={"status": "DISABLED"})
    db.run(writes.save_org(org))
    assert [each.status for each in db.run(reads.orgs())] == ["DISABLED"]
    op = writes.create_app(
        application("mobile", 1), credential_of(ORG, "mobile"), retrieval_of("m", ORG, "mobile")
    )
    assert _refused(db, op) == [(0, ConditionFailed)]


def test_a_refresh_token_is_good_once(db: Db, tablewright_clock: ManualClock) -> None:
    db.run(demo().calls["use_refresh_token"])
    with pytest.raises(AlreadyExists):
        db.run(demo().calls["use_refresh_token"])
    tablewright_clock.advance(20 * DAY.total_seconds())
    assert db.run(reads.revoked_token("1e" * 16)) is None


def test_a_price_in_force_never_changes(db: Db) -> None:
    price = price_of("premium", NOW + DAY)
    with pytest.raises(AlreadyExists):
        db.run(writes.set_price(price_of("premium", PRICED_FROM)))
    db.run(writes.set_price(price))
    dearer = price_of("premium", NOW + DAY, percent=110)
    later = dearer.model_copy(update={"fetched_at_epoch": NOW})
    db.run(writes.set_price(later, seen=price))
    with pytest.raises(ConditionFailed):
        db.run(writes.set_price(dearer, seen=price))


def test_a_pending_price_is_decided_as_it_was_seen(db: Db) -> None:
    seen = pending_price("premium")
    db.run(writes.hold_price(seen.model_copy(update={"fetched_at_epoch": NOW})))
    price = price_of("premium", NOW)
    assert _refused(db, writes.approve_price(seen, price)) == [(0, ConditionFailed)]
    with pytest.raises(ConditionFailed):
        db.run(writes.reject_price(seen))


def test_prices_of_another_class_or_before_the_first_are_none(db: Db) -> None:
    premium = label_named("premium").bedrock_model_id
    db.run(writes.set_price(price_of("premium", NOW).model_copy(update={"region_class": "geo"})))
    early, late = NOW - 150 * DAY, NOW + DAY
    at = reads.price_at(premium, "region", "standard", at=early)
    assert db.require(at).input_price_usd_micros_per_1m == 3_600_000
    assert db.run(reads.price_at(premium, "region", "batch", at=late)) is None
    assert db.run(reads.price_at(premium, "region", "standard", at=NOW - 900 * DAY)) is None
    assert db.run(reads.price_at(premium, "geo", "standard", at=early)) is None
    ((_, body),) = requests_of(at)
    assert sorted(each["S"] for each in body["ExpressionAttributeValues"].values()) == [
        premium,
        "region#standard#",
        f"region#standard#{early:%Y-%m-%dT%H:%M:%SZ}",
    ]
    assert (body["ScanIndexForward"], body["Limit"]) == (False, 1)


def test_history_stays_among_its_kind_of_period(db: Db) -> None:
    weeks = db.run(reads.history(ORG_SCOPE, ALL, first="WEEK#2026-W01", last="WEEK#2026-W53"))
    assert [each.period for each in weeks] == [WEEK]


def test_hashes_are_the_same_in_every_process() -> None:
    # Reckoned with b2sum: `printf %s ID | b2sum -l 8`.
    assert bucket_of("01a1f8c2-7b00-7000-8000-00000000002a") == "49"
    assert 0 <= slot_of(ORG) < 16
    assert scope_of(ORG, WEB) == WEB_SCOPE


def test_counters_end_forty_days_after_their_day() -> None:
    """35 days of the ledger and 5 more; the day ends at midnight in New York."""
    counters = [each for each in demo().items if isinstance(each, UsageCounter)]
    ends = {each.day: each.expires_at_epoch for each in counters}
    assert ends == {
        TODAY: datetime(2026, 11, 21, 5, tzinfo=UTC) + 40 * DAY,
        TUESDAY: datetime(2026, 11, 18, 5, tzinfo=UTC) + 40 * DAY,
    }
