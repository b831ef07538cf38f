"""One report of usage, as it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from tablewright.systems.pricekeeper.config import RegionClass, ServiceTier


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call of a model has used; None is what the caller left to the label."""

    request_id: str
    label: str
    #: When the model was called, in seconds since 1970.
    timestamp: int
    status: Literal["OK", "ERROR"] = "OK"
    #: Without tokens of the cache.
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    bedrock_model_id: str | None = None
    region_class: RegionClass | None = None
    service_tier: ServiceTier | None = None
    #: The caller's own reckoning.
    cost_usd_micros: int | None = None
    reservation_id: str | None = None

    def payload_hash(self) -> bytes:
        """16 bytes that differ if the same id is sent with something else.

        Of what was sent, not of what it was taken for: a repeat stays a repeat after the label got
        another model. The reservation is no part of it: it says who pays, not what was used.
        """
        said = (
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
        )
        # repr quotes texts, so that no two reports look alike.
        return blake2b(repr(said).encode(), digest_size=16).digest()
