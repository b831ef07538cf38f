"""Sentiment's own settings: the section ``[sentiment]``, ``TABLEWRIGHT_SENTIMENT_…``."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Streams that may be open in a process, and of one person.
    streams: int = Field(default=100, ge=1)
    streams_per_user: int = Field(default=5, ge=1)
    #: Records that one caller may send to `/ingest`.
    records_per_minute: int = Field(default=12_000, ge=1)
    #: What NewsAPI knows us by; `SENTIMENT_NEWSAPI_KEY` does as well. Without it, it is not asked.
    newsapi_key: SecretStr | None = Field(
        default=None, min_length=1, json_schema_extra={"variable": "SENTIMENT_NEWSAPI_KEY"}
    )
    newsapi_url: str = "https://newsapi.org"
    #: Calls a day, for sources that say nothing else.
    newsapi_daily_limit: int = Field(default=100, ge=1)
    #: Feeds and files in here can be sources: `file:headlines.xml`. Some come with the program.
    feed_folder: Path | None = Path(__file__).parent / "corpus" / "feeds"
    #: Feeds of this machine, by http, can be sources: for demos and tests.
    allow_local_feeds: bool = False
    #: Models that people bring are looked for in here; else in `models` of the data folder.
    models_folder: Path | None = None
    #: How long a model may take for a text, and how long after an error it is asked again.
    judge_secs: float = Field(default=10.0, gt=0, le=300)
    retry_secs: float = Field(default=2.0, ge=0, le=60)
    #: A backup each day at 02:00 UTC, kept for seven days; not where somebody else takes them.
    daily_backups: bool = True
    #: Until all processes know that another model is active.
    promote_slack_secs: float = Field(default=45.0, ge=0, le=600)
    #: Write units a second that are planned for. The default is one article a second; the planner
    #: tells those of another load.
    planned_write_units: float = Field(default=40.0, gt=0)
