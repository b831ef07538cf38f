"""The kit table, and everything that it holds.

Each system has a table of this shape, ``<system>-kit``, beside the tables of its model. Nothing
here has a secondary index: every partition says by itself what is looked for in it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import JsonValue

from tablewright.client.feed.entities import feed_entities
from tablewright.model import (
    Entity,
    EpochMillis,
    Field,
    IsoMillis,
    IsoSeconds,
    Key,
    Personal,
    Shaped,
    Table,
    Ttl,
    Ulid,
    new_ulid,
    shard_of,
)
from tablewright.service.kit.moments import text_of

kit = Table("kit", pk="PK", sk="SK", ttl="expires_at")

#: How far consumers of change feeds have come lies here too.
feed_entities(kit)

#: Partitions that the entries of a month are spread over.
AUDIT_SHARDS = 4
#: Partitions of messages that wait; a subject is always in the same one.
OUTBOX_SLOTS = 4

Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
#: Who or what, as others call it: an issuer's subject may be long.
Reference: TypeAlias = Annotated[str, Field(min_length=1, max_length=1000)]
#: A name that programs tell things apart by, and that fits into a header: ``alert.reached``.
Word: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._/:-]{0,99}$")]
Month: TypeAlias = Annotated[str, Shaped("[0-9]{6}")]
Sha256: TypeAlias = Annotated[str, Shaped("[0-9a-f]{64}")]
#: A moment and an id, so that the order of keys is the order of time without ties.
Position: TypeAlias = Annotated[
    str,
    Shaped(
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z#[0-9A-HJKMNP-TV-Z]{26}"
    ),
]
#: Where a message lies: it waits in a slot, was sent on a day, or is dead.
Place: TypeAlias = Annotated[str, Shaped("PENDING#[0-9]{2}|SENT#[0-9]{8}|DEAD")]


def position_of(made: dict[str, Any], id_field: str) -> str:
    """The text by which entries of one partition are ordered."""
    return f"{text_of(made['at'])}#{made[id_field]}"


def pending_in(subject: str) -> str:
    """The place in which the messages of a subject wait."""
    return f"PENDING#{shard_of(subject, OUTBOX_SLOTS):02d}"


# --- leases ------------------------------------------------------------------------------------


class Lease(Entity, table=kit, keys={"primary": Key("LEASE#{name}", "LEASE")}):
    """Who may do something alone, and until when. It stays for ever: its fence must not restart."""

    name: Name
    owner: Name
    #: Rises with every acquisition: who lost the lease cannot overwrite what came later.
    fence: int = Field(ge=1)
    until: EpochMillis
    #: When the work under it was last done to its end.
    ran_at: EpochMillis | None = None


# --- audit -------------------------------------------------------------------------------------


def _month(made: dict[str, Any]) -> str:
    return f"{made['at']:%Y%m}"


def _audit_shard(made: dict[str, Any]) -> int:
    return shard_of(made["entry_id"], AUDIT_SHARDS)


def _audit_position(made: dict[str, Any]) -> str:
    return position_of(made, "entry_id")


class AuditEntry(
    Entity,
    table=kit,
    keys={"primary": Key("AUDIT#{month}#{shard}", "{position}")},
):
    """Who did what to what, and when."""

    entry_id: Ulid = Field(default_factory=new_ulid)
    at: IsoMillis
    month: Month = Field(default_factory=_month)
    shard: int = Field(default_factory=_audit_shard, ge=0, lt=AUDIT_SHARDS)
    position: Position = Field(default_factory=_audit_position)
    #: The id of the principal; never a name or an address.
    actor: Reference
    actor_kind: Name
    #: ``org.create``
    action: Name
    #: ``org/7f3c…``
    subject: Reference
    detail: dict[str, JsonValue] = Field(default_factory=dict)
    expires_at: Ttl


# --- outbox ------------------------------------------------------------------------------------


def _pending(made: dict[str, Any]) -> str:
    return pending_in(made["subject"])


def _outbox_position(made: dict[str, Any]) -> str:
    return position_of(made, "message_id")


class OutboxEntry(Entity, table=kit, keys={"primary": Key("OUTBOX#{place}", "{position}")}):
    """A message to somebody outside, written with what it tells of."""

    message_id: Ulid = Field(default_factory=new_ulid)
    at: IsoMillis
    #: What receivers tell messages apart by.
    kind: Word
    #: Messages of one subject leave in their order.
    subject: Reference
    place: Place = Field(default_factory=_pending)
    position: Position = Field(default_factory=_outbox_position)
    body: Annotated[dict[str, JsonValue], Personal()] = Field(default_factory=dict)
    attempts: int = Field(default=0, ge=0)
    #: Not before; None is at once.
    retry_at: EpochMillis | None = None
    #: Which sinks have it already, so that a second attempt leaves them alone.
    delivered: set[str] = Field(default_factory=set, max_length=10)
    #: What went wrong last.
    error: str | None = Field(default=None, max_length=500)
    #: When it was sent, or given up.
    ended_at: IsoMillis | None = None
    expires_at: Ttl | None = None


# --- requests ----------------------------------------------------------------------------------


class IdempotencyRecord(Entity, table=kit, keys={"primary": Key("IDEMPOTENT#{key_hash}", "KEY")}):
    """A request that must not be done twice, and the answer it got."""

    #: Of the caller and the key together: nobody meets another's keys.
    key_hash: Sha256
    request_hash: Sha256
    state: Literal["IN_PROGRESS", "DONE"] = "IN_PROGRESS"
    #: Which attempt is at work.
    attempt: Ulid = Field(default_factory=new_ulid)
    #: After this moment an attempt that did not answer counts as lost.
    busy_until: EpochMillis
    status: int | None = Field(default=None, ge=100, le=599)
    headers: dict[str, str] = Field(default_factory=dict)
    #: The body of the answer, encrypted.
    sealed: Annotated[bytes | None, Personal()] = None
    expires_at: Ttl


class SharedBucket(Entity, table=kit, keys={"primary": Key("BUCKET#{bucket}#{subject}", "BUCKET")}):
    """A rate limit that all processes share, as one moment: when it will be full again."""

    bucket: Name
    #: Who is limited; hashed where it is an address.
    subject: Name
    #: Microseconds since the epoch; what is ahead of now has been used.
    full_at_us: int
    #: By the clock of whoever used it last, so that a wrong one is noticed.
    written_at_us: int
    expires_at: Ttl


class EndedSession(Entity, table=kit, keys={"primary": Key("SESSION#{session_id}", "ENDED")}):
    """Somebody has signed out: their cookie is worth nothing any more, wherever it got to."""

    session_id: Annotated[str, Shaped("[A-Za-z0-9_-]{16,64}")]
    expires_at: Ttl


class SessionCutoff(
    Entity, table=kit, keys={"primary": Key("SESSIONS#{person_hash}", "NOT_BEFORE")}
):
    """An administrator has ended all sessions of a person: those that began before a moment."""

    #: Of the person's id or e-mail address, so that neither is readable here.
    person_hash: Sha256
    not_before: EpochMillis
    expires_at: Ttl


class ApiKey(Entity, table=kit, keys={"primary": Key("APIKEYS", "KEY#{key_id}")}):
    """A key for programs. Only a keyed hash of its secret is kept."""

    key_id: Annotated[str, Shaped("[0-9a-z]{8,32}")]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    secret_hash: str
    roles: set[str] = Field(default_factory=set, max_length=20)
    created_at: IsoSeconds
    created_by: Reference
    #: Whom it acts for; None is for nobody but whoever holds it.
    owner: Reference | None = None
    revoked_at: IsoSeconds | None = None
    revoked_by: Reference | None = None
    #: Roughly: it is not written with every request.
    last_used_at: IsoSeconds | None = None
    expires_at: Ttl | None = None


class OwnedKey(Entity, table=kit, keys={"primary": Key("OWNER#{owner}", "KEY#{key_id}")}):
    """That a key acts for somebody: theirs are found without reading all."""

    owner: Reference
    key_id: Annotated[str, Shaped("[0-9a-z]{8,32}")]
    created_at: IsoSeconds


# --- events ------------------------------------------------------------------------------------


class FeedEntry(Entity, table=kit, keys={"primary": Key("EVENTS#{topic}", "{event_id}")}):
    """An event that readers of a stream can catch up on, in every process."""

    topic: Word
    event_id: Ulid = Field(default_factory=new_ulid)
    kind: Word
    data: dict[str, JsonValue] = Field(default_factory=dict)
    at: IsoMillis
    expires_at: Ttl
