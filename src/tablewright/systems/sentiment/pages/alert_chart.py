"""How far a series stands out, as a chart: z of each window, and from where a rule fires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.systems.sentiment.rules.deviation import Kind, calm_below

if TYPE_CHECKING:
    from tablewright.systems.sentiment.config import AlertRule
    from tablewright.systems.sentiment.service.alerts.alerts import ChartPoint

_SHARE = "negative_share"


@dataclass(frozen=True)
class Chart:
    """The last windows of what a rule watches."""

    starts: list[datetime]
    z: list[dict[str, object]]
    marks: list[dict[str, object]]
    values: list[dict[str, object]]
    unit: str
    #: Too little came in to compare with, in all of them.
    is_empty: bool
    #: What the last window is compared with.
    kind: Kind = "windows"


def chart_of(rule: AlertRule, points: Sequence[ChartPoint]) -> Chart:
    found = [point.deviation for point in points]
    times = 100.0 if rule.metric == _SHARE else 1.0
    return Chart(
        starts=[point.start for point in points],
        z=[{"name": "z", "values": [each and round(each.z, 2) for each in found]}],
        marks=_marks(rule.direction, float(rule.threshold)),
        values=[
            {"name": "Value", "values": [each and round(each.value * times, 2) for each in found]},
            {
                "name": "Usual",
                "values": [each and round(each.mean * times, 2) for each in found],
            },
        ],
        unit="percent" if rule.metric == _SHARE else "count",
        is_empty=not any(found),
        kind=next((each.kind for each in reversed(found) if each), "windows"),
    )


def _marks(direction: str, threshold: float) -> list[dict[str, object]]:
    """Lines on the side, or sides, that the rule looks at."""
    signs = {"up": (1,), "down": (-1,), "both": (1, -1)}[direction]
    return [
        {"name": f"{name} {_number(sign * at)}", "value": sign * at}
        for sign in signs
        for name, at in (("fires at", threshold), ("calm within", calm_below(threshold)))
    ]


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "\N{MINUS SIGN}")
