"""What bodies look like, for the reference: each is accepted as it stands by a service that knows
the labels."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ConfigDict


def shown(**members: Any) -> ConfigDict:
    """The configuration of a body that has an example."""
    return ConfigDict(json_schema_extra={"examples": [members]})


COST: Final[dict[str, Any]] = {
    "request_id": "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55",
    "label": "premium",
    "timestamp": "2026-11-15T12:00:00Z",
    "input_tokens": 1200,
    "output_tokens": 300,
}
CORRECTION: Final[dict[str, Any]] = {
    "correction_id": "0199d5c9-1f2b-7d4f-9a11-3c8e7b2f5d66",
    "request_id": COST["request_id"],
    "output_tokens": -100,
    "reason": "The stream broke off; the model has billed less.",
}
ORG: Final[dict[str, Any]] = {
    "org_name": "Example",
    "timezone": "Europe/Oslo",
    "quota_scope": "BOTH",
    "model_ordering": ["premium", "standard", "economy"],
    "quotas": {"premium": 20_000_000, "standard": 10_000_000, "economy": None},
    "quotas_month": {"_all": 500_000_000},
}
APP: Final[dict[str, Any]] = {"app_name": "Web", "quotas": {"premium": 5_000_000}}
LABEL: Final[dict[str, Any]] = {
    "bedrock_model_id": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "tier": "premium",
    "family": "claude",
}
PRICE: Final[dict[str, Any]] = {
    "effective_from": "2027-01-01T00:00:00Z",
    "input_price_usd_micros_per_1m": 3_000_000,
    "output_price_usd_micros_per_1m": 15_000_000,
    "cache_read_price_usd_micros_per_1m": 300_000,
    "cache_write_price_usd_micros_per_1m": 3_750_000,
}
CLIENT_ID: Final = "org-7f3c0d1e-5b7a-4c51-9a53-0d6d3c9f2a10-app-web"
SECRET: Final = "the-secret-that-was-fetched"
RETRIEVAL: Final = "the-token-that-fetches-it"
TOKEN: Final = "header.claims.signature"
