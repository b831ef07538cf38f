"""What every model is to the rest: a version, and a verdict on a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from tablewright.systems.sentiment.articles import Analysis
from tablewright.systems.sentiment.shapes import Sentiment


@dataclass(frozen=True)
class Verdict:
    """What a model says about a text; figures have four places."""

    label: Sentiment
    score: Decimal
    polarity: Decimal

    def analysis(self, model_version: str, at: datetime) -> Analysis:
        return Analysis(
            label=self.label,
            score=self.score,
            polarity=self.polarity,
            model_version=model_version,
            analyzed_at=at,
        )


class Analyser(Protocol):
    """A model that is loaded. It computes and nothing else: safe to call from any thread."""

    @property
    def version(self) -> str: ...

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        """A verdict on each text, in their order."""
        ...


def languages_of(analyser: Analyser) -> frozenset[str] | None:
    """Return the languages that a model covers; None if it does not say, and judges any."""
    found = getattr(analyser, "languages", None)
    return found if isinstance(found, frozenset) else None


def is_quick(analyser: Analyser) -> bool:
    """Whether a text takes it so little time that handing it to a thread would take more."""
    return getattr(analyser, "quick", False) is True
