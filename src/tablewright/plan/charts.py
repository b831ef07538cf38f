"""Charts as SVG, drawn by hand: what each pattern costs, and how full each partition is.

They follow the reader's choice of light or dark, with a background of their own: a browser shows a
bare file on white whatever was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias
from xml.sax.saxutils import escape, quoteattr

from tablewright.plan.heat import Heat
from tablewright.plan.plan import Plan
from tablewright.plan.text import dollars

WIDTH = 860
#: On a page, beside something else.
NARROW = 620
ROW = 26
LABEL = 260
VALUE = 90
#: The line that the title stands in.
HEAD = 30
#: Bars beyond this many would be thinner than a pixel.
MOST_BARS = 400
WIDEST = 80.0

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.paper { fill: #ffffff; }
.title { font-weight: 600; font-size: 15px; }
.faint { fill: #59636e; }
.read { fill: #2f6fbd; }
.write { fill: #b8501f; }
.cool { fill: #2f6fbd; }
.hot { fill: #c4302b; }
.line { stroke: #59636e; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .paper { fill: #0d1117; }
  .faint { fill: #9198a1; }
  .read, .cool { fill: #6cb0ff; }
  .write { fill: #f0986a; }
  .hot { fill: #ff7b72; }
  .line { stroke: #9198a1; }
}
"""


@dataclass(frozen=True)
class Bar:
    """One row: a name, and parts of different classes."""

    label: str
    parts: Sequence[tuple[str, float]]
    value: str


def cost_chart(plan: Plan) -> str:
    """Dollars a month by pattern, reads and writes apart, the dearest first."""
    title = f"{plan.model}: dollars a month on demand, {plan.prices.region}"
    return _file(title, _cost_body(_costs(plan)))


def cost_within(plan: Plan, most: int) -> str:
    """The same for a page, whose styles and title it has; the dearest, and the rest as one."""
    bars = _costs(plan)
    shown = [*bars[:most], *_rest(bars[most:])]
    return _within("What each pattern costs", _cost_body(shown, NARROW), NARROW)


def heat_chart(heat: Heat) -> str:
    """How full each partition is at the end, the fullest first; the line is what it can serve."""
    return _file(f"Heat of {heat.place}", _heat_body(heat))


def heat_within(heat: Heat) -> str:
    """The same for a page, whose styles and title it has."""
    return _within(f"Heat of {heat.place}", _heat_body(heat, NARROW), NARROW)


#: What is drawn, and how tall it is.
_Body: TypeAlias = tuple[str, float]


def _costs(plan: Plan) -> list[Bar]:
    own = plan.prices.standard
    bars: list[tuple[float, Bar]] = []
    for load in plan.loads:
        share = plan.pattern_share(load)
        read, write = (
            share.read_units * own.reads / 1_000_000,
            share.write_units * own.writes / 1_000_000,
        )
        if share.cost:
            bar = Bar(load.pattern, (("read", read), ("write", write)), dollars(share.cost))
            bars.append((share.cost, bar))
    bars.sort(key=lambda pair: -pair[0])
    return [bar for _, bar in bars]


def _rest(bars: Sequence[Bar]) -> list[Bar]:
    """What is too little for a bar of its own."""
    if not bars:
        return []
    parts = [(kind, sum(dict(bar.parts)[kind] for bar in bars)) for kind in ("read", "write")]
    total = sum(part for _, part in parts)
    return [Bar(f"{len(bars)} others", parts, dollars(total))]


def _cost_body(bars: Sequence[Bar], width: int = WIDTH) -> _Body:
    return _bars(bars, (("read", "reads"), ("write", "writes")), width)


def _heat_body(heat: Heat, width: int = WIDTH) -> _Body:
    loads = heat.loads[:MOST_BARS]
    height, left, top = 220, 60, 50
    room = width - left - 20
    highest = max(1.0, *loads) * 1.05
    step = min(WIDEST, room / max(1, len(loads)))
    body = []
    for number, load in enumerate(loads):
        tall = load / highest * height
        kind = "hot" if load > 1 else "cool"
        x, y = left + number * step, top + height - tall
        wide = max(1.0, step - (1 if step > 3 else 0))
        body.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}">'
            f"<title>{load:.1%}</title></rect>"
        )
    limit = top + height - height / highest
    body.append(
        f'<line class="line" x1="{left}" x2="{width - 20}" y1="{limit:.1f}" y2="{limit:.1f}"/>'
    )
    body.append(_text(left - 8, limit + 4, "100%", "faint", "end"))
    body.append(_text(left - 8, top + height, "0", "faint", "end"))
    shown = "" if len(loads) == len(heat.loads) else f", the fullest {len(loads)} shown"
    note = f"{len(heat.loads)} partitions{shown}; throttled at the end: {heat.settled:.2%}"
    body.append(_text(left, top + height + 24, note, "faint"))
    return "\n".join(body), top + height + 40


def _bars(bars: Sequence[Bar], legend: Sequence[tuple[str, str]], width: int) -> _Body:
    top = 66
    longest = max((sum(part for _, part in bar.parts) for bar in bars), default=1.0) or 1.0
    start = round(LABEL * width / WIDTH)
    room = width - start - VALUE - 20
    body = [_legend(legend, start)]
    for number, bar in enumerate(bars):
        y = top + number * ROW
        body.append(_text(start - 8, y + 15, _cut(bar.label, start // 7), "", "end"))
        x = float(start)
        for kind, part in bar.parts:
            wide = part / longest * room
            if wide > 0:
                body.append(
                    f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{wide:.1f}" height="18"/>'
                )
            x += wide
        body.append(_text(x + 6, y + 14, bar.value, "faint"))
    if not bars:
        body.append(_text(20, top + 14, "no pattern has a rate", "faint"))
    return "\n".join(body), top + max(1, len(bars)) * ROW + 14


def _legend(entries: Sequence[tuple[str, str]], start: int) -> str:
    parts = []
    for number, (kind, name) in enumerate(entries):
        x = start + number * 90
        parts.append(f'<rect class="{kind}" x="{x}" y="38" width="12" height="12"/>')
        parts.append(_text(x + 18, 49, name, "faint"))
    return "\n".join(parts)


def _cut(label: str, most: int) -> str:
    return label if len(label) <= most else label[: most - 1] + "…"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _file(title: str, drawn: _Body) -> str:
    body, height = drawn
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'width="{WIDTH}" height="{height:.0f}" style="max-width: 100%; height: auto" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n"
        '<rect class="paper" width="100%" height="100%"/>\n'
        f"{_text(20, 24, title, 'title')}\n{body}\n</svg>\n"
    )


def _within(title: str, drawn: _Body, width: int) -> str:
    """Part of a page, which has a heading of its own: without the title's line."""
    body, height = drawn
    return (
        f'<svg class="plan-chart" viewBox="0 {HEAD} {width} {height - HEAD:.0f}" '
        f'width="{width}" height="{height - HEAD:.0f}" role="img" aria-label={quoteattr(title)}>\n'
        f"{body}\n</svg>"
    )
