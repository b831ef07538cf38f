"""The few forms of Markdown that the document has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns in which no row has anything are left out."""
    filled = [list(row) for row in rows]
    kept = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in filled)]
    lines = [
        _line([heads[at] for at in kept]),
        "|" + "---|" * len(kept),
        *(_line([_cell(row[at]) for at in kept]) for row in filled),
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """One line, in which no bar ends the cell, not even one inside code."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Text as code, whatever it holds."""
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def codes(texts: Iterable[str]) -> str:
    return ", ".join(code(text) for text in texts)


def block(text: str, language: str = "") -> str:
    return f"```{language}\n{text}\n```"


def anchor(heading: str) -> str:
    """The address of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def number(value: float) -> str:
    """A number for people: no more digits than matter."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def paragraphs(*parts: str) -> str:
    """Parts with an empty line between them; empty ones are left out."""
    return "\n\n".join(part for part in parts if part)
