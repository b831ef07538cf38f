"""What is counted: the ledger, its sums, and what follows when a limit is used up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias

from pydantic import create_model, model_validator

from tablewright.model import (
    Counter,
    Entity,
    EpochMillis,
    EpochSeconds,
    Field,
    Key,
    Shard,
    Table,
    Ttl,
    Uuid,
)
from tablewright.systems.pricekeeper.shapes import (
    AppId,
    Bucket,
    Day,
    LabelName,
    LabelOrAll,
    Period,
    Scope,
    Slot,
    bucket_of,
    slot_of,
)

sticky_state = Table("StickyState", pk="PK", sk="SK", discriminator=None, ttl="expires_at_epoch")
usage = Table("UsageAggSharded", pk="PK", sk="SK", discriminator=None, ttl="expires_at_epoch")
totals = Table("DailyTotal", pk="PK", sk="SK", discriminator=None, ttl="expires_at_epoch")
# The stream feeds the fold of organisations whose write_mode is "stream".
ledger = Table(
    "RequestDedup",
    pk="PK",
    sk="SK",
    discriminator=None,
    ttl="expires_at_epoch",
    stream="NEW_IMAGE",
    pitr=True,
)

#: Writers hold one of these slots each, so that restarts never make a counter grow.
WRITERS = 64
#: Bytes of a ledger row, so that writing one is one unit.
LEDGER_BYTES = 1024
#: Bytes that the texts of free length in a ledger row may have together; the rest is bounded.
LEDGER_TEXT = 320
#: With the longest app (twice), label and price, a model's id of this length fits into one unit.
#: A longer one, such as the ARN of an inference profile, may make a row of two or three units.
USUAL_MODEL_ID = LEDGER_TEXT - 3 * 63 - len("region#standard#2026-11-01T00:00:00Z")

Tokens: TypeAlias = Annotated[int, Field(ge=-(10**12), le=10**12)]
Picos: TypeAlias = Annotated[int, Field(ge=-(10**24), le=10**24)]
#: A gate as a reservation sees it: of which level, and of its label or of all of them.
Held: TypeAlias = Literal["ORG", "ORG_ALL", "APP", "APP_ALL"]


# --- what is used up -----------------------------------------------------------------------------


class Exhausted(Entity, table=sticky_state, keys={"primary": Key("{scope}", "DAY#{day}")}):
    """The labels of a scope that are closed for the day, under one version of its limits."""

    scope: Scope
    day: Day
    #: An organisation's may come from many apps, each with 20 labels of its own at most.
    exhausted_labels: set[LabelName] = Field(default_factory=set, max_length=200)
    config_version: int = Field(ge=0)
    active_model_label: LabelName | None = None
    previous_model_label: LabelName | None = None
    reason: Literal["QUOTA_EXCEEDED", "MANUAL_OVERRIDE"]
    activated_at_epoch: EpochSeconds
    expires_at_epoch: Ttl


class Gate(Entity, table=sticky_state, keys={"primary": Key("{scope}", "DAY#{day}#GATE#{label}")}):
    """What a day's limit has let through: spend, and reservations that are still open."""

    scope: Scope
    day: Day
    label: LabelOrAll
    granted_picos: int = 0
    #: Of that, what was spent. What the day spent before there was such a limit is not in it.
    spent_picos: int = 0
    expires_at_epoch: Ttl


class AlertSent(
    Entity,
    table=sticky_state,
    keys={"primary": Key("{scope}", "{period}#ALERT#{label}#{pct:03d}")},
):
    """That a share of a limit was reached, and told: once for each limit, period and percentage."""

    scope: Scope
    period: Period
    label: LabelOrAll
    #: 0 is about no limit: usage had no price.
    pct: int = Field(ge=0, le=100)
    sent_at_epoch: EpochSeconds
    #: Micro-USD.
    spend: int
    quota: int
    expires_at_epoch: Ttl


class RecentAlert(
    Entity,
    table=sticky_state,
    keys={
        "primary": Key(
            "ALERTS#{sent_on}", "{sent_at_epoch}#{scope}#{period}#ALERT#{label}#{pct:03d}"
        )
    },
):
    """An alert in the list of all organisations' alerts, by the day (UTC) on which it was sent."""

    sent_on: Day
    sent_at_epoch: EpochSeconds
    scope: Scope
    period: Period
    label: LabelOrAll
    pct: int = Field(ge=0, le=100)
    #: Micro-USD.
    spend: int
    quota: int
    expires_at_epoch: Ttl


# --- counters and totals -------------------------------------------------------------------------


class Amounts(Entity):
    """What counters and totals sum up."""

    cost_usd_picos: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    errors: int = 0
    unpriced: int = 0
    #: Ledger rows counted. Unlike the cost it never falls: a correction is a row too.
    rev: int = 0


#: The fields of :class:`Amounts`.
AMOUNTS = tuple(Amounts.model_fields)
#: ``w_00`` to ``w_63``: the number of each writer's last flush.
WRITER_FIELDS = tuple(f"w_{slot:02d}" for slot in range(WRITERS))

if TYPE_CHECKING:

    class WriterSlots(Counter):
        pass
else:
    # Attributes of the item rather than a map: an update cannot write into a map that is not there.
    WriterSlots = create_model(
        "WriterSlots",
        __base__=Counter,
        __module__=__name__,
        **dict.fromkeys(WRITER_FIELDS, (int | None, None)),
    )


class UsageCounter(
    Amounts,
    WriterSlots,
    table=usage,
    keys={"primary": Key("ORG#{org_id}#APP#{app_id}#LABEL#{label}#SH#{shard:02d}", "DAY#{day}")},
    shards=8,
):
    """One shard of what an app has spent with a label on a day.

    How many shards there are is the organisation's ``agg_shard_count``; a day keeps the number
    that its :class:`Dirty` row was made with.
    """

    org_id: Uuid
    app_id: AppId
    label: LabelName
    shard: Shard = 0
    day: Day
    updated_at_epoch: EpochSeconds
    expires_at_epoch: Ttl


class Total(Amounts, table=totals, keys={"primary": Key("{scope}#LABEL#{label}", "{period}")}):
    """The sum of a scope, a label and a period, as of a moment."""

    scope: Scope
    label: LabelOrAll
    period: Period
    cost_usd_micros: int = 0
    #: Rises with every lease of the aggregator: who lost the lease cannot overwrite.
    fence: int = Field(ge=0)
    #: By writer: the last flush that is in the sum.
    seen: dict[str, int] = Field(default_factory=dict)
    as_of_ms: EpochMillis
    burn_micros_per_hour: int = 0
    quota_usd_micros: int | None = None
    #: What was used at all; on the total of all labels.
    labels: set[LabelName] = Field(default_factory=set, max_length=200)
    shard_count: int | None = Field(default=None, ge=1, le=64)
    final: bool = False
    updated_at_epoch: EpochSeconds
    expires_at_epoch: Ttl


def _slot(made: dict[str, Any]) -> int:
    return slot_of(made["org_id"])


class Dirty(
    Entity,
    table=totals,
    keys={"primary": Key("DIRTY#{slot}", "ORG#{org_id}#DAY#{day}#APP#{app_id}#LABEL#{label}")},
):
    """A count that is being written to, so its total has to be made again."""

    org_id: Uuid
    slot: Slot = Field(default_factory=_slot)
    day: Day
    app_id: AppId
    label: LabelName
    dirty_until_epoch: EpochSeconds
    shard_count: int = Field(ge=1, le=64)
    expires_at_epoch: Ttl


class StreamCheckpoint(Entity, table=totals, keys={"primary": Key("STREAM#{shard_id}", "CKPT")}):
    """How far a shard of the ledger's stream has been folded into the counters."""

    shard_id: str
    sequence: str
    expires_at_epoch: Ttl


# --- the ledger ----------------------------------------------------------------------------------


def _bucket(made: dict[str, Any]) -> str:
    return bucket_of(made["request_id"])


def _net(name: str) -> Any:
    """A usage's net amount is its own until it is corrected; a correction has none."""

    def amount(made: dict[str, Any]) -> int | None:
        found: int | None = made[name] if made["kind"] == "USAGE" else None
        return found

    return Field(default_factory=amount)


class Ledger(
    Entity,
    table=ledger,
    keys={"primary": Key("ORG#{org_id}#APP#{app_id}#B#{bucket}", "REQ#{request_id}")},
):
    """One report of usage, or one correction, under an id that counts once."""

    org_id: Uuid
    app_id: AppId
    request_id: Uuid
    bucket: Bucket = Field(default_factory=_bucket)
    kind: Literal["USAGE", "CORRECTION"] = "USAGE"
    #: How it is counted: E exactly, with the flush; S by the fold of the stream.
    mode: Literal["E", "S"] = "E"
    payload_hash: bytes = Field(min_length=16, max_length=16)
    flush_id: Uuid
    label: LabelName
    bedrock_model_id: str = Field(min_length=1)
    day: Day
    event_at_epoch: EpochSeconds
    status: Literal["OK", "ERROR"] = "OK"
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    cache_read_tokens: Tokens = 0
    cache_write_tokens: Tokens = 0
    cost_usd_picos: Picos = 0
    cost_source: Literal["PRICE", "CLIENT", "UNPRICED"]
    #: The sort key of the price that it was reckoned with; without a date if there was none then.
    price_id: str | None = None
    corrects: Uuid | None = None
    reason: str | None = None
    #: Of a usage: its latest correction. Of a correction: the one before it. So all are found.
    last_correction: Uuid | None = None
    net_input_tokens: Tokens | None = _net("input_tokens")
    net_output_tokens: Tokens | None = _net("output_tokens")
    net_cache_read_tokens: Tokens | None = _net("cache_read_tokens")
    net_cache_write_tokens: Tokens | None = _net("cache_write_tokens")
    net_cost_picos: Picos | None = _net("cost_usd_picos")
    expires_at_epoch: Ttl

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        # The app's id stands in the key and beside it.
        size = 2 * len(self.app_id) + len(self.label) + len(self.price_id or "")
        size += min(len(self.bedrock_model_id), USUAL_MODEL_ID)
        if size + len((self.reason or "").encode()) > LEDGER_TEXT:
            raise ValueError(f"its texts have more than {LEDGER_TEXT} bytes: the row is too large")
        return self

    @model_validator(mode="after")
    def _signs(self) -> Self:
        if (self.kind == "CORRECTION") != (self.corrects is not None):
            raise ValueError("a correction, and nothing else, says what it corrects")
        amounts = (self.cost_usd_picos, self.input_tokens, self.output_tokens)
        cached = (self.cache_read_tokens, self.cache_write_tokens)
        if self.kind == "USAGE" and min(*amounts, *cached) < 0:
            raise ValueError("only a correction has negative amounts")
        return self


class Reservation(
    Entity,
    table=ledger,
    keys={
        "primary": Key(
            "RSV#{slot}", "{expires_epoch}#{org_id}#{app_id}#{label}#{reservation_uuid}"
        ),
    },
):
    """Spend that is promised to a call until it reports, or until the promise ends."""

    org_id: Uuid
    slot: Slot = Field(default_factory=_slot)
    expires_epoch: EpochSeconds
    app_id: AppId
    label: LabelName
    reservation_uuid: Uuid
    reserved_picos: int = Field(ge=0)
    day: Day
    #: The gates that it went through, where it is given back: limits may change meanwhile.
    gates: set[Held] = Field(default_factory=set)
    #: A day after the promise: the sweeper gives the money back before the row goes.
    expires_at_epoch: Ttl
