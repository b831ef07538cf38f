"""docs/images/layers.svg: the layers as import-linter checks them, drawn from its contract.

    python -m scripts.draw_layers

A test compares the picture with the contract, so that the one cannot change without the other.
"""

from __future__ import annotations

import re
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "layers.svg"

#: What each part is for.
ABOUT = {
    "cli": "the command",
    "testing": "the pytest plugin",
    "console": "pages, explorer, capacity",
    "systems": "the five systems",
    "deploy": "tables, templates, IAM",
    "service": "the kit of all systems",
    "adopt": "models from tables",
    "review": "findings",
    "plan": "units, cost, heat",
    "document": "pages and pictures",
    "server": "the wire protocol",
    "client": "runs ops",
    "engine": "the database",
    "model": "entities, keys, patterns",
    "expressions": "one grammar for all",
    "clock": "time",
    "values": "attribute values",
}
#: Not parts, but the way in, and how modules are found.
HIDDEN = {"__main__", "native"}

WIDTH, ROW, GAP, EDGE = 920, 58, 12, 24

STYLE = """
  .paper { fill: #fbfcfc; stroke: #cfd9db; } .part { fill: #ffffff; stroke: #9db3b7; }
  .base { fill: #e3f1ef; stroke: #0b6e66; } .ink { fill: #16252a; } .soft { fill: #52646a; }
  text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
    text-anchor: middle; }
  .name { font-size: 16px; font-weight: 600; } .say { font-size: 12.5px; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #12191c; stroke: #2d3a3f; } .part { fill: #1b2529; stroke: #48595f; }
    .base { fill: #12332f; stroke: #5fc9bd; } .ink { fill: #e4ecee; } .soft { fill: #a5b5ba; }
  }
"""


def layers() -> list[list[str]]:
    """The contract's rows, from the top; each may import the rows below it."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (contract,) = (each for each in config["contracts"] if each["id"] == "layers")
    rows = [re.split(r"\s*[|:]\s*", line) for line in contract["layers"]]
    return [kept for row in rows if (kept := [name for name in row if name not in HIDDEN])]


def drawn(rows: list[list[str]]) -> str:
    height = 2 * EDGE + len(rows) * (ROW + GAP) - GAP
    parts = [each for number, row in enumerate(rows) for each in _row(number, row)]
    told = "; ".join(", ".join(row) for row in rows)
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
            ' aria-labelledby="title about">',
            '<title id="title">Layers: each may import what is below it</title>',
            f'<desc id="about">From the top: {escape(told)}.</desc>',
            f"<style>{STYLE}</style>",
            f'<rect class="paper" width="{WIDTH}" height="{height}" rx="12"/>',
            *parts,
            "</svg>\n",
        )
    )


def _row(number: int, row: list[str]) -> list[str]:
    width = (WIDTH - 2 * EDGE - GAP * (len(row) - 1)) / len(row)
    top = EDGE + number * (ROW + GAP)
    return [_part(name, EDGE + place * (width + GAP), top, width) for place, name in enumerate(row)]


def _part(name: str, left: float, top: float, width: float) -> str:
    kind = "base" if name in ("engine", "model") else "part"
    middle = f"{left + width / 2:g}"
    return (
        f'<rect class="{kind}" x="{left:g}" y="{top:g}" width="{width:g}" height="{ROW}" rx="8"/>'
        f'<text class="name ink" x="{middle}" y="{top + 25:g}">{escape(name)}</text>'
        f'<text class="say soft" x="{middle}" y="{top + 44:g}">{escape(ABOUT[name])}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(layers()))
