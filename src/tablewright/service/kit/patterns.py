"""What is read and written in a kit table, each under the part that does it.

Rates are those of one system with a few processes; what is cached by the service has the rate that
is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from tablewright.model import (
    Delete,
    Get,
    Put,
    Range,
    Rate,
    Ulid,
    Update,
    attr,
    batch,
    delete,
    get,
    param,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.service.kit.entities import (
    ApiKey,
    AuditEntry,
    EndedSession,
    FeedEntry,
    IdempotencyRecord,
    Lease,
    Month,
    OutboxEntry,
    OwnedKey,
    Place,
    Position,
    SessionCutoff,
    Sha256,
    SharedBucket,
)

# --- leases --------------------------------------------------------------------------------------


@get(Lease, consistent=True, component="leases", rate=Rate(2, peak=50))
def lease_named(name: str) -> None:
    """Who holds a lease, and until when."""


@batch(component="leases", rate=Rate(0.001), expect=64)
def leases_named(names: Sequence[str]) -> list[Get[Lease]]:
    """Several leases at once, to choose a free one."""
    return [lease_named(name) for name in names]


@write(component="leases", rate=Rate(0.1, peak=20))
def take_lease(lease: Lease, previous: Lease | None) -> Put[Lease]:
    """A free lease with the next fence, unless somebody was quicker."""
    if previous is None:
        return put(lease).new()
    return put(lease).when(attr(Lease.fence) == previous.fence)


@write(component="leases", rate=Rate(1, peak=20))
def keep_lease(lease: Lease) -> Put[Lease]:
    """A lease that is still held, for longer, or given back."""
    return put(lease).when(attr(Lease.fence) == lease.fence)


# --- audit ---------------------------------------------------------------------------------------


@write(component="audit", rate=Rate(0.1, peak=20))
def write_audit(entry: AuditEntry) -> Put[AuditEntry]:
    """One entry of the audit log, with what it tells of."""
    return put(entry).new()


@query(
    AuditEntry,
    range=Range("position", ge="since", lt="before"),
    filter=(attr(AuditEntry.actor) == param("actor"))
    & (attr(AuditEntry.subject) == param("subject"))
    & (attr(AuditEntry.action) == param("action")),
    descending=True,
    component="audit",
    rate=Rate(0.01),
    expect=50,
)
def audit_of_month(
    month: Month,
    shard: int,
    *,
    since: Position | None = None,
    before: Position | None = None,
    actor: str | None = None,
    subject: str | None = None,
    action: str | None = None,
) -> None:
    """The entries of one shard of a month, newest first."""


# --- outbox --------------------------------------------------------------------------------------


@write(component="outbox", rate=Rate(0.1, peak=50))
def add_message(entry: OutboxEntry) -> Put[OutboxEntry]:
    """A message, with what it tells of."""
    return put(entry).new()


@query(OutboxEntry, consistent=True, component="outbox", rate=Rate(2), expect=1)
def messages_in(place: Place) -> None:
    """The messages of a place, oldest first."""


@query(OutboxEntry, descending=True, component="outbox", rate=Rate(0.01), expect=50)
def latest_messages_in(place: Place) -> None:
    """The messages of a place, newest first; for people."""


@get(OutboxEntry, consistent=True, component="outbox", rate=Rate(0.001))
def message_at(place: Place, position: Position) -> None:
    """One message."""


@transaction(component="outbox", rate=Rate(0.1, peak=50), expect=2)
def move_message(
    entry: OutboxEntry, moved: OutboxEntry
) -> tuple[Delete[OutboxEntry], Put[OutboxEntry]]:
    """A message to another place: sent, dead, or waiting again. Only if it is where it was."""
    return delete(entry).existing(), put(moved)


@write(component="outbox", rate=Rate(0.01, peak=10))
def put_off_message(entry: OutboxEntry, seen_attempts: int) -> Put[OutboxEntry]:
    """An attempt that failed: when to try again, unless another dispatcher has tried since."""
    return put(entry).when(attr(OutboxEntry.attempts) == seen_attempts)


@write(component="outbox", rate=Rate(0.001))
def discard_message(entry: OutboxEntry) -> Delete[OutboxEntry]:
    """A dead message that nobody wants any more."""
    return delete(entry).existing()


# --- idempotency ---------------------------------------------------------------------------------


@write(component="idempotency", rate=Rate(0.05, peak=10))
def begin_request(record: IdempotencyRecord) -> Put[IdempotencyRecord]:
    """A request under a key that is new; who is refused gets the record that is there."""
    return put(record).new()


@write(component="idempotency", rate=Rate(0.001))
def take_over_request(record: IdempotencyRecord, lost: Ulid) -> Put[IdempotencyRecord]:
    """A request whose attempt was lost on its way, unless it or another one came back."""
    working = attr(IdempotencyRecord.state) == "IN_PROGRESS"
    return put(record).when(working & (attr(IdempotencyRecord.attempt) == lost))


@write(component="idempotency", rate=Rate(0.05, peak=10))
def finish_request(record: IdempotencyRecord) -> Put[IdempotencyRecord]:
    """The answer of a request, for whoever repeats it; only by the attempt that is at work."""
    return put(record).when(attr(IdempotencyRecord.attempt) == record.attempt)


@write(component="idempotency", rate=Rate(0.01, peak=5))
def forget_request(key_hash: Sha256, attempt: Ulid) -> Delete[IdempotencyRecord]:
    """A request that had no effect: the key may be used again."""
    mine = attr(IdempotencyRecord.attempt) == attempt
    working = attr(IdempotencyRecord.state) == "IN_PROGRESS"
    return delete(IdempotencyRecord, key_hash).when(mine & working)


# --- rate limits that are shared -----------------------------------------------------------------


@write(component="limits", rate=Rate(1, peak=100))
def use_bucket(
    bucket: str, subject: str, cost_us: int, *, now_us: int, most_us: int, expires_at: datetime
) -> Update[SharedBucket]:
    """Use some of a bucket that is in use, unless that would be more than it holds.

    ``most_us`` is the latest moment at which it may be full again before this use.
    """
    full_at = attr(SharedBucket.full_at_us)
    used = update(SharedBucket, bucket, subject).do(
        full_at.add(cost_us),
        attr(SharedBucket.written_at_us).set(now_us),
        attr(SharedBucket.expires_at).set(expires_at),
    )
    return used.when((full_at > now_us) & (full_at <= most_us))


@write(component="limits", rate=Rate(0.1, peak=100))
def start_bucket(fresh: SharedBucket, now_us: int) -> Put[SharedBucket]:
    """Use some of a bucket that is full, or that nobody has used."""
    full_at = attr(SharedBucket.full_at_us)
    return put(fresh).when(full_at.missing() | (full_at <= now_us))


@write(component="limits", rate=Rate(0.0001))
def set_bucket_back(back: SharedBucket, seen_us: int) -> Put[SharedBucket]:
    """A bucket that was left in the future by a clock that was ahead."""
    return put(back).when(attr(SharedBucket.full_at_us) == seen_us)


@get(SharedBucket, consistent=True, component="limits", rate=Rate(0.01))
def shared_bucket(bucket: str, subject: str) -> None:
    """How much of a bucket is used."""


# --- sessions ------------------------------------------------------------------------------------


@get(EndedSession, consistent=True, component="sessions", rate=Rate(0.1, peak=10))
def ended_session(session_id: str) -> None:
    """Whether somebody has signed out; kept for a while by the process."""


@write(component="sessions", rate=Rate(0.001))
def end_session(session: EndedSession) -> Put[EndedSession]:
    """Somebody signs out."""
    return put(session)


@write(component="sessions", rate=Rate(0.01))
def use_token(token: EndedSession) -> Put[EndedSession]:
    """Use a token that may be used once: refused if that was done before."""
    return put(token).new()


@get(SessionCutoff, consistent=True, component="sessions", rate=Rate(0.2, peak=20))
def session_cutoff(person_hash: str) -> None:
    """Read since when the sessions of a person count; asked with every request of a browser."""


@write(component="sessions", rate=Rate(0.001))
def set_session_cutoff(cutoff: SessionCutoff) -> Put[SessionCutoff]:
    """End all sessions of a person that began before a moment, which never moves back."""
    return put(cutoff).when(
        attr(SessionCutoff.not_before).missing()
        | (attr(SessionCutoff.not_before) < cutoff.not_before)
    )


# --- API keys ------------------------------------------------------------------------------------


@get(ApiKey, consistent=True, component="api-keys", rate=Rate(0.1, peak=20))
def api_key(key_id: str) -> None:
    """One key, to check who is asking; kept for a while by the process."""


@query(ApiKey, consistent=True, component="api-keys", rate=Rate(0.001), expect=10)
def api_keys() -> None:
    """All keys of the system."""


@query(OwnedKey, consistent=True, component="api-keys", rate=Rate(0.001), expect=3)
def keys_owned_by(owner: str) -> None:
    """Which keys act for somebody."""


@batch(component="api-keys", rate=Rate(0.001), expect=3)
def api_keys_named(key_ids: Sequence[str]) -> list[Get[ApiKey]]:
    """Several keys at once: those of an owner."""
    return [api_key(key_id) for key_id in key_ids]


@write(component="api-keys", rate=Rate(0.001))
def create_api_key(key: ApiKey) -> Put[ApiKey]:
    """A new key."""
    return put(key).new()


@write(component="api-keys", rate=Rate(0.001))
def own_api_key(owned: OwnedKey) -> Put[OwnedKey]:
    """Whom a new key acts for, with the key."""
    return put(owned).new()


@transaction(component="api-keys", rate=Rate(0.0001), expect=2)
def erase_api_key(owner: str, key_id: str) -> tuple[Delete[ApiKey], Delete[OwnedKey]]:
    """A key goes with its owner, and leaves nothing behind."""
    return delete(ApiKey, key_id), delete(OwnedKey, owner, key_id)


@write(component="api-keys", rate=Rate(0.001))
def revoke_api_key(key_id: str, *, at: datetime, by: str) -> Update[ApiKey]:
    """A key is worth nothing from now on; it stays in the list."""
    revoked = update(ApiKey, key_id).do(
        attr(ApiKey.revoked_at).set(at), attr(ApiKey.revoked_by).set(by)
    )
    return revoked.when(attr(ApiKey.revoked_at).missing())


@write(component="api-keys", rate=Rate(0.001, peak=1))
def note_api_key_use(key_id: str, at: datetime) -> Update[ApiKey]:
    """That a key is in use; now and then."""
    return update(ApiKey, key_id).do(attr(ApiKey.last_used_at).set(at))


# --- events --------------------------------------------------------------------------------------


@write(component="events", rate=Rate(0.5, peak=50))
def add_event(entry: FeedEntry) -> Put[FeedEntry]:
    """An event that can be caught up on, with what it tells of."""
    return put(entry).new()


@query(
    FeedEntry,
    range=Range("event_id", gt="after"),
    consistent=True,
    component="events",
    rate=Rate(1, peak=20),
    expect=2,
)
def events_after(topic: str, *, after: Ulid | None = None) -> None:
    """The events of a topic since one that is known, oldest first."""


@query(
    FeedEntry,
    descending=True,
    limit=1,
    consistent=True,
    component="events",
    rate=Rate(0.01),
    expect=1,
)
def latest_event(topic: str) -> None:
    """The last event of a topic."""
