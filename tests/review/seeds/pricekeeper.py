"""Bedrock Price Keeper: quotas for the spend on language models, in seven tables."""

from __future__ import annotations

from collections.abc import Iterator

from tests.review.seeds.parts import booleans, numbers, texts

from tablewright.review.design import (
    Attribute,
    Begins,
    Between,
    Design,
    Entity,
    Figure,
    Flow,
    Index,
    Key,
    Pattern,
    Retention,
    Sample,
    Table,
)

ORG = "ORG#{org_id}"
APP = "ORG#{org_id}#APP#{app_id}"
#: The two ways to count, by quota_scope: what entities are called, and their scope in keys.
SCOPES = {"ORG": ("Org", ORG), "APP": ("App", APP)}


def design() -> Design:
    return Design.of(
        "pricekeeper",
        *TABLES,
        *CONFIG,
        *_by_scope(),
        *OTHERS,
        *CONFIG_PATTERNS,
        *_patterns_by_scope(),
        *OTHER_PATTERNS,
        *FLOWS,
        *SAMPLES,
        *FIGURES,
    )


TABLES = (
    Table("Config", pk="PK", sk="SK"),
    Table("StickyState", pk="PK", sk="SK", ttl="expires_at_epoch"),
    Table(
        "UsageAggSharded",
        pk="PK",
        sk="SK",
        # "Optional GSIs for Advanced Use Cases"; the document names no attributes for its keys.
        indexes=(Index("Discovery", pk="GSIPK", sk="GSISK"),),
    ),
    Table("DailyTotal", pk="PK", sk="SK"),
    Table("PricingCache", pk="PK", sk="SK", ttl="expires_at_epoch"),
    Table("RevokedTokens", pk="PK", ttl="expires_at_epoch"),
    Table("SecretRetrievalTokens", pk="PK", ttl="expires_at_epoch"),
)

# --- entities ------------------------------------------------------------------------------------

#: What keys are made of. Organisations have UUIDs; app ids and labels are what people configure.
_IDS = {
    "org_id": Attribute("org_id", format="uuid"),
    "app_id": Attribute("app_id", free_text=True, examples=("app-production-api",)),
    "label": Attribute("label", free_text=True, examples=("premium", "standard", "economy")),
    "shard_id": Attribute("shard_id", "N", distinct=8),
    "day": Attribute("day", format="day", examples=("20260123",)),
}


def _ids(*names: str) -> tuple[Attribute, ...]:
    return tuple(_IDS[name] for name in names)


_CREDENTIALS = (
    *texts("client_id"),
    Attribute("client_secret_hash", secret="hash"),
    *numbers("client_secret_created_at_epoch"),
    *numbers("client_secret_rotation_grace_expires_at_epoch", required=False),
)
_STAMPS = numbers("created_at_epoch", "updated_at_epoch", format="epoch_seconds")

CONFIG = (
    Entity(
        "Org",
        "Config",
        keys=(Key(ORG, ""),),
        attributes=(
            *_ids("org_id"),
            *texts("org_name", "timezone"),
            Attribute("quota_scope", values=("ORG", "APP")),
            Attribute("model_ordering", "L"),
            Attribute("quotas", "M"),
            *booleans("sticky_fallback_enabled"),
            *numbers(
                "agg_shard_count",
                "tight_mode_threshold_pct",
                "refresh_interval_normal_secs",
                "refresh_interval_tight_secs",
            ),
            *_CREDENTIALS,
            Attribute("provisioning_api_key_hash", required=False, secret="hash"),
            *_STAMPS,
        ),
    ),
    Entity(
        "App",
        "Config",
        keys=(Key(ORG, "APP#{app_id}"),),
        attributes=(
            *_ids("org_id", "app_id"),
            *texts("app_name"),
            Attribute("model_ordering", "L", required=False),
            Attribute("quotas", "M", required=False),
            *numbers(
                "tight_mode_threshold_pct",
                "refresh_interval_normal_secs",
                "refresh_interval_tight_secs",
                required=False,
            ),
            *_CREDENTIALS,
            *_STAMPS,
        ),
    ),
)

_COUNTERS = numbers("cost_usd_micros", "input_tokens", "output_tokens", "requests")
#: The prices that the document's own example of the premium label gives.
_PRICED = "cost_usd_micros == (input_tokens * 3000000 + output_tokens * 15000000) / 1000000"
_SAME_DAY = "day(updated_at_epoch) == day(day)"


def _by_scope() -> Iterator[Entity]:
    for name, scope in SCOPES.values():
        ids = ("org_id",) if name == "Org" else ("org_id", "app_id")
        yield Entity(
            f"{name}StickyState",
            "StickyState",
            keys=(Key(scope, "DAY#{day}"),),
            attributes=(
                *_ids(*ids, "day"),
                *texts("active_model_label"),
                *numbers("active_model_index"),
                Attribute("reason", values=("QUOTA_EXCEEDED", "MANUAL_OVERRIDE")),
                *texts("previous_model_label"),
                *numbers("activated_at_epoch", "expires_at_epoch", format="epoch_seconds"),
            ),
            ttl="expires_at_epoch",
            # "End of org-local day + 1 hour buffer."
            relations=(
                "day(activated_at_epoch) == day(day)",
                "expires_at_epoch >= seconds(day) + 86400 + 3600",
            ),
        )
        yield Entity(
            f"{name}Shard",
            "UsageAggSharded",
            keys=(
                Key(f"{scope}#LABEL#{{label}}#SH#{{shard_id}}", "DAY#{day}"),
                # "ACTIVE#{org_day}" / "{scope_type}#{scope_id}#LABEL#{label}"
                Key("ACTIVE#{day}", f"{scope}#LABEL#{{label}}", on="Discovery"),
            ),
            attributes=(
                *_ids(*ids, "label", "shard_id", "day"),
                *_COUNTERS,
                Attribute("request_ids", "SS", required=False, grows=True, item_bytes=36),
                *numbers("updated_at_epoch", format="epoch_seconds"),
            ),
            # "TTL deletes from DynamoDB after 30-90 days."
            retention=Retention(days=90),
            relations=(_SAME_DAY, _PRICED),
        )
        yield Entity(
            f"{name}DailyTotal",
            "DailyTotal",
            keys=(Key(f"{scope}#LABEL#{{label}}", "DAY#{day}"),),
            attributes=(
                *_ids(*ids, "label", "day"),
                *_COUNTERS,
                *numbers("updated_at_epoch", format="epoch_seconds"),
            ),
            retention=Retention(days=90),
            relations=(_SAME_DAY, _PRICED),
        )


OTHERS = (
    Entity(
        "Price",
        "PricingCache",
        keys=(Key("{bedrock_model_id}", "{date}"),),
        attributes=(
            *texts("bedrock_model_id"),
            *texts("date", format="date"),
            *texts("model_label", "tier", "family", "description"),
            *numbers("input_price_usd_micros_per_1m", "output_price_usd_micros_per_1m"),
            *numbers("fetched_at_epoch", "expires_at_epoch", format="epoch_seconds"),
        ),
        ttl="expires_at_epoch",
        retention=Retention(days=3, after="fetched_at_epoch", computed_from="fetched_at_epoch"),
        relations=("day(fetched_at_epoch) == day(date)",),
    ),
    Entity(
        "RevokedToken",
        "RevokedTokens",
        keys=(Key("{token_jti}"),),
        attributes=(
            *texts("token_jti"),
            Attribute("token_type", values=("access", "refresh")),
            *texts("client_id"),
            *numbers(
                "revoked_at_epoch",
                "original_expiry_epoch",
                "expires_at_epoch",
                format="epoch_seconds",
            ),
        ),
        ttl="expires_at_epoch",
        relations=("expires_at_epoch == original_expiry_epoch",),
    ),
    Entity(
        "SecretRetrievalToken",
        "SecretRetrievalTokens",
        keys=(Key("{token_uuid}"),),
        attributes=(
            # "Token is cryptographically random UUID": who has it gets the secret.
            Attribute("token_uuid", format="uuid", secret="clear"),
            *texts("org_id"),
            *texts("app_id", required=False),
            Attribute("secret_type", values=("org", "app")),
            *texts("client_id"),
            *numbers("created_at_epoch", "expires_at_epoch", format="epoch_seconds"),
            *booleans("used"),
            *numbers("used_at_epoch", required=False),
        ),
        ttl="expires_at_epoch",
        relations=("expires_at_epoch == created_at_epoch + 600",),
    ),
)

# --- patterns ------------------------------------------------------------------------------------

CONFIG_PATTERNS = (
    Pattern("get_org_config", "get", "Org", key={"PK": ORG, "SK": ""}),
    Pattern("get_app_config", "get", "App", key={"PK": ORG, "SK": "APP#{app_id}"}),
    Pattern("list_apps", "query", "App", key={"PK": ORG, "SK": Begins("APP#")}),
    # "Low (admin updates)": how they are made is not said.
    Pattern("configure_org", "put", "Org", wish=True),
    Pattern("configure_app", "put", "App", wish=True),
    *(
        Pattern(
            f"rotate_{entity.lower()}_secret",
            "update",
            entity,
            key={"PK": ORG, "SK": sort},
            update=(
                "SET client_secret_hash = :new_hash, client_secret_created_at_epoch = :now, "
                "client_secret_rotation_grace_expires_at_epoch = :grace_expiry"
            ),
            values={":new_hash": "S", ":now": "N", ":grace_expiry": "N"},
            existing=True,
            # "Old secret remains valid for configured hours."
            preserves=("client_secret_hash",),
        )
        for entity, sort in (("Org", ""), ("App", "APP#{app_id}"))
    ),
    # "Read config to get client credentials. Return client_id and client_secret in response."
    Pattern(
        "read_org_credentials",
        "get",
        "Org",
        key={"PK": ORG, "SK": ""},
        reads=("client_id", "client_secret"),
    ),
    Pattern(
        "read_app_credentials",
        "get",
        "App",
        key={"PK": ORG, "SK": "APP#{app_id}"},
        reads=("client_id", "client_secret"),
    ),
)

_ADD = "ADD cost_usd_micros :c, input_tokens :i, output_tokens :o, requests :r"
_COUNTED = {":c": "N", ":i": "N", ":o": "N", ":r": "N", ":t": "N"}
_FORWARD = "attribute_not_exists(active_model_label) OR active_model_index < :new_index"


def _patterns_by_scope() -> Iterator[Pattern]:
    for mode, (name, scope) in SCOPES.items():
        yield from _sticky_patterns(mode, name, scope)
        yield from _shard_patterns(mode, name, scope)
        yield from _total_patterns(mode, name, scope)


def _sticky_patterns(mode: str, name: str, scope: str) -> Iterator[Pattern]:
    key = {"PK": scope, "SK": "DAY#{day}"}
    entity, only = f"{name}StickyState", {"quota_scope": mode}
    low = name.lower()
    yield Pattern(
        f"check_{low}_sticky",
        "get",
        entity,
        key=key,
        now=("day",),
        # The model that it names is used without any further check.
        fresh=True,
        drops_expired=False,
        peak=10_000,
        only_if=only,
        component="service",
    )
    for kind in ("put", "update"):
        # A put where the table is described; an update in "Race Conditions Handled".
        yield Pattern(
            f"set_{low}_sticky",
            kind,  # type: ignore[arg-type]
            entity,
            key=key,
            sets=(
                "active_model_label",
                "active_model_index",
                "reason",
                "previous_model_label",
                "activated_at_epoch",
                "expires_at_epoch",
            ),
            condition=_FORWARD,
            values={":new_index": "N"},
            only_if=only,
            component="service",
        )


def _shard_patterns(mode: str, name: str, scope: str) -> Iterator[Pattern]:
    entity, only = f"{name}Shard", {"quota_scope": mode}
    partition = f"{scope}#LABEL#{{label}}#SH#{{shard_id}}"
    for update, values in (
        # Where the table is described, and in "Cost Submission Processing".
        (f"{_ADD} SET updated_at_epoch = :t", _COUNTED),
        (
            f"{_ADD} ADD request_ids :request_id SET updated_at_epoch = :t",
            {**_COUNTED, ":request_id": "SS"},
        ),
    ):
        yield Pattern(
            f"submit_{name.lower()}_cost",
            "update",
            entity,
            key={"PK": partition, "SK": "DAY#{day}"},
            update=update,
            values=values,
            # "request_ids set in UsageAggSharded prevents duplicate processing."
            idempotent=True,
            rate=10,
            peak=5_000,
            hottest=1 / 8,
            only_if=only,
            component="service",
        )
    yield Pattern(
        f"read_{name.lower()}_shards",
        "batch_get",
        entity,
        key={"PK": partition, "SK": "DAY#{day}"},
        expect=8,
        # They are summed, and the sum replaces the total.
        fresh=True,
        # "Read all shards. Sum in-memory. Overwrite": what was left unprocessed is not asked for.
        retries_unprocessed=False,
        every=60,
        only_if=only,
        component="aggregator",
    )
    yield Pattern(
        f"discover_{name.lower()}_scopes",
        "query",
        entity,
        index="Discovery",
        key={"GSIPK": "ACTIVE#{day}"},
        every=60,
        only_if=only,
        component="aggregator",
    )


def _total_patterns(mode: str, name: str, scope: str) -> Iterator[Pattern]:
    entity, only = f"{name}DailyTotal", {"quota_scope": mode}
    key = {"PK": f"{scope}#LABEL#{{label}}", "SK": "DAY#{day}"}
    low = name.lower()
    yield Pattern(
        f"check_{low}_quota",
        "get",
        entity,
        key=key,
        reads=("cost_usd_micros",),
        # "Compare to quota."
        fresh=True,
        rate=10,
        peak=10_000,
        # Everyone under one scope and label reads the same item.
        hottest=1,
        only_if=only,
        component="service",
    )
    yield Pattern(
        f"select_{low}_model",
        "batch_get",
        entity,
        key=key,
        reads=("cost_usd_micros",),
        expect=4,
        fresh=True,
        retries_unprocessed=False,
        peak=10_000,
        hottest=1,
        only_if=only,
        component="service",
    )
    yield Pattern(
        f"write_{low}_total",
        "put",
        entity,
        key=key,
        after_read=True,
        idempotent=True,
        every=60,
        only_if=only,
        component="aggregator",
        doc="Overwrite DailyTotal (idempotent). Any number of instances may run the aggregator.",
    )


OTHER_PATTERNS = (
    # GET /orgs/{org_id}/aggregates/today, whatever the scope of the quota is.
    Pattern(
        "aggregates_of_today",
        "batch_get",
        "OrgDailyTotal",
        key={"PK": "ORG#{org_id}#LABEL#{label}", "SK": "DAY#{day}"},
        expect=4,
        retries_unprocessed=False,
        component="service",
    ),
    Pattern(
        "history",
        "query",
        "OrgDailyTotal",
        key={
            "PK": "ORG#{org_id}#LABEL#{label}",
            "SK": Between("DAY#20260101", "DAY#20260130"),
        },
        component="service",
    ),
    # "Check for duplicate request_id"; "use separate RequestDedup table with TTL".
    Pattern("check_duplicate", "get", table="RequestDedup", by=("request_id",)),
    Pattern(
        "price_of_today",
        "get",
        "Price",
        key={"PK": "{bedrock_model_id}", "SK": "{date}"},
        now=("date",),
        component="service",
    ),
    Pattern(
        "write_price",
        "put",
        "Price",
        key={"PK": "{bedrock_model_id}", "SK": "{date}"},
        every=86_400,
        component="pricing refresh",
    ),
    Pattern(
        "is_revoked",
        "get",
        "RevokedToken",
        key={"PK": "{token_jti}"},
        # "If item exists, token is revoked": right after the revocation too.
        fresh=True,
        rate=10,
        component="service",
    ),
    Pattern("revoke", "put", "RevokedToken", key={"PK": "{token_jti}"}, component="service"),
    Pattern(
        "check_retrieval_token",
        "get",
        "SecretRetrievalToken",
        key={"PK": "{token_uuid}"},
        drops_expired=True,
        component="service",
    ),
    Pattern(
        "use_retrieval_token",
        "update",
        "SecretRetrievalToken",
        key={"PK": "{token_uuid}"},
        condition="used = :false AND expires_at_epoch > :now",
        update="SET used = :true, used_at_epoch = :timestamp",
        values={":false": "BOOL", ":true": "BOOL", ":now": "N", ":timestamp": "N"},
        component="service",
    ),
    Pattern(
        "store_retrieval_token",
        "put",
        "SecretRetrievalToken",
        key={"PK": "{token_uuid}"},
        component="service",
    ),
)

FLOWS = (
    # "Compute org_day from org timezone. Determine scope (ORG or APP) from config."
    Flow(
        "model selection",
        steps=("check_org_sticky", "select_org_model"),
        needs=("Org", "App"),
        stated_operations=2,
    ),
    Flow(
        "cost submission",
        steps=("submit_org_cost", "check_org_quota"),
        needs=("Org",),
        stated_operations=2,
    ),
    Flow(
        "aggregation",
        steps=("read_org_shards", "write_org_total"),
        needs=("Org",),
        stated_operations=2,
    ),
    Flow(
        "daily aggregates",
        steps=("get_org_config", "aggregates_of_today"),
        needs=("Org",),
        stated_operations=2,
    ),
    Flow("token validation", steps=("is_revoked",), stated_operations=1),
    Flow(
        "secret retrieval",
        steps=("check_retrieval_token", "use_retrieval_token", "read_app_credentials"),
        stated_operations=3,
    ),
)

# --- what else it says ---------------------------------------------------------------------------

FIGURES = (
    # "DynamoDB sets limited to 100KB (~3,000 UUIDs)."
    Figure("set.bytes", 100 * 1024),
    # "3,000 RCU per partition (eventual consistency)."
    Figure("partition.read_units.eventual", 3000),
    Figure("partition.write_units", 1000),
    # "With atomic ADD operations, practical limit ~100 WCU/partition/second."
    Figure("partition.write_units", 100),
    Figure("cost of model selection", 1.08, units=4.3e6, kind="read"),
    Figure("cost of token revocation checks", 6.48, units=25.9e6, kind="read"),
    Figure("cost of cost submission reads", 6.48, units=25.9e6, kind="read"),
    Figure("cost of aggregator reads", 0.09, units=345_600, kind="read"),
    Figure("cost of cost submissions", 0.32, units=25.9e6, kind="write"),
    Figure("aggregator reads a month", 345_600, formula="8 * 1440 * 30"),
    Figure("aggregator writes a month", 43_200, formula="1440 * 30"),
    Figure("operations of the aggregator a day", 86_400, formula="10 * 3 * 2 * 1440"),
    # The introduction, the table of costs, and the summary.
    Figure("monthly cost at 10 requests a second", 1.74),
    Figure("monthly cost at 10 requests a second", 14.75),
    Figure("monthly cost at 10 requests a second", 8.77),
)

SAMPLES = (
    Sample(
        "Org",
        """
{
  "PK": "ORG#550e8400-e29b-41d4-a716-446655440000",
  "SK": "",
  "org_name": "sample_corp",
  "timezone": "America/New_York",
  "quota_scope": "APP",
  "model_ordering": ["premium", "standard", "economy"],
  "quotas": {
    "premium": 10000000,
    "standard": 5000000,
    "economy": 2000000
  },
  "sticky_fallback_enabled": true,
  "agg_shard_count": 8,
  "tight_mode_threshold_pct": 95,
  "refresh_interval_normal_secs": 300,
  "refresh_interval_tight_secs": 60,
  "client_id": "org-550e8400-e29b-41d4-a716-446655440000",
  "client_secret_hash": "$2b$12$KIXhI8K7EXAMPLE_BCRYPT_HASH",
  "client_secret_created_at_epoch": 1737590400,
  "provisioning_api_key_hash": "$2b$12$EXAMPLE_API_KEY_HASH",
  "created_at_epoch": 1737590400,
  "updated_at_epoch": 1737590400
}
""",
    ),
    Sample(
        "App",
        """
{
  "PK": "ORG#550e8400-e29b-41d4-a716-446655440000",
  "SK": "APP#app-production-api",
  "app_name": "Production API",
  "model_ordering": ["premium", "standard"],
  "quotas": {
    "premium": 50000000,
    "standard": 20000000
  },
  "tight_mode_threshold_pct": 90,
  "client_id": "org-550e8400-e29b-41d4-a716-446655440000-app-app-production-api",
  "client_secret_hash": "$2b$12$EXAMPLE_APP_SECRET_HASH",
  "client_secret_created_at_epoch": 1737590400,
  "created_at_epoch": 1737590400,
  "updated_at_epoch": 1737590400
}
""",
    ),
    Sample(
        "OrgStickyState",
        """
{
  "PK": "ORG#550e8400-e29b-41d4-a716-446655440000",
  "SK": "DAY#20260123",
  "active_model_label": "standard",
  "active_model_index": 1,
  "reason": "QUOTA_EXCEEDED",
  "previous_model_label": "premium",
  "activated_at_epoch": 1737640800,
  "expires_at_epoch": 1737676800
}
""",
    ),
    Sample(
        "OrgShard",
        """
{
  "PK": "ORG#550e8400-e29b-41d4-a716-446655440000#LABEL#premium#SH#0",
  "SK": "DAY#20260123",
  "cost_usd_micros": 1250000,
  "input_tokens": 150000,
  "output_tokens": 80000,
  "requests": 42,
  "request_ids": [
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "8d0f7780-8536-51ef-b827-557766551001",
    "..."
  ],
  "updated_at_epoch": 1737640800
}
""",
    ),
    Sample(
        "OrgDailyTotal",
        """
{
  "PK": "ORG#550e8400-e29b-41d4-a716-446655440000#LABEL#premium",
  "SK": "DAY#20260123",
  "cost_usd_micros": 9500000,
  "input_tokens": 1200000,
  "output_tokens": 650000,
  "requests": 342,
  "updated_at_epoch": 1737640800
}
""",
    ),
    Sample(
        "Price",
        """
{
  "PK": "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "SK": "2026-01-23",
  "model_label": "premium",
  "tier": "premium",
  "family": "claude-3.5",
  "description": "Claude 3.5 Sonnet v2 - Premium tier, highest performance",
  "input_price_usd_micros_per_1m": 3000000,
  "output_price_usd_micros_per_1m": 15000000,
  "fetched_at_epoch": 1737590400,
  "expires_at_epoch": 1737849600
}
""",
    ),
    Sample(
        "RevokedToken",
        """
{
  "PK": "550e8400-e29b-41d4-a716-446655440000-1737640800",
  "token_type": "refresh",
  "client_id": "org-550e8400-e29b-41d4-a716-446655440000-app-app-production-api",
  "revoked_at_epoch": 1737640800,
  "original_expiry_epoch": 1740232800,
  "expires_at_epoch": 1740232800
}
""",
    ),
    Sample(
        "SecretRetrievalToken",
        """
{
  "PK": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  "org_id": "550e8400-e29b-41d4-a716-446655440000",
  "app_id": "app-production-api",
  "secret_type": "app",
  "client_id": "org-550e8400-e29b-41d4-a716-446655440000-app-app-production-api",
  "created_at_epoch": 1737640800,
  "expires_at_epoch": 1737641400,
  "used": false
}
""",
    ),
)
