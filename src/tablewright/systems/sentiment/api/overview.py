"""``/overview``, ``/timeseries``, ``/share``: figures over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Depends, Query

from tablewright.service.auth import Principal
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.api.asked import AskedOf, AskedTimes
from tablewright.systems.sentiment.bodies.figures import (
    ChangeOut,
    FiguresOut,
    OverviewOut,
    PointOut,
    ShareOut,
    SharesOut,
    TimeseriesOut,
    UnreadPointOut,
)
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.series import Interval, Point
from tablewright.systems.sentiment.rules.shares import Share
from tablewright.systems.sentiment.service.counts import Change, Overview, Timeseries
from tablewright.systems.sentiment.service.voices import Asked, Voice

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_BAD_RANGE = "`BAD_RANGE`: not a time that there can be figures of; `INVALID`."


def router(newsroom: Newsroom) -> APIRouter:
    """The routes of figures, for everybody."""
    routes = APIRouter(prefix="/api/v1", tags=["figures"])
    viewer = Depends(newsroom.runtime.auth.require("viewer", "analyst", "operator", "admin"))
    counts = newsroom.counts

    @routes.get("/overview", responses=refusals({422: _BAD_RANGE}))
    async def get_overview(times: AskedTimes, of: AskedOf, _: Principal = viewer) -> OverviewOut:
        """Totals and rates, and how they have changed; of everything, a topic or a publisher.

        Without times, of the last 24 hours.
        """
        span = times.span(newsroom.now())
        asked = Asked(of.tag, of.source, of.words)
        return overview_out(asked, await counts.overview(span, **asked._asdict()))

    @routes.get(
        "/timeseries",
        responses=refusals(
            {422: f"{_BAD_RANGE} `TOO_MANY_BUCKETS`: `smallest_interval` would fit."}
        ),
    )
    async def get_timeseries(
        times: AskedTimes,
        of: AskedOf,
        interval: Annotated[
            Interval | None, Query(description="The length of a bucket; what fits, if not given.")
        ] = None,
        _: Principal = viewer,
    ) -> TimeseriesOut:
        """Figures over time, in buckets. Minutes go back 48 hours; publishers have hours only."""
        span = times.span(newsroom.now())
        asked = Asked(of.tag, of.source, of.words)
        return timeseries_out(asked, await counts.timeseries(span, interval, **asked._asdict()))

    @routes.get("/share", responses=refusals({422: _BAD_RANGE}))
    async def get_share(
        times: AskedTimes,
        of: AskedOf,
        by: Annotated[Voice, Query(description="Topics that are followed, or publishers.")] = "tag",
        _: Principal = viewer,
    ) -> SharesOut:
        """Shares of voice: how much of what is said, is said about each topic, or by each.

        Of publishers, only what they say about `tag`; of topics, only what `source` says.
        """
        asked = Asked(of.tag, of.source, of.words)
        found = await counts.share(times.span(newsroom.now()), by, **asked._asdict())
        return SharesOut(
            since=found.span.since,
            until=found.span.until,
            by=found.by,
            items=[_share_out(each) for each in found.shares],
            partial=found.partial,
        )

    return routes


def overview_out(asked: Asked, found: Overview) -> OverviewOut:
    everything = asked.subject == "all"
    return OverviewOut(
        since=found.span.since,
        until=found.span.until,
        tag=asked.tag,
        source=asked.source,
        ingested=found.figures.ingested if everything else None,
        pending=found.figures.pending if everything else None,
        totals=FiguresOut(**_amounts(found.figures)),
        per_minute=round(found.per_minute, 4),
        per_hour=round(found.per_hour, 4),
        change=_change_out(found.change),
        partial=found.partial,
        read_from=found.read_from,
    )


def timeseries_out(asked: Asked, found: Timeseries) -> TimeseriesOut:
    everything = asked.subject == "all"
    return TimeseriesOut(
        since=found.span.since,
        until=found.span.until,
        interval=found.interval,
        tag=asked.tag,
        source=asked.source,
        points=[_point_out(each, everything) for each in found.points],
        partial=found.partial,
        read_from=found.read_from,
    )


def _point_out(point: Point, everything: bool) -> PointOut | UnreadPointOut:
    if point.figures is None:
        return UnreadPointOut(start=point.slot.start, end=point.slot.end)
    return PointOut(
        start=point.slot.start,
        end=point.slot.end,
        ingested=point.figures.ingested if everything else None,
        partial=point.slot.partial,
        **_amounts(point.figures),
    )


def _share_out(share: Share) -> ShareOut:
    return ShareOut(
        key=share.key,
        label=share.label,
        share=_rounded(share.share),
        **_amounts(share.figures),
    )


def _change_out(change: Change) -> ChangeOut:
    return ChangeOut(
        since=change.after.since,
        until=change.after.until,
        before_since=change.before.since,
        before_until=change.before.until,
        articles=change.volume_after if change.complete else None,
        articles_before=change.volume_before if change.complete else None,
        analysed=change.figures_after.analysed if change.complete else None,
        analysed_before=change.figures_before.analysed if change.complete else None,
        volume_percent=_rounded(change.volume_percent),
        index_points=_rounded(change.index_points),
    )


def _amounts(figures: Figures) -> dict[str, Any]:
    return {
        "articles": figures.articles,
        "unjudged": figures.unjudged,
        "analysed": figures.analysed,
        "positive": figures.positive,
        "neutral": figures.neutral,
        "negative": figures.negative,
        "index": _rounded(figures.index),
    }


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
