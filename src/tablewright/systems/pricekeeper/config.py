"""What administrators set: organisations, apps, labels, prices; and what gives access to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, model_validator

from tablewright.model import (
    Entity,
    EpochSeconds,
    Field,
    IsoSeconds,
    Key,
    Table,
    Ttl,
    Uuid,
    Version,
)
from tablewright.systems.pricekeeper.shapes import (
    AppId,
    Holder,
    LabelName,
    LabelOrAll,
    Sha256,
    TokenKey,
)

# No entity has a discriminator: the seed has none, and every key says by itself what it is.
config = Table("Config", pk="PK", sk="SK", discriminator=None, pitr=True)
prices = Table("PricingCache", pk="PK", sk="SK", discriminator=None)
revoked_tokens = Table("RevokedTokens", pk="PK", discriminator=None, ttl="expires_at_epoch")
retrieval_tokens = Table(
    "SecretRetrievalTokens", pk="PK", discriminator=None, ttl="expires_at_epoch"
)

Status: TypeAlias = Literal["ACTIVE", "DISABLED", "DELETED"]
RegionClass: TypeAlias = Literal["global", "geo", "region"]
ServiceTier: TypeAlias = Literal["standard", "flex", "priority", "batch"]
#: Of the time zone database: ``Europe/Oslo``.
TimeZone: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_+/-]{1,64}$")]
DisplayName: TypeAlias = Annotated[str, Field(min_length=1, max_length=100)]
Ordering: TypeAlias = Annotated[list[LabelName], Field(min_length=1, max_length=20)]
#: Micro-USD by label; None is unlimited.
Quotas: TypeAlias = dict[LabelOrAll, Annotated[int, Field(ge=0, le=10**15)] | None]
Percent: TypeAlias = Annotated[int, Field(ge=1, le=100)]
Threshold: TypeAlias = Annotated[int, Field(ge=50, le=100)]
Seconds: TypeAlias = Annotated[int, Field(ge=1, le=86_400)]
#: Of a model or of an inference profile, whose ARN may be long.
ModelId: TypeAlias = Annotated[str, Field(min_length=1, max_length=2048)]
#: Of a model in AWS's price list: it stands in a sort key.
ListedModelId: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
ClientId: TypeAlias = Annotated[
    str, Field(pattern=r"^org-[0-9a-f-]{36}(-app-[a-z0-9][a-z0-9_-]{0,62})?$")
]
MicrosPerMillion: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
#: Of the windows for late records that an organisation can have.
SHORTEST_WINDOW_HOURS = 24


class ZoneChange(BaseModel):
    """From when on a time zone counts."""

    from_epoch: EpochSeconds
    timezone: TimeZone


class Org(Entity, table=config, keys={"primary": Key("ORG#{org_id}", "META")}):
    """An organisation: its calendar, its limits, and how strictly they are kept."""

    org_id: Uuid
    org_name: DisplayName
    timezone: TimeZone
    zone_history: list[ZoneChange] = Field(default_factory=list)
    quota_scope: Literal["ORG", "APP", "BOTH"] = "ORG"
    model_ordering: Ordering
    quotas: Quotas = Field(default_factory=dict)
    quotas_week: Quotas = Field(default_factory=dict)
    quotas_month: Quotas = Field(default_factory=dict)
    sticky_fallback_enabled: bool = True
    agg_shard_count: int = Field(default=8, ge=1, le=64)
    tight_mode_threshold_pct: Threshold = 95
    refresh_interval_normal_secs: Seconds = 300
    refresh_interval_tight_secs: Seconds = 60
    write_mode: Literal["exact", "stream"] = "exact"
    reservations: Literal["off", "on"] = "off"
    #: The midnight from which on reservations count: gates know all of a day, or nothing.
    reservations_from_epoch: EpochSeconds | None = None
    alert_pcts: tuple[Percent, ...] = (50, 80, 95, 100)
    fail_mode: Literal["closed", "open"] = "closed"
    #: Labels whose model has no price: their usage counts as nothing, or they are not recommended.
    unpriced: Literal["count", "block"] = "count"
    late_window_hours: int = Field(default=48, ge=SHORTEST_WINDOW_HOURS, le=720)
    ledger_retention_days: int = Field(default=35, ge=2, le=400)
    #: Since when rows of the ledger are kept as long as they are now: older ones are not.
    retention_raised_epoch: EpochSeconds | None = None
    status: Status = "ACTIVE"
    version: Version = 0
    created_at_epoch: EpochSeconds
    updated_at_epoch: EpochSeconds

    @model_validator(mode="after")
    def _outlives_the_window(self) -> Self:
        # A repeat that is still allowed has to find the row that it repeats.
        if self.ledger_retention_days * 24 < self.late_window_hours + 24:
            raise ValueError("ledger_retention_days has to be the late window and a day more")
        return self


class App(Entity, table=config, keys={"primary": Key("ORG#{org_id}", "APP#{app_id}")}):
    """An app of an organisation; what is None is as the organisation has it."""

    org_id: Uuid
    app_id: AppId
    app_name: DisplayName
    status: Status = "ACTIVE"
    model_ordering: Ordering | None = None
    quotas: Quotas | None = None
    quotas_week: Quotas | None = None
    quotas_month: Quotas | None = None
    tight_mode_threshold_pct: Threshold | None = None
    refresh_interval_normal_secs: Seconds | None = None
    refresh_interval_tight_secs: Seconds | None = None
    version: Version = 0
    created_at_epoch: EpochSeconds
    updated_at_epoch: EpochSeconds


class Credential(Entity, table=config, keys={"primary": Key("ORG#{org_id}", "{holder}")}):
    """What a client proves itself with, apart from the settings that every request reads."""

    org_id: Uuid
    holder: Holder = "CRED"
    client_id: ClientId
    client_secret_hash: str
    client_secret_created_at_epoch: EpochSeconds
    previous_secret_hash: str | None = None
    client_secret_rotation_grace_expires_at_epoch: EpochSeconds | None = None
    #: Counts rotations. No Version: a better hash of the same secret is no new credential.
    cred_version: int = Field(default=1, ge=1)
    tokens_valid_after_epoch: EpochSeconds | None = None


class Label(Entity, table=config, keys={"primary": Key("GLOBAL#LABEL", "LABEL#{label}")}):
    """A name that callers know, and the model behind it."""

    label: LabelName
    bedrock_model_id: ModelId
    region_class: RegionClass = "region"
    tier: str = Field(max_length=40)
    family: str = Field(max_length=80)
    description: str = Field(default="", max_length=500)


class OrgIndex(Entity, table=config, keys={"primary": Key("GLOBAL#ORG", "ORG#{org_id}")}):
    """An organisation in the list of all; written with it."""

    org_id: Uuid
    org_name: DisplayName
    status: Status


class Price(
    Entity,
    table=prices,
    keys={
        "primary": Key("{bedrock_model_id}", "{region_class}#{service_tier}#{effective_from}"),
    },
):
    """What a model costs from a moment on. Never deleted: old records were priced by it."""

    bedrock_model_id: ModelId
    region_class: RegionClass
    service_tier: ServiceTier
    effective_from: IsoSeconds
    input_price_usd_micros_per_1m: MicrosPerMillion
    output_price_usd_micros_per_1m: MicrosPerMillion
    cache_read_price_usd_micros_per_1m: MicrosPerMillion = 0
    cache_write_price_usd_micros_per_1m: MicrosPerMillion = 0
    source: Literal["BUNDLED", "PRICE_LIST", "MANUAL"]
    family: str = Field(max_length=80)
    description: str = Field(default="", max_length=500)
    fetched_at_epoch: EpochSeconds


class PendingPrice(
    Entity,
    table=config,
    keys={
        "primary": Key("GLOBAL#PRICE", "PENDING#{bedrock_model_id}#{region_class}#{service_tier}")
    },
):
    """A price of the price list that differs too much to be believed before somebody looked."""

    bedrock_model_id: ListedModelId
    region_class: RegionClass
    service_tier: ServiceTier
    effective_from: IsoSeconds
    input_price_usd_micros_per_1m: MicrosPerMillion
    output_price_usd_micros_per_1m: MicrosPerMillion
    cache_read_price_usd_micros_per_1m: MicrosPerMillion = 0
    cache_write_price_usd_micros_per_1m: MicrosPerMillion = 0
    family: str = Field(max_length=80)
    description: str = Field(default="", max_length=500)
    fetched_at_epoch: EpochSeconds
    #: The sort key of the price that it would follow, and how far it is from it.
    previous_price_id: str
    change_pct: int = Field(ge=0)
    #: A price that was rejected is kept, so that nobody is asked about it again.
    state: Literal["WAITING", "REJECTED"] = "WAITING"


def _until_expiry(made: dict[str, Any]) -> Any:
    return made["original_expiry_epoch"]


class RevokedToken(Entity, table=revoked_tokens, keys={"primary": Key("{token}")}):
    """A token, or a whole family of them, that is worth nothing any more."""

    token: TokenKey
    token_type: Literal["access", "refresh"]
    client_id: ClientId
    revoked_at_epoch: EpochSeconds
    original_expiry_epoch: EpochSeconds
    expires_at_epoch: Ttl = Field(default_factory=_until_expiry)


class SecretRetrieval(Entity, table=retrieval_tokens, keys={"primary": Key("{token_hash}")}):
    """A secret to be fetched once, encrypted under a token of which only a hash is kept."""

    token_hash: Sha256
    org_id: Uuid
    app_id: AppId | None = None
    secret_type: Literal["org", "app"]
    client_id: ClientId
    ciphertext: bytes | None
    nonce: bytes = Field(min_length=12, max_length=12)
    used: bool = False
    used_at_epoch: EpochSeconds | None = None
    created_at_epoch: EpochSeconds
    expires_at_epoch: Ttl
