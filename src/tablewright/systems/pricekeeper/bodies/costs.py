"""Reports of usage, corrections and reservations, and what is answered to them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tablewright.systems.pricekeeper.bodies.examples import CORRECTION, COST, shown
from tablewright.systems.pricekeeper.bodies.fields import (
    MAX_CLIENT_COST,
    MAX_TOKENS,
    DayText,
    In,
    LabelText,
    LineText,
    MicroUsd,
    ModelIdText,
    Moment,
    Out,
    TokenCount,
    UuidText,
)
from tablewright.systems.pricekeeper.bodies.selection import Guidance
from tablewright.systems.pricekeeper.config import RegionClass, ServiceTier
from tablewright.systems.pricekeeper.rules.usage import Usage

#: Reports in one request.
MAX_BATCH = 500

Flag: TypeAlias = Literal["cost_mismatch", "outside_ordering", "unpriced"]
CostSource: TypeAlias = Literal["PRICE", "CLIENT", "UNPRICED"]
ClientCost: TypeAlias = Annotated[int, Field(ge=0, le=MAX_CLIENT_COST, strict=True)]
#: What a correction adds to a count; mostly negative.
TokenChange: TypeAlias = Annotated[int, Field(ge=-MAX_TOKENS, le=MAX_TOKENS, strict=True)]
CostChange: TypeAlias = Annotated[int, Field(ge=-MAX_CLIENT_COST, le=MAX_CLIENT_COST, strict=True)]
ReservationId: TypeAlias = Annotated[str, Field(min_length=1, max_length=400)]


class CostIn(In):
    """What one call of a model has used. The id counts once, however often it is sent."""

    model_config = shown(**COST)

    request_id: UuidText
    label: LabelText
    timestamp: Moment = Field(
        description="When the model was called; it decides the day that the spend lands on."
    )
    input_tokens: TokenCount = Field(default=0, description="Without tokens of the cache.")
    output_tokens: TokenCount = 0
    cache_read_tokens: TokenCount = 0
    cache_write_tokens: TokenCount = 0
    status: Literal["OK", "ERROR"] = "OK"
    bedrock_model_id: ModelIdText | None = Field(
        default=None, description="The model that answered, if it is not the label's."
    )
    region_class: RegionClass | None = None
    service_tier: ServiceTier | None = None
    cost_usd_micros: ClientCost | None = Field(
        default=None,
        description="The caller's own reckoning: a check, or the cost where there is no price.",
    )
    reservation_id: ReservationId | None = None

    def usage(self) -> Usage:
        return Usage(
            self.request_id,
            self.label,
            self.timestamp,
            self.status,
            self.input_tokens,
            self.output_tokens,
            self.cache_read_tokens,
            self.cache_write_tokens,
            self.bedrock_model_id,
            self.region_class,
            self.service_tier,
            self.cost_usd_micros,
            self.reservation_id,
        )


class Recorded(Out):
    """How one report was counted; of a duplicate, how the first one was."""

    result: Literal["recorded", "duplicate"]
    request_id: str
    label: str
    day: DayText
    cost_usd_micros: int
    cost_usd_picos: int
    cost_source: CostSource
    price_id: str | None = None
    flags: list[Flag] = Field(default_factory=list)


class CostOut(Recorded):
    """How a report was counted, and what to use next."""

    guidance: Guidance


class BatchIn(In):
    """Up to 500 reports; each is answered by itself."""

    model_config = shown(records=[COST])

    records: list[CostIn] = Field(min_length=1, max_length=MAX_BATCH)


class BatchResult(Out):
    """The answer to one report of a batch: ``problem`` if it was refused."""

    status: Literal[200, 201, 400, 409, 422, 500, 503]
    request_id: str | None = Field(
        default=None, description="As it was sent; absent if it could not be read."
    )
    result: Literal["recorded", "duplicate"] | None = None
    label: str | None = None
    day: DayText | None = None
    cost_usd_micros: int | None = None
    cost_usd_picos: int | None = None
    cost_source: CostSource | None = None
    price_id: str | None = None
    flags: list[Flag] = Field(default_factory=list)
    problem: dict[str, object] | None = Field(default=None, description="A problem document.")


class BatchOut(Out):
    """The answers, in the order of the reports."""

    results: list[BatchResult]
    guidance: Guidance


class RecordOut(Out):
    """One row of the ledger."""

    request_id: str
    kind: Literal["USAGE", "CORRECTION"]
    label: str
    bedrock_model_id: str
    day: DayText
    timestamp: datetime
    status: Literal["OK", "ERROR"]
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd_micros: int
    cost_usd_picos: int
    cost_source: CostSource
    price_id: str | None = None
    net_cost_usd_micros: int | None = Field(
        default=None, description="After corrections; a correction has none."
    )
    net_cost_usd_picos: int | None = None
    corrects: str | None = None
    reason: str | None = None


class RecordWithCorrections(Out):
    """A record, and what was corrected in it."""

    record: RecordOut
    corrections: list[RecordOut] = Field(default_factory=list)


class CorrectionIn(In):
    """What to add to a record: negative numbers take away, and nothing falls below zero."""

    model_config = shown(**CORRECTION)

    correction_id: UuidText = Field(description="The correction's own id: it counts once too.")
    request_id: UuidText
    input_tokens: TokenChange = 0
    output_tokens: TokenChange = 0
    cache_read_tokens: TokenChange = 0
    cache_write_tokens: TokenChange = 0
    cost_usd_micros: CostChange | None = Field(
        default=None,
        description="The change of the cost. Absent: reckoned from the tokens and the price.",
    )
    reason: LineText = Field(max_length=80)

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        counts = (self.input_tokens, self.output_tokens)
        cached = (self.cache_read_tokens, self.cache_write_tokens)
        if not any((*counts, *cached, self.cost_usd_micros)):
            raise ValueError("changes nothing: give tokens or a cost")
        return self


class CorrectionOut(Out):
    """The correction as it was counted, and the record as it is now."""

    result: Literal["recorded", "duplicate"]
    correction: RecordOut
    record: RecordOut


class ReservationIn(In):
    """Spend to be set aside for one call."""

    model_config = shown(label="premium", max_usd_micros=20_000)

    label: LabelText
    max_usd_micros: MicroUsd = Field(description="What the call costs at the most.")
    ttl_secs: int = Field(default=120, ge=1, le=900, strict=True)


class ReservationOut(Out):
    """Spend that is set aside until ``expires_at``."""

    reservation_id: str
    label: str
    day: DayText
    reserved_usd_micros: int
    expires_at: datetime
