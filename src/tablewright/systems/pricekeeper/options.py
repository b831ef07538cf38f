"""Pricekeeper's own settings: the section ``[pricekeeper]``, ``TABLEWRIGHT_PRICEKEEPER_…``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Where prices come from: the table that ships with the program, or AWS's Price List.
    prices_source: Literal["bundled", "aws"] = "bundled"
    prices_region: str = "us-east-1"
    #: Where AWS publishes its Price List; another place if it is mirrored.
    prices_url: str = "https://pricing.us-east-1.amazonaws.com"
    #: Who signs and who may read the access tokens.
    token_issuer: str = "pricekeeper"
    token_audience: str = "pricekeeper"
    access_token_secs: int = Field(default=3600, ge=60, le=86_400)
    refresh_token_days: int = Field(default=30, ge=1, le=365)
    refresh_tokens: bool = True
    #: A group commit waits this long for company, at most.
    flush_millis: float = Field(default=5.0, ge=0, le=1000)
    #: Seconds between two runs of the aggregator, which makes totals of what was counted.
    aggregator_secs: float = Field(default=60.0, ge=5, le=600)
    records_per_minute: int = Field(default=300_000, ge=1)
    selections_per_minute: int = Field(default=600, ge=1)
    aggregates_per_minute: int = Field(default=60, ge=1)
    rotations_per_hour: int = Field(default=5, ge=1)
    login_failures_per_minute: int = Field(default=10, ge=1)
