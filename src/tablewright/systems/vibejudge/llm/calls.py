"""What a model is asked and what it answers, whoever provides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import orjson

from tablewright.systems.vibejudge.rules.rates import ServiceTier, TokenUsage

Role: TypeAlias = Literal["user", "assistant"]
#: ``end``: it was done. ``max_tokens``: it was cut. ``filtered``: somebody would not have it said.
StopReason: TypeAlias = Literal["end", "max_tokens", "filtered", "other"]


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question, with all that was said before it. There are no tools."""

    model_id: str
    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    #: What the answer has to look like, for providers that see to it.
    schema: Mapping[str, Any] = field(default_factory=dict)
    service_tier: ServiceTier = "standard"

    def size(self) -> int:
        """Bytes that a model has to read."""
        said = sum(len(each.text.encode("utf-8", "replace")) for each in self.messages)
        return said + len(self.system.encode("utf-8", "replace")) + len(orjson.dumps(self.schema))


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    #: None if the provider did not tell.
    usage: TokenUsage | None
    model_id: str
    latency_ms: int
    stop_reason: StopReason


class ModelCaller(Protocol):
    """Somebody who can ask a model. Failures are those of :mod:`.failures`."""

    async def call(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...


def count(value: object) -> int:
    """A number of tokens that a provider told; what is no number is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
