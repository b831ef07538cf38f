"""The async client of pricekeeper: ask which label to use, call the model, say what it used."""

from tablewright.systems.pricekeeper.client.advice import Advice, Fallback
from tablewright.systems.pricekeeper.client.calls import Call, Tokens
from tablewright.systems.pricekeeper.client.client import PricekeeperClient
from tablewright.systems.pricekeeper.client.errors import (
    LimitReached,
    PricekeeperError,
    QuotaExceeded,
    Rejected,
    SpoolFull,
    Unreachable,
)
from tablewright.systems.pricekeeper.client.ids import new_request_id
from tablewright.systems.pricekeeper.client.session import Retries

__all__ = [
    "Advice",
    "Call",
    "Fallback",
    "LimitReached",
    "PricekeeperClient",
    "PricekeeperError",
    "QuotaExceeded",
    "Rejected",
    "Retries",
    "SpoolFull",
    "Tokens",
    "Unreachable",
    "new_request_id",
]
