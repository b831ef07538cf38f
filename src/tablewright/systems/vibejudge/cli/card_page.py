"""A scorecard as one page of HTML: no scripts, nothing from elsewhere, good in light and dark."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tablewright.service.wording import several
from tablewright.systems.vibejudge.cli.cards import Card
from tablewright.systems.vibejudge.cli.words import percent
from tablewright.systems.vibejudge.rules.scoring import STRONG, rounded
from tablewright.systems.vibejudge.rules.spoken import spoken

_FOLDER = Path(__file__).parent / "pages"
_FAIR = Decimal(4)
_FIRST = 10
#: Of the ring around the score.
RADIUS = 52


def card_page(card: Card) -> str:
    """The page; everything that a repository says is escaped."""
    pages = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters.update(spoken=spoken, tone=tone, percent=percent, whole=several, rounded=rounded)
    circle = 2 * math.pi * RADIUS
    return pages.get_template("scorecard.html").render(
        card=card,
        analysis=card.analysis,
        meta=card.analysis.meta,
        verdict=card.verdict,
        first=card.first(_FIRST),
        radius=RADIUS,
        circle=f"{circle:.2f}",
        arc=f"{circle * float(card.verdict.overall_score) / 100:.2f}",
    )


def tone(score: Decimal) -> str:
    """Of a score from 0 to 10: the name of its colour."""
    if score >= STRONG:
        return "good"
    return "fair" if score >= _FAIR else "poor"
