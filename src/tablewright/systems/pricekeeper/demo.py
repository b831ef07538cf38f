"""Demo data of pricekeeper, as of ``NOW``: one call for each pattern, in an order that works."""

from __future__ import annotations

from datetime import timedelta
from itertools import groupby
from typing import Any

from tablewright.model import Entity, Op
from tablewright.model.demo import Demo
from tablewright.systems.pricekeeper import reads, recording, writes
from tablewright.systems.pricekeeper.config import OrgIndex, RevokedToken
from tablewright.systems.pricekeeper.samples import (
    BATCH,
    FLUSH,
    MONTH,
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
    client_of,
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
    holder_of,
    scope_of,
    slot_of,
)
from tablewright.systems.pricekeeper.spend import (
    AlertSent,
    Exhausted,
    Ledger,
    RecentAlert,
    StreamCheckpoint,
)

__all__ = ["NOW", "demo"]

_SCOPES = (scope_of(ORG), scope_of(ORG, WEB), scope_of(ORG, BATCH))
_LABELS = ("premium", "standard", "economy")
_PERIODS = (f"DAY#{TODAY}", f"DAY#{TUESDAY}", WEEK, MONTH)
_STREAM = "shardId-00000001794721234567-a1b2c3d4"
_TOKEN, _FAMILY = "0f" * 16, "a7" * 16

#: Promises: one that a record keeps, one that nobody kept, one that is made and given back.
_KEPT = promise(1, NOW + timedelta(seconds=90))
_ENDED = promise(2, NOW - timedelta(seconds=5))
_NEW = promise(3, NOW + timedelta(seconds=120))


def demo() -> Demo:
    return Demo(
        [*_settings(), *_access(), *_spend(), *_state()],
        {**_read_calls(), **_setting_calls(), **_record_calls(), **_state_calls()},
        now=NOW,
    )


# --- items ---------------------------------------------------------------------------------------


def _settings() -> list[Entity]:
    org = organisation()
    return [
        org,
        OrgIndex(org_id=ORG, org_name=org.org_name, status=org.status),
        application(WEB),
        application(BATCH),
        *map(label_named, _LABELS),
        *(price_of(name, PRICED_FROM) for name in _LABELS),
        price_of("premium", PRICED_FROM - timedelta(days=200), percent=120),
        pending_price("premium"),
        pending_price("standard"),
    ]


def _access() -> list[Entity]:
    return [
        credential_of(ORG),
        credential_of(ORG, WEB),
        credential_of(ORG, BATCH, scheme="$2b$12$"),
        retrieval_of("first", ORG, BATCH),
        _revoked(_TOKEN),
    ]


def _revoked(token: str) -> RevokedToken:
    return RevokedToken(
        token=token,
        token_type="refresh",
        client_id=client_of(ORG, WEB),
        revoked_at_epoch=NOW - timedelta(hours=1),
        original_expiry_epoch=NOW + timedelta(days=20),
    )


def _spend() -> list[Entity]:
    counts = [
        list(rows) for _, rows in groupby(RECORDS, lambda row: (row.app_id, row.label, row.day))
    ]
    totals = [total_of(*key) for key in _total_keys()]
    return [
        *RECORDS,
        *map(counter_of, counts),
        *(total for total in totals if total.rev),
        *(dirty_of(rows[0]) for rows in counts if rows[0].day == TODAY),
        StreamCheckpoint(
            shard_id=_STREAM,
            sequence="100000000000000000001",
            expires_at_epoch=NOW + timedelta(days=3),
        ),
    ]


def _total_keys() -> list[TotalKey]:
    return [
        TotalKey(scope, label, period)
        for scope in _SCOPES
        for label in (*_LABELS, ALL)
        for period in _PERIODS
    ]


def _state() -> list[Entity]:
    """The batch app has used up its little limit; the web app holds two promises."""
    promised = _KEPT.reserved_picos + _ENDED.reserved_picos
    spent = [row for row in RECORDS if (row.label, row.day) == ("premium", TODAY)]
    in_all = sum(row.cost_usd_picos for row in spent)
    by_web = sum(row.cost_usd_picos for row in spent if row.app_id == WEB)
    return [
        _closed({"premium"}),
        *map(_alert, (50, 80)),
        *map(_recent_alert, (50, 80)),
        _KEPT,
        _ENDED,
        *gates_of(in_all + promised, by_web + promised, promised),
    ]


def _closed(labels: set[str], version: int = 2) -> Exhausted:
    return Exhausted(
        scope=scope_of(ORG, BATCH),
        day=TODAY,
        exhausted_labels=labels,
        config_version=version,
        active_model_label="standard",
        previous_model_label="premium",
        reason="QUOTA_EXCEEDED",
        activated_at_epoch=NOW - timedelta(minutes=20),
        expires_at_epoch=NOW + timedelta(days=400),
    )


def _alert(pct: int) -> AlertSent:
    return AlertSent(
        scope=scope_of(ORG, BATCH),
        period=f"DAY#{TODAY}",
        label="premium",
        pct=pct,
        sent_at_epoch=NOW - timedelta(minutes=20),
        spend=15_600,
        quota=5_000,
        expires_at_epoch=NOW + timedelta(days=400),
    )


def _recent_alert(pct: int) -> RecentAlert:
    return RecentAlert(**_alert(pct).model_dump(), sent_on=TODAY)


# --- calls ---------------------------------------------------------------------------------------


def _read_calls() -> dict[str, Op[Any]]:
    first, today = RECORDS[0], f"DAY#{TODAY}"
    usage = UsageKey(ORG, WEB, "premium", TODAY, SHARDS)
    web = scope_of(ORG, WEB)
    wanted = [TotalKey(scope, label, today) for scope in _SCOPES[:2] for label in (*_LABELS, ALL)]
    sticky = [(scope_of(ORG, BATCH), TODAY), (scope_of(ORG), TODAY)]
    premium = label_named("premium").bedrock_model_id
    return {
        "org": reads.org(ORG),
        "app": reads.app(ORG, WEB),
        "apps": reads.apps(ORG, hidden="DELETED"),
        "orgs": reads.orgs(hidden="DELETED"),
        "label": reads.label("premium"),
        "labels": reads.labels(),
        "credential": reads.credential(ORG, "CRED"),
        "credentials": reads.credentials(ORG, ["CRED", holder_of(WEB), holder_of("none")]),
        "revoked_token": reads.revoked_token(_TOKEN),
        "revocations": reads.revocations(_TOKEN, _FAMILY),
        "secret_retrieval": reads.secret_retrieval(retrieval_of("first", ORG).token_hash),
        "price_at": reads.price_at(premium, "region", "standard", at=first.event_at_epoch),
        "prices_of_model": reads.prices_of_model(premium),
        "pending_price": reads.pending_price(premium, "region", "standard"),
        "pending_prices": reads.pending_prices(),
        "exhausted": reads.exhausted(*sticky[0]),
        "total_of_period": reads.total_of_period(web, ALL, today),
        "totals_of_period": reads.totals_of_period(web, ["premium", "standard"], today),
        "selection_state": reads.selection_state(sticky, wanted),
        "tight_selection_state": reads.tight_selection_state(sticky, wanted),
        "checked_usage": reads.checked_usage([usage, usage._replace(label="standard")]),
        "history": reads.history(web, "premium", first=f"DAY#{TUESDAY}", last=today),
        "alerts": reads.alerts(scope_of(ORG, BATCH), today),
        "recent_alerts": reads.recent_alerts(TODAY),
        "dirty_counts": reads.dirty_counts(slot_of(ORG)),
        "dirty_counts_of_day": reads.dirty_counts_of_day(slot_of(ORG), ORG, TODAY),
        "dirty_counts_of_app": reads.dirty_counts_of_app(slot_of(ORG), ORG, TODAY, WEB),
        "days_of_total": reads.days_of_total(web, ALL, first=f"DAY#{TUESDAY}", last=today),
        "stored_totals": reads.stored_totals(wanted[:2]),
        "usage_shard": reads.usage_shard(ORG, WEB, "premium", counter_of([first]).shard, TODAY),
        "usage_shards": reads.usage_shards(usage),
        "ended_reservations": reads.ended_reservations(slot_of(ORG), now=NOW),
        "open_reservations": reads.open_reservations(slot_of(ORG), now=NOW),
        "gate": reads.gate(web, TODAY, "premium"),
        "gates": reads.gates([(web, TODAY, "premium"), (web, TODAY, ALL)]),
        "reservation": reads.reservation(
            _KEPT.slot, _KEPT.expires_epoch, ORG, WEB, "premium", _KEPT.reservation_uuid
        ),
        "stream_checkpoint": reads.stream_checkpoint(_STREAM),
        "ledger_row": reads.ledger_row(ORG, WEB, first.bucket, first.request_id),
        "ledger_bucket": reads.ledger_bucket(ORG, WEB, bucket_of(first.request_id)),
    }


def _setting_calls() -> dict[str, Op[Any]]:
    batch = credential_of(ORG, BATCH, scheme="$2b$12$")
    return {
        "create_org": writes.create_org(
            organisation(NEW_ORG), credential_of(NEW_ORG), retrieval_of("second", NEW_ORG)
        ),
        # What was stored has the version 1.
        "save_org": writes.save_org(
            organisation(version=1).model_copy(update={"org_name": "Sample Corporation"})
        ),
        "create_app": writes.create_app(
            application("mobile", 2_000_000),
            credential_of(ORG, "mobile"),
            retrieval_of("third", ORG, "mobile"),
        ),
        "save_app": writes.save_app(application(BATCH, 6_000, version=1)),
        "save_label": writes.save_label(label_named("economy")),
        "set_price": writes.set_price(price_of("economy", NOW + timedelta(days=9), percent=90)),
        "save_price": writes.save_price(price_of("standard", NOW - timedelta(days=1), percent=90)),
        "hold_price": writes.hold_price(pending_price("economy")),
        "approve_price": writes.approve_price(
            pending_price("premium"), price_of("premium", NOW - timedelta(days=1), percent=200)
        ),
        "reject_price": writes.reject_price(pending_price("standard")),
        "withdraw_price": writes.withdraw_price(
            pending_price("standard").bedrock_model_id, "region", "standard"
        ),
        "rotate": writes.rotate(
            credential_of(ORG, WEB),
            "h1$k1$" + "4e" * 32,
            retrieval_of("fourth", ORG, WEB),
            now=NOW,
            grace_until=NOW + timedelta(hours=24),
        ),
        "upgrade_secret_hash": writes.upgrade_secret_hash(
            ORG, batch.holder, batch.client_secret_hash, "h1$k1$" + "5f" * 32
        ),
        "end_tokens": writes.end_tokens(ORG, batch.holder, NOW),
        "redeem_secret": writes.redeem_secret(retrieval_of("first", ORG).token_hash, NOW),
        "revoke_token": writes.revoke_token(_revoked(f"FAM#{_FAMILY}")),
        "use_refresh_token": writes.use_refresh_token(_revoked("1e" * 16)),
    }


def _record_calls() -> dict[str, Op[Any]]:
    new = [record(number, WEB, "premium", (500, 200 + number, 0), TODAY) for number in (10, 11)]
    streamed = _streamed(record(12, BATCH, "standard", (300, 40, 0), TODAY))
    late = RECORDS[-1]
    corrected = correction_of(late, 20)
    spent = sum(row.cost_usd_picos for row in new)
    folded = StreamCheckpoint(
        shard_id=_STREAM,
        sequence="100000000000000000002",
        expires_at_epoch=NOW + timedelta(days=3),
    )
    # One row was not counted; the only shard that is there has counted another.
    lacking = counter_of(RECORDS[2:3], flush=0)
    revs = [1 if shard == lacking.shard else None for shard in range(SHARDS)]
    final = [
        TotalKey(scope_of(ORG, WEB), "premium", f"DAY#{TUESDAY}"),
        TotalKey(scope_of(ORG), ALL, f"DAY#{TUESDAY}"),
    ]
    return {
        "mark_dirty": recording.mark_dirty(dirty_of(streamed)),
        "mark_dirty_anew": recording.mark_dirty_anew(dirty_of(late)),
        "flush": recording.flush(
            new,
            [counter_of(new, FLUSH + 1)],
            [_KEPT],
            gates_of(spent - _KEPT.reserved_picos, promised=-_KEPT.reserved_picos),
        ),
        "record_for_stream": recording.record_for_stream(streamed),
        "fold": recording.fold(folded, "100000000000000000001", [counter_of([streamed])]),
        "correct": recording.correct(
            corrected, late, counter_of([corrected], FLUSH + 2), dirty_of(late), final
        ),
        "repair_count": recording.repair_count(lacking, revs, dirty_of(RECORDS[2])),
        "publish_total": recording.publish_total(
            total_of(scope_of(ORG), "premium", f"DAY#{TODAY}", fence=4)
        ),
        "finish_total": recording.finish_total(final[0], fence=4),
    }


def _streamed(row: Ledger) -> Ledger:
    return row.model_copy(update={"mode": "S"})


def _state_calls() -> dict[str, Op[Any]]:
    batch, back = scope_of(ORG, BATCH), gates_of(-_NEW.reserved_picos)
    claimed = gates_of(_NEW.reserved_picos)
    rooms = [quota * 10**6 - _NEW.reserved_picos for quota in (10_000_000, 4_000_000)]
    return {
        "exhaust": recording.exhaust(_closed({"standard"})),
        "restore_labels": recording.restore_labels(batch, TODAY, {"standard"}, NOW),
        "replace_exhausted": recording.replace_exhausted(_closed({"standard"}, version=3)),
        "remember_alert": recording.remember_alert(_alert(95)),
        "list_alert": recording.list_alert(_recent_alert(95)),
        "reserve": recording.reserve(_NEW, list(zip(claimed, rooms, strict=True))),
        "release": recording.release(_NEW, back),
        "sweep_reservation": recording.sweep_reservation(_ENDED, back),
    }
