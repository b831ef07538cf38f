"""Rules of alerts, what has fired, and how far a series stands out."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.bodies.watch import TagText
from tablewright.systems.sentiment.config import AlertRule, Delivery, Metric, OpsRule, Window
from tablewright.systems.sentiment.rules.ops_rules import is_built_in

_RULE: Final[dict[str, Any]] = {
    "name": "Bad news about AI",
    "tag": "AI",
    "metric": "negative_share",
    "direction": "up",
    "window": "1h",
    "channel": "https://hooks.example.com/news",
}

LineText: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")
]


_METRIC: Final = (
    "`volume` is compared with the same time of the week in 3 to 8 earlier weeks, or of 3 to 7 "
    "earlier days, or with the 24 windows before, whatever there is; it needs 5 articles to rise, "
    "and quiet topics are judged by their Poisson probability. `negative_share` (of 10 articles or "
    "more) and `index` are compared with the 24 windows before."
)


class AlertRuleIn(BaseModel):
    """When to tell somebody, and where."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [_RULE]}
    )

    name: LineText
    tag: TagText | None = Field(default=None, description="A topic; null is everything together.")
    metric: Metric = Field(description=_METRIC)
    ops: OpsRule | None = Field(default=None, description="What is watched, of the metric `ops`.")
    direction: Literal["up", "down", "both"] = "up"
    window: Window = "1h"
    threshold: Decimal = Field(
        default=Decimal(3),
        ge=1,
        le=10,
        decimal_places=2,
        strict=False,
        description="It fires at so many standard deviations from what is usual. An alert ends "
        "after two windows below half of it.",
    )
    cooldown_minutes: int = Field(
        default=60, ge=0, le=1440, description="So long it does not fire again."
    )
    channel: str | None = Field(
        default=None,
        min_length=3,
        max_length=2048,
        description="The https address of a webhook, or a mail address; null: where all go.",
    )
    delivery: Delivery = Field(
        default="immediate", description="At once, or all of an hour or a day together."
    )
    enabled: bool = True

    @model_validator(mode="after")
    def _ops_or_not(self) -> Self:
        if (self.ops is not None) != (self.metric == "ops"):
            raise ValueError("ops goes with the metric ops, and with no other")
        if self.ops is not None and self.tag is not None:
            raise ValueError("a rule about operation has no topic")
        return self

    def fields(self) -> dict[str, object]:
        """As the rule has them."""
        given = self.model_dump(exclude={"tag"})
        return {**given, "watch_tag": None if self.tag is None else self.tag.casefold()}


class AlertRuleOut(BaseModel):
    """A rule, and whether it is firing."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    tag: str | None
    metric: Metric
    ops: OpsRule | None
    direction: Literal["up", "down", "both"]
    window: Window
    threshold: float
    cooldown_minutes: int
    channel: str | None
    delivery: Delivery
    enabled: bool
    built_in: bool = Field(description="It comes with the system and cannot be deleted.")
    version: int
    firing: bool
    last_fired_at: Moment | None


def rule_out(rule: AlertRule) -> AlertRuleOut:
    """Return a rule as answers show it."""
    hidden = {"rule_id", "watch_tag", "calm_windows", "judged_window", "fired_window", "created_at"}
    return AlertRuleOut(
        **rule.model_dump(exclude={*hidden, "digested_until"}),
        id=rule.rule_id,
        tag=rule.watch_tag,
        built_in=is_built_in(rule),
    )


class SecretOut(BaseModel):
    """What the messages to a webhook are signed with."""

    model_config = ConfigDict(frozen=True)

    secret: str


class AlertOut(BaseModel):
    """That a rule has fired, on what figures, and who has seen it."""

    model_config = ConfigDict(frozen=True)

    id: str
    rule_id: str
    rule_name: str
    summary: str
    tag: str | None
    metric: Metric
    ops: OpsRule | None
    window: Window | None
    window_start: Moment
    window_end: Moment
    value: float
    mean: float | None
    z: float | None
    threshold: float | None = Field(
        description="The z from which the rule fires; of operation, the limit of the value."
    )
    fired_at: Moment | None
    state: Literal["firing", "cleared"]
    cleared_at: Moment | None
    acknowledged_by: str | None
    acknowledged_at: Moment | None


class WindowOut(BaseModel):
    """One window of a series; z is null where there is too little to compare with."""

    model_config = ConfigDict(frozen=True)

    start: Moment
    articles: int
    value: float | None
    mean: float | None
    z: float | None
    compared_with: Literal["weeks", "days", "windows"] | None = Field(
        description="The same time of earlier weeks or days, or the 24 windows before."
    )


class AlertChartOut(BaseModel):
    """How far the last 48 windows of what a rule watches stand out."""

    model_config = ConfigDict(frozen=True)

    rule: AlertRuleOut
    fires_at: float
    calm_below: float
    points: list[WindowOut]
