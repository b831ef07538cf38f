"""Which model to use, and how spend stands: selection, guidance, aggregates, alerts."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from tablewright.systems.pricekeeper.bodies.examples import shown
from tablewright.systems.pricekeeper.bodies.fields import (
    DayText,
    In,
    LabelText,
    Level,
    LineText,
    Out,
    Window,
)
from tablewright.systems.pricekeeper.config import RegionClass, ServiceTier


class Guidance(Out):
    """What to use, for how long; every answer to a report carries it.

    Spend, quota and percentage are those of the recommended label's limit that is nearest its end.
    """

    recommended_label: str | None
    bedrock_model_id: str | None = Field(
        default=None, description="The model behind the recommended label."
    )
    mode: Literal["NORMAL", "TIGHT"]
    pct: float
    spend_usd_micros: int
    quota_usd_micros: int | None = None
    time_left_secs: int | None = Field(
        default=None, description="Until a limit is reached, as spend goes now."
    )
    cache_duration_secs: int = Field(description="How long to go on without asking again.")
    as_of: datetime
    lag_ms: int
    stale: bool = Field(
        default=False, description="The store did not answer, and this is what was known before."
    )


class LimitStatus(Out):
    """One limit, and how much of it is spent."""

    scope: Level
    window: Window
    label: str = Field(description="`_all` is all labels together.")
    quota_usd_micros: int | None
    spend_usd_micros: int
    pct: float


class LabelStatus(Out):
    """One label of the caller's ordering."""

    label: str
    bedrock_model_id: str | None
    priced: bool = Field(
        description="Whether the model has a price. If not, usage counts as what the app "
        "reports, else as $0; an organisation with `unpriced: block` closes the label."
    )
    open: bool
    exhausted: bool = Field(
        description="Closed for the day, also if the spend has been corrected since."
    )
    pct: float
    limits: list[LimitStatus]


class PriceOut(Out):
    """What a model costs from a moment on, in micro-USD for a million tokens."""

    bedrock_model_id: str
    region_class: RegionClass
    service_tier: ServiceTier
    effective_from: datetime
    input_price_usd_micros_per_1m: int
    output_price_usd_micros_per_1m: int
    cache_read_price_usd_micros_per_1m: int
    cache_write_price_usd_micros_per_1m: int
    source: Literal["BUNDLED", "PRICE_LIST", "MANUAL"]
    family: str
    description: str
    fetched_at: datetime
    price_id: str


class SelectionOut(Out):
    """The first label of the caller's ordering that is open, and why."""

    org_id: str
    app_id: str
    recommended_label: str | None
    bedrock_model_id: str | None
    reason: str
    models_status: list[LabelStatus]
    pricing: PriceOut | None = Field(
        description="Of the recommended label; absent if it has no price."
    )
    client_guidance: Guidance
    as_of: datetime


class AmountsOut(Out):
    """What was counted."""

    cost_usd_micros: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    requests: int
    errors: int
    unpriced: int


class LabelAmounts(AmountsOut):
    """What was counted of one label, and the limit of the time."""

    quota_usd_micros: int | None = None


class AggregatesOut(Out):
    """The spend of a day, a week or a month."""

    org_id: str
    app_id: str | None = None
    window: Window
    period: str = Field(description="`2026-11-15`, `2026-W47` or `2026-11`.")
    models: dict[str, LabelAmounts]
    totals: LabelAmounts
    active_model_label: str | None = None
    final: bool
    as_of: datetime | None = None


class HistoryOut(Out):
    """The spend of several days, the earliest first."""

    org_id: str
    app_id: str | None = None
    items: list[AggregatesOut]


class OverrideIn(In):
    """Labels to close or to open for the rest of the day."""

    model_config = shown(exhaust=["premium"], reason="The provider is down.")

    exhaust: list[LabelText] = Field(default=[], max_length=20)
    restore: list[LabelText] = Field(default=[], max_length=20)
    reason: LineText = Field(max_length=200)


class OverrideOut(Out):
    """What is closed now."""

    day: DayText
    exhausted_labels: list[str]
    reason: str
    activated_at: datetime


class AlertOut(Out):
    """A share of a limit that was reached."""

    org_id: str
    app_id: str | None = None
    period: str
    label: str
    pct: int
    spend_usd_micros: int
    quota_usd_micros: int
    sent_at: datetime
