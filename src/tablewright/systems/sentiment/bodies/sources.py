"""Sources and their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.config import Run

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.sources import Standing

Kind: TypeAlias = Literal["newsapi", "rss", "file"]
Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]

_SETTINGS: Final[dict[str, Any]] = {
    "url": "https://news.example/feed.xml",
    "interval_seconds": 600,
    "enabled": True,
}


def _shown(**members: Any) -> ConfigDict:
    return ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [members]}
    )


class SourceChange(BaseModel):
    """The settings of a source. What is left out has its default."""

    model_config = _shown(**_SETTINGS)

    url: str | None = Field(
        default=None,
        min_length=1,
        max_length=2048,
        description="Of a feed: https, or `file:` and a name in the folder of the settings.",
    )
    query: str | None = Field(
        default=None,
        min_length=1,
        max_length=500,
        description="What NewsAPI is asked for; without it, for each topic in turn.",
    )
    interval_seconds: int = Field(default=300, ge=10, le=86_400)
    daily_limit: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Calls a day. NewsAPI has one without it."
    )
    enabled: bool = True


class SourceIn(SourceChange):
    """A new source."""

    model_config = _shown(name="example-news", source_type="rss", **_SETTINGS)

    name: Name
    source_type: Kind


class QuotaOut(BaseModel):
    """The calls of today, in UTC."""

    used: int
    limit: int | None = Field(description="null is without a limit.")


class BreakerOut(BaseModel):
    """Whether the source is asked, after calls that failed."""

    state: Literal["closed", "open", "trial"]
    failures: int
    open_until: Moment | None


class SourceOut(BaseModel):
    """A source, and how it does. Its ETag is what a change is made with."""

    name: str
    source_type: str
    url: str | None
    query: str | None
    interval_seconds: int
    effective_interval_seconds: float = Field(
        description="What it comes to, so that the quota lasts for the day."
    )
    daily_limit: int | None
    enabled: bool
    version: int
    running: bool
    last_run_at: Moment | None
    error_code: str | None = Field(description="What went wrong last; null once it went well.")
    quota: QuotaOut
    breaker: BreakerOut


class RunOut(BaseModel):
    """One reading of a source."""

    run_id: str
    source: str
    state: Literal["running", "ok", "partial", "failed", "abandoned"]
    started_at: Moment
    finished_at: Moment | None
    fetched: int
    ingested: int
    duplicates: int
    unmatched: int
    rejected: int
    error_code: str | None


def run_out(run: Run) -> RunOut:
    return RunOut(
        run_id=run.run_id,
        source=run.source,
        state=run.state,
        started_at=run.started_at,
        finished_at=run.finished_at,
        fetched=run.fetched,
        ingested=run.ingested,
        duplicates=run.duplicates,
        unmatched=run.unmatched,
        rejected=run.rejected,
        error_code=run.error_code,
    )


def source_out(standing: Standing) -> SourceOut:
    """Return a source as answers show it."""
    source, quota = standing.source, standing.quota
    return SourceOut(
        name=source.name,
        source_type=source.source_type,
        url=source.url,
        query=source.query,
        interval_seconds=source.interval_seconds,
        effective_interval_seconds=standing.interval_secs,
        daily_limit=source.daily_limit,
        enabled=source.enabled,
        version=source.revision,
        running=source.open_run is not None,
        last_run_at=source.last_run_at,
        error_code=source.error_code,
        quota=QuotaOut(used=quota.used, limit=quota.limit),
        breaker=BreakerOut.model_validate(
            {
                "state": standing.breaker,
                "failures": source.failures,
                "open_until": source.breaker_open_until,
            }
        ),
    )
