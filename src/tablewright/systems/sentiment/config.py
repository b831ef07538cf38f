"""What people configure, and what the workers leave behind: runs, quotas, alerts, jobs."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, model_validator

from tablewright.model import Entity, Field, IsoMillis, Key, Personal, Ttl, Ulid, Version
from tablewright.systems.sentiment.articles import items
from tablewright.systems.sentiment.shapes import (
    MAX_SHARDS,
    SHARDS,
    RuleId,
    Sha256,
    ShownTag,
    SourceId,
    SourceKey,
    SourceName,
    SourceType,
    Tag,
    VersionName,
)

MAX_WATCHES = 20
MAX_SOURCE_KEYS = 50
#: Articles that the report of a comparison names.
MAX_CHANGED_IDS = 200

Term: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Window: TypeAlias = Literal["15m", "1h", "6h"]
Metric: TypeAlias = Literal["volume", "negative_share", "index", "ops"]
#: What may be wrong with the system itself: see ``rules/ops_rules``.
OpsRule: TypeAlias = Literal[
    "stuck", "failed", "silence", "quota", "breaker", "throttled", "rejected", "write_units"
]
#: At once, or all that has fired in an hour or a day together.
Delivery: TypeAlias = Literal["immediate", "hourly", "daily"]
Count: TypeAlias = Annotated[int, Field(ge=0)]
#: The first two come with the program, the others are folders of files.
ModelKind: TypeAlias = Literal["vader", "linear", "onnx", "transformers"]


# --- configuration -------------------------------------------------------------------------------


class Settings(Entity, table=items, keys={"primary": Key("config#settings", "0")}):
    """What holds for the whole system."""

    active_model: VersionName
    #: Counts are spread over so many items; the number only ever rises.
    shards: int = Field(default=SHARDS, ge=1, le=MAX_SHARDS)
    watch_count: int = Field(default=0, ge=0, le=MAX_WATCHES)
    #: Publishers of earlier releases, which counted fifty by name and the others as "other".
    source_keys: set[SourceKey] = Field(default_factory=set, max_length=MAX_SOURCE_KEYS)


class Watch(Entity, table=items, keys={"primary": Key("config#watch", "{watch_tag}")}):
    """A topic to follow: which words make an article belong to it."""

    watch_tag: Tag
    label: ShownTag
    any: list[Term] = Field(min_length=1, max_length=20)
    all: list[Term] = Field(default_factory=list, max_length=5)
    none: list[Term] = Field(default_factory=list, max_length=20)
    #: Of an article with more than five tags, those with the lowest numbers stay.
    priority: int = Field(default=100, ge=0, le=1000)
    enabled: bool = True
    version: Version = 0


class Source(Entity, table=items, keys={"primary": Key("config#source", "{name}")}):
    """Where articles come from, and how far it has been read."""

    name: SourceName
    source_type: SourceType
    url: str | None = Field(default=None, max_length=2048)
    query: str | None = Field(default=None, max_length=500)
    interval_seconds: int = Field(default=300, ge=10, le=86_400)
    daily_limit: int | None = Field(default=None, ge=1)
    enabled: bool = True
    #: Counts what people change, and nothing that its reading leaves here.
    revision: Count = 0
    cursor: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    #: The rules of topics by which it has been read so far; others may find more in the same.
    rules_mark: str | None = None
    #: Calls that failed in a row; three open the breaker.
    failures: Count = 0
    #: Nobody asks before that: the breaker is open, or it was asked for.
    breaker_open_until: IsoMillis | None = None
    #: What went wrong last; nothing, since it went well.
    error_code: str | None = None
    last_run_at: IsoMillis | None = None
    #: The run that has not ended, though its process may have.
    open_run: Ulid | None = None


class Publisher(Entity, table=items, keys={"primary": Key("config#publisher", "{source_key}")}):
    """A publisher of articles, known from the first of them on."""

    source_key: SourceKey
    name: str = Field(max_length=100)
    #: Roughly how many articles it has published, to know the large ones; counts are exact.
    articles: Count = 0
    last_seen: IsoMillis


class ModelVersion(Entity, table=items, keys={"primary": Key("config#model", "{model_version}")}):
    """A model that can be used, known by its checksum."""

    model_version: VersionName
    kind: ModelKind
    checksum: Sha256
    path: str | None = Field(default=None, max_length=500)
    description: str = Field(default="", max_length=500)
    registered_at: IsoMillis


class AlertRule(Entity, table=items, keys={"primary": Key("config#alert", "{rule_id}")}):
    """When to tell somebody, and whether that is so now."""

    rule_id: RuleId
    name: str = Field(min_length=1, max_length=100)
    #: None is everything together.
    watch_tag: Tag | None = None
    metric: Metric
    #: Which one, of the metric "ops".
    ops: OpsRule | None = None
    direction: Literal["up", "down", "both"] = "up"
    window: Window = "1h"
    #: How many standard deviations from what is usual it fires at.
    threshold: Decimal = Field(default=Decimal(3), ge=1, le=10, decimal_places=2)
    created_at: IsoMillis | None = None
    cooldown_minutes: int = Field(default=60, ge=0, le=1440)
    #: The https address of a webhook, or a mail address.
    channel: str | None = Field(default=None, max_length=2048)
    delivery: Delivery = "immediate"
    enabled: bool = True
    #: Rises when somebody edits the rule, not with what is noted below.
    version: int = Field(default=1, ge=1)
    firing: bool = False
    #: Quiet windows in a row; two end an alert.
    calm_windows: Count = 0
    #: The last window that was found quiet, or in trouble: each counts once.
    judged_window: IsoMillis | None = None
    #: The window of the alert that is firing, or that was the last one.
    fired_window: IsoMillis | None = None
    last_fired_at: IsoMillis | None = None
    #: What fired before this has been told in a digest.
    digested_until: IsoMillis | None = None

    @model_validator(mode="after")
    def _ops_or_not(self) -> Self:
        if (self.ops is not None) != (self.metric == "ops"):
            raise ValueError("a rule names what is watched in operation iff its metric is ops")
        return self


# --- what workers leave --------------------------------------------------------------------------


class Quota(Entity, table=items, keys={"primary": Key("quota#{source}", "{day}")}):
    """How many calls of a source were made on a day."""

    source: SourceName
    day: date
    used: Count = 0
    limit: int = Field(ge=1)
    ttl_timestamp: Ttl


class Run(Entity, table=items, keys={"primary": Key("run#{source}", "{started_at}#{run_id}")}):
    """One reading of a source."""

    source: SourceName
    started_at: IsoMillis
    run_id: Ulid
    state: Literal["running", "ok", "partial", "failed", "abandoned"] = "running"
    fetched: Count = 0
    ingested: Count = 0
    duplicates: Count = 0
    unmatched: Count = 0
    rejected: Count = 0
    finished_at: IsoMillis | None = None
    error_code: str | None = None
    ttl_timestamp: Ttl


class Alert(Entity, table=items, keys={"primary": Key("alert#log", "{window_start}#{rule_id}")}):
    """That a rule has fired, on what figures, and who has seen it."""

    window_start: IsoMillis
    rule_id: RuleId
    #: What the rule was called then.
    name: str = Field(default="", max_length=100)
    watch_tag: Tag | None = None
    metric: Metric
    ops: OpsRule | None = None
    window: Window | None = None
    value: Decimal
    #: Of the windows before, and how far from it; None of operation.
    mean: Decimal | None = None
    z: Decimal | None = None
    #: What the value has passed (operation), or the z from which the rule fires.
    threshold: Decimal | None = None
    fired_at: IsoMillis | None = None
    state: Literal["firing", "cleared"] = "firing"
    cleared_at: IsoMillis | None = None
    acked_by: Annotated[str | None, Personal()] = None
    acked_at: IsoMillis | None = None
    ttl_timestamp: Ttl


JobState: TypeAlias = Literal["running", "compared", "promoting", "promoted", "cancelled", "failed"]


class Comparison(BaseModel):
    """How two models agree."""

    agreement: Decimal
    kappa: Decimal
    #: Old label to new label to articles.
    matrix: dict[str, dict[str, int]]
    #: How often the new model says what people said, and how often the old one did.
    accuracy_on_overrides: Decimal | None = None
    old_accuracy_on_overrides: Decimal | None = None
    overrides: Count = 0
    overrides_right: Count = 0
    overrides_right_before: Count = 0
    changed: int
    #: The first of those whose label changed.
    changed_ids: list[SourceId] = Field(default_factory=list, max_length=MAX_CHANGED_IDS)


class Job(Entity, table=items, keys={"primary": Key("job#reanalysis", "{job_id}")}):
    """A comparison of a model with the active one, over the articles of some time."""

    job_id: Ulid
    state: JobState = "running"
    model_version: VersionName
    old_version: VersionName
    since: IsoMillis
    until: IsoMillis
    #: The hour that is worked on; where to go on after a stop.
    cursor: IsoMillis | None = None
    done: Count = 0
    #: Articles that the model could not judge, or that could not be changed.
    skipped: Count = 0
    report: Comparison | None = None
    #: When the model became the active one; articles follow it from then on.
    flipped_at: IsoMillis | None = None
    ttl_timestamp: Ttl
