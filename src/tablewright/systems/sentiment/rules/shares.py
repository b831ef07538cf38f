"""Shares of voice: how much of all that is said, is said about one, or by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablewright.systems.sentiment.rules.figures import Figures


@dataclass(frozen=True, slots=True)
class Share:
    """One topic or publisher among the others."""

    key: str
    label: str
    figures: Figures
    #: From 0 to 1; None if nobody has said anything.
    share: float | None


def shares_of(voices: Iterable[tuple[str, str, Figures]]) -> list[Share]:
    """The largest first. Of tags, an article counts once for each that it has."""
    known = list(voices)
    whole = sum(figures.articles for _, _, figures in known)
    found = [
        Share(key, label, figures, figures.articles / whole if whole else None)
        for key, label, figures in known
    ]
    return sorted(found, key=lambda each: (-each.figures.articles, each.key))
