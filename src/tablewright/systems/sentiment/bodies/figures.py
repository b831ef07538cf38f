"""Figures: totals, series, shares."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.rules.series import Interval


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True)


class FiguresOut(_Out):
    """How many articles there are, and in which tone.

    Articles in languages that the model in use does not cover have no tone: they are counted in
    `articles` and `unjudged`, and in no other figure.
    """

    articles: int = Field(description="All of them: `analysed` plus `unjudged`.", examples=[123])
    unjudged: int = Field(description="In a language that the model does not cover.", examples=[3])
    analysed: int = Field(description="Articles with a tone: the sum of the three.", examples=[120])
    positive: int = Field(examples=[40])
    neutral: int = Field(examples=[50])
    negative: int = Field(examples=[30])
    index: float | None = Field(
        description="(positive - negative) / analysed; null where there is nothing.",
        examples=[0.0833],
    )


class ChangeOut(_Out):
    """A window against one of the same length before it.

    The later window ends with the current minute. Publishers, and spans for which minutes are not
    kept far enough back, are compared by whole hours; windows of 24 hours or more include the
    current hour, shorter ones stop before it. If no whole hour has passed, both windows are empty
    and the changes are null.
    """

    since: Moment = Field(serialization_alias="from")
    until: Moment = Field(serialization_alias="to")
    before_since: Moment = Field(serialization_alias="before_from")
    before_until: Moment = Field(serialization_alias="before_to")
    articles: int | None = Field(description="Null if not all articles were read.")
    articles_before: int | None = Field(description="Null if not all articles were read.")
    analysed: int | None = Field(description="Null if not all articles were read.")
    analysed_before: int | None = Field(description="Null if not all articles were read.")
    volume_percent: float | None = Field(
        description="Change of `articles`; null from nothing.", examples=[12.5]
    )
    index_points: float | None = Field(
        description="Null unless both windows have an index.", examples=[-0.04]
    )


class OverviewOut(_Out):
    """How things stand."""

    since: Moment = Field(
        serialization_alias="from",
        description="As it was counted: whole minutes, or hours where minutes are not kept.",
    )
    until: Moment = Field(serialization_alias="to")
    tag: str | None
    source: str | None
    ingested: int | None = Field(description="All that came in; null for a topic or a publisher.")
    pending: int | None = Field(description="Of those, the ones that wait or have failed.")
    totals: FiguresOut
    per_minute: float
    per_hour: float
    change: ChangeOut
    partial: bool = Field(
        description="Articles were read for it, and there were more than 5,000: the totals are of "
        "those that were read, and the changes are null."
    )
    read_from: Moment | None = Field(
        description="Articles before this moment were not read; null if all were."
    )


class PointOut(FiguresOut):
    """One bucket."""

    start: Moment
    end: Moment
    ingested: int | None
    partial: bool = Field(description="The span begins or ends in it, or it is not over yet.")


class UnreadPointOut(_Out):
    """A bucket with articles that were not read, because there were more than 5,000."""

    start: Moment
    end: Moment
    articles: None = None
    unjudged: None = None
    analysed: None = None
    positive: None = None
    neutral: None = None
    negative: None = None
    index: None = None
    ingested: None = None
    partial: Literal[True] = True


class TimeseriesOut(_Out):
    """Figures over time. The sums over all buckets are those of the overview."""

    since: Moment = Field(serialization_alias="from")
    until: Moment = Field(serialization_alias="to")
    interval: Interval
    tag: str | None
    source: str | None
    points: list[PointOut | UnreadPointOut] = Field(
        description="The figures of a bucket that was not read completely are null."
    )
    partial: bool = Field(description="Articles were read for it, and there were more than 5,000.")
    read_from: Moment | None = Field(
        description="Articles before this moment were not read; null if all were."
    )


class ShareOut(FiguresOut):
    """One topic or publisher among the others."""

    key: str = Field(examples=["ai"])
    label: str = Field(examples=["AI"])
    share: float | None = Field(
        description="Of all that is said about the topics, or by publishers: 0 to 1.",
        examples=[0.42],
    )


class SharesOut(_Out):
    """Shares of voice, the largest first, in whole hours."""

    since: Moment = Field(serialization_alias="from")
    until: Moment = Field(serialization_alias="to")
    by: Literal["tag", "source"]
    items: list[ShareOut]
    partial: bool = Field(description="Articles were read for it, and there were more than 5,000.")
