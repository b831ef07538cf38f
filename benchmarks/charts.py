"""The charts of the report, as SVG for light and dark screens."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from benchmarks.findings import Finding
from benchmarks.section import Chart
from tablewright.document.drawing import SANS, at, box, picture, rule, text

WIDTH = 860
EDGE = 20
LABEL = 330
#: What is written behind a bar.
VALUE = 80
BAR, BETWEEN = 14, 10
#: Room for the title, and a line of the legend.
HEAD, LEGEND = 40, 22
PLOT = 260
#: Bars of what was missed by far would make all others short.
MOST_USED = 2.0

#: By the place of a name among the others: ours come first.
STYLE = """<style>
  .s0 { --c: #1f63c4; } .s1 { --c: #d9822b; } .s2 { --c: #3c8f5a; } .s3 { --c: #8a5fbf; }
  .s4 { --c: #b8476b; } .s5 { --c: #6b7785; } .within { --c: #3c8f5a; } .beyond { --c: #c4302b; }
  @media (prefers-color-scheme: dark) {
    .s0 { --c: #6cb0ff; } .s1 { --c: #f0a35e; } .s2 { --c: #7fd09b; } .s3 { --c: #c3a1f0; }
    .s4 { --c: #f090b0; } .s5 { --c: #a4b0be; }
    .within { --c: #7fd09b; } .beyond { --c: #ff7b72; } }
  .fill { fill: var(--c); } .path { fill: none; stroke: var(--c); stroke-width: 2; }
  .limit { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; }
</style>"""
_STYLES = 6


def drawn(chart: Chart) -> str:
    return _lines(chart) if chart.kind == "lines" else _bars(chart)


def number(figure: float, unit: str) -> str:
    """With as many places as say something."""
    places = 0 if figure >= 100 or figure == int(figure) else 1 if figure >= 10 else 2
    return f"{figure:,.{places}f} {unit}".replace(" x", "x").replace(" %", "%")


# --- bars ---------------------------------------------------------------------------------


def _bars(chart: Chart) -> str:
    names = chart.series
    legend, y = _legend(names) if len(names) > 1 else ([], HEAD)
    most = max((each for _, figures in chart.groups for each in figures.values()), default=0) or 1.0
    parts = [STYLE, text(EDGE, 26, chart.title, "name"), *legend]
    for label, figures in chart.groups:
        middle = y + len(figures) * BAR / 2 + 4
        parts.append(text(LABEL - 10, middle, _cut(label), right=True))
        for name, figure in figures.items():
            style, shown = f"fill {_style(names.index(name))}", number(figure, chart.unit)
            parts.append(_bar(y, figure / most, style, shown, f"{label}, {name}: {shown}"))
            y += BAR
        y += BETWEEN
    return picture(WIDTH, y + 6, chart.title, parts)


def _bar(y: float, part: float, style: str, shown: str, title: str) -> str:
    wide = max(1.0, part * (WIDTH - LABEL - VALUE - EDGE))
    bar = box(LABEL, y, wide, BAR - 2, style, 2)
    return (
        f"<g><title>{_plain(title)}</title>{bar}{text(LABEL + wide + 6, y + 10, shown, 'soft')}</g>"
    )


def _legend(names: Sequence[str]) -> tuple[list[str], float]:
    """As many lines as it takes, and where they end."""
    parts, x, y = [], float(EDGE), float(HEAD)
    for place, name in enumerate(names):
        wide = len(name) * SANS + 34
        if x > EDGE and x + wide > WIDTH - EDGE:
            x, y = EDGE, y + LEGEND
        parts += [box(x, y, 11, 11, f"fill {_style(place)}", 2), text(x + 17, y + 10, name, "soft")]
        x += wide
    return parts, y + LEGEND + 8


def headroom(suite: str, findings: Sequence[tuple[str, Finding]]) -> str:
    """How near each figure, with its part, is to its target; beyond the line it misses it."""
    known = [
        (f"{part}: {each.what}", each.used, each)
        for part, each in findings
        if each.used is not None
    ]
    title = f"{suite} against its targets: what ends before the line meets them"
    y: float = HEAD
    scale = min(MOST_USED, max([1.0, *(used for _, used, _ in known)]))
    parts = [STYLE, text(EDGE, 26, title, "name")]
    for what, used, each in known:
        parts.append(text(LABEL - 10, y + 10, _cut(what), right=True))
        style = "fill within" if each.met else "fill beyond"
        shown = f"{each.shown} of {each.wanted[3:]}"
        parts.append(_bar(y, min(used, scale) / scale, style, f"{used:.0%}", f"{what}: {shown}"))
        y += BAR + 4
    x = LABEL + (WIDTH - LABEL - VALUE - EDGE) / scale
    parts.append(_limit(x, HEAD - 4, y))
    return picture(WIDTH, y + 10, title, parts)


def _limit(x: float, y: float, y2: float) -> str:
    return f'<line x1="{at(x)}" y1="{at(y)}" x2="{at(x)}" y2="{at(y2)}" class="limit"/>'


# --- lines --------------------------------------------------------------------------------


def _lines(chart: Chart) -> str:
    """A point for each label; the names stand at the ends."""
    most = max((each for _, figures in chart.groups for each in figures.values()), default=0) or 1.0
    left, right, top = 70, WIDTH - 270, HEAD + 10
    step = (right - left) / max(1, len(chart.groups) - 1)

    def place(column: int, figure: float) -> tuple[float, float]:
        return left + column * step, top + PLOT * (1 - figure / most)

    parts = [STYLE, text(EDGE, 26, chart.title, "name"), rule(left, top + PLOT, right, top + PLOT)]
    for column, (label, _) in enumerate(chart.groups):
        middle = left + column * step - len(label) * SANS / 2
        parts.append(text(max(EDGE, middle), top + PLOT + 20, label, "soft"))
    for order, name in enumerate(chart.series):
        points = [
            place(column, figures[name])
            for column, (_, figures) in enumerate(chart.groups)
            if name in figures
        ]
        parts += _path(points, _style(order))
    ends = {name: place(0, chart.groups[-1][1].get(name, 0.0))[1] for name in chart.series}
    for name, y in _apart(ends).items():
        figure = number(chart.groups[-1][1].get(name, math.nan), chart.unit)
        style = _style(chart.series.index(name))
        parts.append(box(right + 12, y - 6, 9, 9, f"fill {style}", 2))
        parts.append(text(right + 28, y + 3, f"{name}: {figure}", "soft"))
    return picture(WIDTH, top + PLOT + 36, chart.title, parts)


def _path(points: Sequence[tuple[float, float]], style: str) -> list[str]:
    said = " ".join(f"{at(x)},{at(y)}" for x, y in points)
    dots = [f'<circle cx="{at(x)}" cy="{at(y)}" r="3.5" class="fill {style}"/>' for x, y in points]
    return [f'<polyline points="{said}" class="path {style}"/>', *dots]


def _apart(ends: Mapping[str, float], least: float = 16) -> dict[str, float]:
    """Each near where it belongs, and none on top of another: from the bottom upwards."""
    ordered = sorted(ends.items(), key=lambda pair: -pair[1])
    found = dict(ordered[:1])
    for (below, _), (name, y) in pairwise(ordered):
        found[name] = min(y, found[below] - least)
    return found


# --- both ---------------------------------------------------------------------------------


def _style(place: int) -> str:
    return f"s{place % _STYLES}"


def _cut(label: str) -> str:
    return label if len(label) <= 46 else label[:45] + "…"


def _plain(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
