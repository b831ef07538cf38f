"""Drawing with SVG: texts, boxes, chips; in colours for light and dark screens.

A drawing is a file of its own, or a part of a page, whose style sheet then has the same classes.

Widths of texts are only estimated, since nobody measures fonts here; code is drawn in a font of
fixed width, for which the estimate is good.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

#: Of one character of code, and of other text, at their sizes.
MONO = 6.65
SANS = 6.3
LINE = 16
CHIP = 20
GAP = 6

STYLE = """
  svg { --page: #f6f7f9; --card: #ffffff; --head: #f0f3f8; --edge: #d8dee8; --text: #1b2430;
        --soft: #5d6b7e; --code: #23406b; --read: #e3eefc; --read-text: #1a4e8a;
        --write: #e2f4e8; --write-text: #1c6b3c; --joint: #fdeeda; --joint-text: #8a4b08; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #10151d; --card: #18202b; --head: #1f2936; --edge: #2d3948; --text: #e6ebf2;
          --soft: #93a1b5; --code: #a9c7f5; --read: #17324f; --read-text: #9cc8ff;
          --write: #17392a; --write-text: #93dcb0; --joint: #40301a; --joint-text: #f2c180; } }
  .page { fill: var(--page); } .sheet { fill: var(--card); stroke: var(--edge); }
  .head { fill: var(--head); } .rule { stroke: var(--edge); stroke-width: 1; }
  text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif;
         font-size: 12px; fill: var(--text); }
  .title { font-size: 22px; font-weight: 650; } .name { font-size: 15px; font-weight: 650; }
  .strong { font-weight: 600; } .soft { fill: var(--soft); font-size: 11px; }
  .code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
          font-size: 11px; fill: var(--code); white-space: pre; }
  .read { fill: var(--read); } .read-text { fill: var(--read-text); }
  .write { fill: var(--write); } .write-text { fill: var(--write-text); }
  .joint { fill: var(--joint); } .joint-text { fill: var(--joint-text); }
"""


@dataclass(frozen=True)
class Chip:
    """A name in a coloured box; ``style`` is read, write or joint."""

    text: str
    style: str
    #: Where a click on it leads.
    href: str = ""

    @property
    def width(self) -> float:
        return len(self.text) * MONO + 14


def text(x: float, y: float, words: str, style: str = "", *, right: bool = False) -> str:
    anchor = ' text-anchor="end"' if right else ""
    named = f' class="{style}"' if style else ""
    return f'<text x="{at(x)}" y="{at(y)}"{named}{anchor}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, style: str, radius: float = 0) -> str:
    round_ = f' rx="{at(radius)}"' if radius else ""
    size = f'width="{at(width)}" height="{at(height)}"'
    return f'<rect x="{at(x)}" y="{at(y)}" {size}{round_} class="{style}"/>'


def rule(x: float, y: float, x2: float, y2: float) -> str:
    return f'<line x1="{at(x)}" y1="{at(y)}" x2="{at(x2)}" y2="{at(y2)}" class="rule"/>'


def chip(x: float, y: float, what: Chip) -> str:
    """A chip with its upper left corner at the point."""
    words = f"code {what.style}-text"
    drawn = box(x, y, what.width, CHIP - 4, what.style, 8) + text(x + 7, y + 12, what.text, words)
    return linked(drawn, what.href)


def linked(part: str, href: str) -> str:
    """A part that leads somewhere, if there is somewhere to go."""
    return f'<a href="{escape(href)}">{part}</a>' if href else part


def at(value: float) -> str:
    """A coordinate, as short as it can be."""
    return f"{value:.1f}".rstrip("0").rstrip(".")


def wrapped(chips: Iterable[Chip], width: float) -> list[list[Chip]]:
    """Chips in lines that are no wider than ``width``, if they can be."""
    lines: list[list[Chip]] = []
    used = 0.0
    for each in chips:
        if lines and used + each.width <= width:
            lines[-1].append(each)
        else:
            lines.append([each])
            used = 0.0
        used += each.width + GAP
    return lines


def within_page(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A drawing for a page that brings the styles, and in which links can be followed."""
    size = f'width="{at(width)}" height="{at(height)}" viewBox="0 0 {at(width)} {at(height)}"'
    head = f'<svg class="picture" {size} role="group" aria-label="{escape(title)}">'
    return "\n".join([head, *parts, "</svg>"])


def picture(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A whole drawing."""
    size = f'width="{at(width)}" height="{at(height)}" viewBox="0 0 {at(width)} {at(height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{STYLE}</style>",
        box(0, 0, width, height, "page"),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
