"""What administrators set: organisations, apps, labels and prices."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field

from tablewright.systems.pricekeeper.bodies.examples import APP, LABEL, ORG, PRICE, shown
from tablewright.systems.pricekeeper.bodies.fields import In, LineText, ModelIdText, Moment, Out
from tablewright.systems.pricekeeper.bodies.selection import PriceOut
from tablewright.systems.pricekeeper.config import (
    SHORTEST_WINDOW_HOURS,
    MicrosPerMillion,
    Ordering,
    Percent,
    Quotas,
    RegionClass,
    Seconds,
    ServiceTier,
    Status,
    Threshold,
    TimeZone,
)

Name: TypeAlias = Annotated[LineText, Field(max_length=100)]
#: A status that can be given; DELETE deletes.
GivenStatus: TypeAlias = Literal["ACTIVE", "DISABLED"]
#: Rows of one import.
MAX_IMPORT = 1000


class OrgIn(In):
    """An organisation's settings, all of them: what is absent has its default."""

    model_config = shown(**ORG)

    org_name: Name
    timezone: TimeZone = Field(
        description="Such as `Europe/Oslo`. A change counts from the next midnight."
    )
    quota_scope: Literal["ORG", "APP", "BOTH"] = "ORG"
    model_ordering: Ordering = Field(description="From the best to the cheapest.")
    quotas: Quotas = Field(
        default_factory=dict,
        description="Micro-USD a day by label, or `_all`; null is unlimited, 0 is closed.",
    )
    quotas_week: Quotas = Field(default_factory=dict)
    quotas_month: Quotas = Field(default_factory=dict)
    sticky_fallback_enabled: bool = True
    agg_shard_count: int = Field(
        default=8,
        ge=1,
        le=64,
        description="A count that has begun keeps its number until its day is over.",
    )
    tight_mode_threshold_pct: Threshold = 95
    refresh_interval_normal_secs: Seconds = 300
    refresh_interval_tight_secs: Seconds = 60
    write_mode: Literal["exact", "stream"] = "exact"
    reservations: Literal["off", "on"] = Field(
        default="off",
        description="Switching on counts from the next midnight that is five minutes away.",
    )
    alert_pcts: list[Percent] = Field(default=[50, 80, 95, 100], max_length=20)
    fail_mode: Literal["closed", "open"] = "closed"
    unpriced: Literal["count", "block"] = Field(
        default="count",
        description="Labels whose model has no price. `count`: their usage counts as what the "
        "app reports, else as $0, so that limits may have no effect. `block`: they are not "
        "recommended until there is a price.",
    )
    late_window_hours: int = Field(default=48, ge=SHORTEST_WINDOW_HOURS, le=720)
    ledger_retention_days: int = Field(default=35, ge=2, le=400)
    status: GivenStatus | None = Field(default=None, description="Absent: as it is.")


def _partial(**example: object) -> ConfigDict:
    """Configure the schema of a partial change: no defaults, for what is absent stays as it is."""

    def change(schema: dict[str, Any]) -> None:
        schema["examples"] = [example]
        for member in schema["properties"].values():
            member.pop("default", None)

    return ConfigDict(json_schema_extra=change)


class OrgPatch(OrgIn):
    """Some settings of an organisation: what is absent stays as it is.

    A member that is given replaces what was there as a whole, limits too.
    """

    model_config = _partial(quotas={"premium": 25_000_000})

    org_name: Name = ""
    timezone: TimeZone = ""
    model_ordering: Ordering = Field(default=[], description="From the best to the cheapest.")


class ZoneChangeOut(Out):
    """From when on a time zone counts."""

    effective_from: datetime
    timezone: str


class OrgOut(Out):
    """An organisation as it is."""

    org_id: str
    org_name: str
    timezone: str
    zone_history: list[ZoneChangeOut]
    quota_scope: Literal["ORG", "APP", "BOTH"]
    model_ordering: list[str]
    quotas: dict[str, int | None]
    quotas_week: dict[str, int | None]
    quotas_month: dict[str, int | None]
    sticky_fallback_enabled: bool
    agg_shard_count: int
    tight_mode_threshold_pct: int
    refresh_interval_normal_secs: int
    refresh_interval_tight_secs: int
    write_mode: Literal["exact", "stream"]
    reservations: Literal["off", "on"]
    reservations_from: datetime | None = Field(
        default=None, description="From when on reservations count, if they are on."
    )
    alert_pcts: list[int]
    fail_mode: Literal["closed", "open"]
    unpriced: Literal["count", "block"]
    late_window_hours: int
    ledger_retention_days: int
    status: Status
    version: int
    created_at: datetime
    updated_at: datetime
    today: str = Field(description="The organisation's own day of today, and when it ends.")
    day_ends_at: datetime


class AppIn(In):
    """An app's settings; null is as the organisation has it."""

    model_config = shown(**APP)

    app_name: Name
    model_ordering: Ordering | None = None
    quotas: Quotas | None = None
    quotas_week: Quotas | None = None
    quotas_month: Quotas | None = None
    tight_mode_threshold_pct: Threshold | None = None
    refresh_interval_normal_secs: Seconds | None = None
    refresh_interval_tight_secs: Seconds | None = None
    status: GivenStatus | None = None


class AppPatch(AppIn):
    """Some settings of an app: what is absent stays as it is, null is as the organisation has it.

    A member that is given replaces what was there as a whole, limits too.
    """

    model_config = _partial(app_name="Website")

    app_name: Name = ""


class AppOut(Out):
    """An app as it is."""

    org_id: str
    app_id: str
    app_name: str
    model_ordering: list[str] | None
    quotas: dict[str, int | None] | None
    quotas_week: dict[str, int | None] | None
    quotas_month: dict[str, int | None] | None
    tight_mode_threshold_pct: int | None
    refresh_interval_normal_secs: int | None
    refresh_interval_tight_secs: int | None
    status: Status
    version: int
    created_at: datetime
    updated_at: datetime


class Waiting(Out):
    """A secret that waits to be fetched, once: ``POST /credentials/secret`` with the token."""

    client_id: str
    retrieval_token: str
    retrieval_expires_at: datetime


class OrgCreated(OrgOut, Waiting):
    """A new organisation, and the secret that waits for its client."""


class AppCreated(AppOut, Waiting):
    """A new app, and the secret that waits for its client."""


class OrgListed(Out):
    """An organisation in the list of all."""

    org_id: str
    org_name: str
    status: Status


class LabelIn(In):
    """The model behind a name that callers know."""

    model_config = shown(**LABEL)

    bedrock_model_id: ModelIdText
    region_class: RegionClass | None = Field(
        default=None,
        description="Absent: as the id of a profile says (`global.…`, `eu.…`), else `region`.",
    )
    tier: str = Field(
        default="", max_length=40, description="What kind of a model it is: `premium`, `fast` ..."
    )
    family: str = Field(default="", max_length=80)
    description: str = Field(default="", max_length=500)


class LabelOut(Out):
    """A label as it is."""

    label: str
    bedrock_model_id: str
    region_class: RegionClass
    tier: str
    family: str
    description: str
    priced: bool = Field(
        description="Whether its model has a price. If not, its usage counts as what the app "
        "reports, else as $0, so that limits on it may have no effect."
    )


#: Absent prices of the cache: the model has none, and its tokens of the cache cost nothing.
PricePerMillion: TypeAlias = Annotated[MicrosPerMillion, Field(strict=True)]


class PriceIn(In):
    """A price from a moment on; what was valid before stays."""

    model_config = shown(**PRICE)

    region_class: RegionClass = "region"
    service_tier: ServiceTier = "standard"
    effective_from: Moment | None = Field(default=None, description="Absent: from now on.")
    input_price_usd_micros_per_1m: PricePerMillion
    output_price_usd_micros_per_1m: PricePerMillion
    cache_read_price_usd_micros_per_1m: PricePerMillion = 0
    cache_write_price_usd_micros_per_1m: PricePerMillion = 0
    family: str = Field(default="", max_length=80)
    description: str = Field(default="", max_length=500)


class ImportedPrice(PriceIn):
    """One row of an import."""

    model_config = shown(bedrock_model_id="example.model-v1:0", **PRICE)

    bedrock_model_id: ModelIdText


class PriceImport(In):
    """Many prices at once."""

    model_config = shown(prices=[{"bedrock_model_id": "example.model-v1:0", **PRICE}])

    prices: list[ImportedPrice] = Field(min_length=1, max_length=MAX_IMPORT)


class PendingPriceOut(PriceOut):
    """A price that changed so much that somebody has to look at it before it counts."""

    change_pct: float
    previous_price_id: str


class PriceDecision(In):
    """Which price, of those that wait."""

    model_config = shown(
        bedrock_model_id="example.model-v1:0", region_class="region", service_tier="standard"
    )

    bedrock_model_id: ModelIdText
    region_class: RegionClass
    service_tier: ServiceTier


class ModelOut(Out):
    """A model that has a label or a price, and what it costs now."""

    bedrock_model_id: str
    labels: list[str]
    prices: list[PriceOut]


class PricesOut(Out):
    """All prices of a model, the latest first, and those that wait for approval."""

    bedrock_model_id: str
    items: list[PriceOut]
    pending: list[PendingPriceOut] = Field(default_factory=list)


class ImportOut(Out):
    """What an import, or a refresh, did."""

    saved: int
    unchanged: int
    pending: int = Field(default=0, description="Changes that wait for approval.")
    skipped: list[str] = Field(
        default_factory=list,
        description="What the source offered and nobody can use, with the reason.",
    )
