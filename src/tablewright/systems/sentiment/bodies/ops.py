"""What operators see: articles that wait or have failed, sources, and what is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.bodies.sources import BreakerOut, QuotaOut, RunOut
from tablewright.systems.sentiment.rules.ids import shown_id

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.queue import Unfinished

#: Articles of one request.
MAX_IDS = 100
_EXAMPLE: Final[dict[str, Any]] = {"ids": ["newsapi:0f3a5c7e9b1d2f48"]}


class UnfinishedOut(BaseModel):
    """An article that waits or has failed; what cannot be read has no more than its times."""

    id: str
    timestamp: Moment
    queued_at: Moment
    title: str | None = None
    attempts: int | None = None
    error_code: str | None = None


class UnfinishedListOut(BaseModel):
    """How many there are, and the first of them."""

    count: int
    items: list[UnfinishedOut]
    next_cursor: str | None = Field(
        default=None, description="For `/ops/stuck` or `/ops/failed`; null at the end."
    )


class SourceStateOut(BaseModel):
    """How a source does."""

    name: str
    source_type: str
    enabled: bool
    quota: QuotaOut
    breaker: BreakerOut
    runs: list[RunOut]


class SlowCallOut(BaseModel):
    """A request to the database that took more than a second."""

    at: Moment
    pattern: str
    operation: str
    seconds: float
    attempts: int
    error: str | None


class OpsOut(BaseModel):
    """The state of the system."""

    stuck: UnfinishedListOut
    failed: UnfinishedListOut
    sources: list[SourceStateOut]
    slow_calls: list[SlowCallOut] = Field(description="Of the process that answers.")


class RequeueIn(BaseModel):
    """Which articles get another chance: some, or all that have failed or are stuck."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    ids: list[Annotated[str, Field(max_length=256)]] | None = Field(
        default=None, min_length=1, max_length=MAX_IDS
    )
    all: bool = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.ids is not None) == self.all:
            raise ValueError("name the articles in ids, or say all")
        return self


class RequeuedOut(BaseModel):
    """What became of one article."""

    id: str
    result: Literal["requeued", "gone", "not_requeueable"]


class RequeueOut(BaseModel):
    """How many were queued again; each of those that were named."""

    requeued: int
    results: list[RequeuedOut] = []


def unfinished_out(each: Unfinished) -> UnfinishedOut:
    article = each.article
    return UnfinishedOut(
        id=shown_id(each.source_id),
        timestamp=each.timestamp,
        queued_at=each.queued_at,
        title=None if article is None else article.metadata.title,
        attempts=None if article is None else article.attempts,
        error_code=None if article is None else article.error_code,
    )
