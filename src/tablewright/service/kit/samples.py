"""Samples of a kit table, as of ``NOW``, and one call for each pattern, in an order that works."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tablewright.model import Entity, Op
from tablewright.model.demo import Demo
from tablewright.service.kit import audit, patterns
from tablewright.service.kit.entities import (
    ApiKey,
    AuditEntry,
    EndedSession,
    FeedEntry,
    IdempotencyRecord,
    Lease,
    OutboxEntry,
    OwnedKey,
    SessionCutoff,
    SharedBucket,
)
from tablewright.service.kit.outbox.messages import changed, sent

NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
_OWNER = "app-1.internal:4242:9f3c61d0"
_ORG = "org/7b0f5a52-3c8e-4f0e-9b1d-2f6f0a4f8c11"
_KEY = "k3v9x2m7q1"
_OWNER_OF_KEYS, _OWNED_KEY = "org:01KAGM5W00000000000000000A", "p4w8n6t2r5"
_SESSION = "Zm9vYmFyYmF6cXV4Zm9vYg"
_US = int(NOW.timestamp() * 1_000_000)


def samples() -> Demo:
    return Demo(
        [*_leases(), *_logs(), *_messages(), *_requests()],
        {**_lease_calls(), **_log_calls(), **_message_calls(), **_request_calls()},
        now=NOW,
    )


def _id(number: int) -> str:
    return f"01KAGM5W0{number:017d}"


def _ago(**parts: float) -> datetime:
    return NOW - timedelta(**parts)


# --- items ---------------------------------------------------------------------------------------


def _lease(name: str, fence: int, seconds: int) -> Lease:
    until = NOW + timedelta(seconds=seconds)
    return Lease(name=name, owner=_OWNER, fence=fence, until=until)


def _leases() -> list[Entity]:
    nightly = _lease("price-refresh", 31, -600).model_copy(update={"ran_at": _ago(minutes=10)})
    return [_lease("aggregator/03", 7, 21), _lease("writer-00", 12, 14), nightly]


def _entry(number: int) -> AuditEntry:
    return AuditEntry(
        entry_id=_id(number),
        at=_ago(minutes=number),
        actor="user:b2f1",
        actor_kind="user",
        action="org.update",
        subject=_ORG,
        detail={"changed": ["quotas"], "version": number},
        expires_at=_ago(minutes=number) + audit.KEPT,
    )


def _event(number: int) -> FeedEntry:
    return FeedEntry(
        topic="spend",
        event_id=_id(number),
        kind="total",
        data={"org_id": _ORG, "pct": 80 + number},
        at=NOW,
        expires_at=NOW + timedelta(days=1),
    )


def _logs() -> list[Entity]:
    return [*map(_entry, range(1, 9)), _event(1), _event(2)]


def _message(number: int, **fields: object) -> OutboxEntry:
    waiting = OutboxEntry(
        message_id=_id(number),
        at=_ago(minutes=number),
        kind="alert.reached",
        subject=_ORG,
        body={
            "title": "80 % of the day's limit for premium",
            "text": "Acme has spent 80 of 100 USD for premium today.",
            "to": ["finops@example.org"],
            "pct": 80,
            "label": "premium",
        },
    )
    return changed(waiting, **fields)


def _sent_message() -> OutboxEntry:
    return changed(
        _message(20),
        place=f"SENT#{NOW:%Y%m%d}",
        attempts=1,
        delivered={"smtp"},
        ended_at=_ago(minutes=19),
        expires_at=NOW + timedelta(days=30),
    )


def _dead_message(number: int) -> OutboxEntry:
    return changed(
        _message(number),
        place="DEAD",
        attempts=15,
        error="the webhook answered 500",
        ended_at=_ago(minutes=5),
        expires_at=NOW + timedelta(days=400),
    )


def _messages() -> list[Entity]:
    waiting = [_message(number) for number in range(1, 4)]
    return [*waiting, _sent_message(), _dead_message(40), _dead_message(41)]


def _record(key: str, **fields: object) -> IdempotencyRecord:
    given = {
        "key_hash": key * 32,
        "request_hash": "5e" * 32,
        "attempt": _id(7),
        "busy_until": NOW + timedelta(seconds=40),
        "expires_at": NOW + timedelta(hours=24),
        **fields,
    }
    return IdempotencyRecord.model_validate(given)


def _bucket(subject: str, full_at: int) -> SharedBucket:
    return SharedBucket(
        bucket="login",
        subject=subject,
        full_at_us=full_at,
        written_at_us=_US,
        expires_at=datetime.fromtimestamp(full_at // 1_000_000 + 60, UTC),
    )


def _api_key(key_id: str) -> ApiKey:
    return ApiKey(
        key_id=key_id,
        name="nightly export",
        secret_hash="h1$k1$" + "c4" * 32,
        roles={"auditor"},
        created_at=_ago(days=40),
        created_by="user:b2f1",
    )


def _owned(key_id: str) -> OwnedKey:
    return OwnedKey(owner=_OWNER_OF_KEYS, key_id=key_id, created_at=_ago(days=40))


def _requests() -> list[Entity]:
    ended = EndedSession(session_id=_SESSION, expires_at=NOW + timedelta(hours=8))
    return [
        _record("a1"),
        _record("a2", busy_until=_ago(seconds=1)),
        _record("a3"),
        _bucket("used", _US + 5_000_000),
        _bucket("far", _US + 10**15),
        _api_key(_KEY),
        _api_key(_OWNED_KEY).model_copy(update={"owner": _OWNER_OF_KEYS}),
        _owned(_OWNED_KEY),
        ended,
        _cutoff("e5"),
    ]


def _cutoff(digest: str) -> SessionCutoff:
    return SessionCutoff(
        person_hash=digest * 32,
        not_before=_ago(minutes=5),
        expires_at=NOW + timedelta(hours=8),
    )


# --- calls ---------------------------------------------------------------------------------------


def _lease_calls() -> dict[str, Op[Any]]:
    found = _lease("writer-00", 12, 14)
    return {
        "lease_named": patterns.lease_named("aggregator/03"),
        "leases_named": patterns.leases_named([f"writer-{slot:02d}" for slot in range(64)]),
        "take_lease": patterns.take_lease(_lease("writer-00", 13, 30), found),
        "keep_lease": patterns.keep_lease(_lease("aggregator/03", 7, 30)),
    }


def _log_calls() -> dict[str, Op[Any]]:
    return {
        "write_audit": patterns.write_audit(_entry(0)),
        "audit_of_month": patterns.audit_of_month("202611", _entry(1).shard),
        "add_event": patterns.add_event(_event(3)),
        "events_after": patterns.events_after("spend", after=_id(0)),
        "latest_event": patterns.latest_event("spend"),
    }


def _message_calls() -> dict[str, Op[Any]]:
    late = _message(2)
    put_off = changed(late, attempts=1, retry_at=NOW + timedelta(seconds=5), error="timed out")
    return {
        "add_message": patterns.add_message(_message(0)),
        "messages_in": patterns.messages_in(late.place),
        "message_at": patterns.message_at(late.place, late.position),
        "latest_messages_in": patterns.latest_messages_in("DEAD"),
        "move_message": sent(_message(1), NOW, {"smtp"}),
        "put_off_message": patterns.put_off_message(put_off, 0),
        "discard_message": patterns.discard_message(_dead_message(41)),
    }


def _request_calls() -> dict[str, Op[Any]]:
    done = _record("a1", state="DONE", status=201, sealed=b"\x00" * 600)
    return {
        "begin_request": patterns.begin_request(_record("b0")),
        "take_over_request": patterns.take_over_request(_record("a2", attempt=_id(8)), _id(7)),
        "finish_request": patterns.finish_request(done),
        "forget_request": patterns.forget_request("a3" * 32, _id(7)),
        "use_bucket": patterns.use_bucket(
            "login",
            "used",
            1_000_000,
            now_us=_US,
            most_us=_US + 60_000_000,
            expires_at=NOW + timedelta(minutes=2),
        ),
        "start_bucket": patterns.start_bucket(_bucket("new", _US + 1_000_000), _US),
        "set_bucket_back": patterns.set_bucket_back(_bucket("far", _US), _US + 10**15),
        "shared_bucket": patterns.shared_bucket("login", "used"),
        "ended_session": patterns.ended_session(_SESSION),
        "end_session": patterns.end_session(
            EndedSession(session_id=_SESSION[::-1], expires_at=NOW + timedelta(hours=8))
        ),
        "use_token": patterns.use_token(
            EndedSession(session_id="used" * 8, expires_at=NOW + timedelta(minutes=10))
        ),
        "session_cutoff": patterns.session_cutoff("e5" * 32),
        "set_session_cutoff": patterns.set_session_cutoff(_cutoff("e6")),
        "api_key": patterns.api_key(_KEY),
        "api_keys": patterns.api_keys(),
        "keys_owned_by": patterns.keys_owned_by(_OWNER_OF_KEYS),
        "api_keys_named": patterns.api_keys_named([_OWNED_KEY]),
        "own_api_key": patterns.own_api_key(_owned("b8c2d4f6a1")),
        "create_api_key": patterns.create_api_key(_api_key("b8c2d4f6a1")),
        "revoke_api_key": patterns.revoke_api_key(_KEY, at=NOW, by="user:b2f1"),
        "note_api_key_use": patterns.note_api_key_use(_KEY, NOW),
        "erase_api_key": patterns.erase_api_key(_OWNER_OF_KEYS, _OWNED_KEY),
    }
