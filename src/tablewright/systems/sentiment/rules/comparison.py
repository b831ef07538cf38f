"""How two models agree: the matrix of their labels, and what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final, Self, get_args

from tablewright.systems.sentiment.config import MAX_CHANGED_IDS, Comparison
from tablewright.systems.sentiment.shapes import Sentiment

LABELS: Final[tuple[Sentiment, ...]] = get_args(Sentiment)
#: Old label to new label to articles.
Matrix = Mapping[str, Mapping[str, int]]

_PLACES = Decimal("0.0001")


def total(matrix: Matrix) -> int:
    return sum(sum(row.values()) for row in matrix.values())


def agreement(matrix: Matrix) -> Fraction:
    """The share of articles with the same label; of none, all agree."""
    number = total(matrix)
    return Fraction(_same(matrix), number) if number else Fraction(1)


def kappa(matrix: Matrix) -> Fraction:
    """Cohen's kappa: agreement beyond what chance alone would give, at most 1.

    Where both models only ever say one and the same label, chance explains everything; they agree
    nonetheless, which counts as 1.
    """
    number = total(matrix)
    if not number:
        return Fraction(1)
    rows = {label: sum(matrix.get(label, {}).values()) for label in LABELS}
    columns = {label: sum(row.get(label, 0) for row in matrix.values()) for label in LABELS}
    by_chance = Fraction(sum(rows[label] * columns[label] for label in LABELS), number**2)
    if by_chance == 1:
        return Fraction(1)
    return (agreement(matrix) - by_chance) / (1 - by_chance)


def _same(matrix: Matrix) -> int:
    return sum(matrix.get(label, {}).get(label, 0) for label in LABELS)


@dataclass
class Tallies:
    """What a comparison counts, article by article; goes on from a report that was kept."""

    matrix: dict[str, dict[str, int]] = field(
        default_factory=lambda: {old: dict.fromkeys(LABELS, 0) for old in LABELS}
    )
    overrides: int = 0
    right: int = 0
    right_before: int = 0
    changed_ids: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, report: Comparison | None) -> Self:
        """As they were when this was reported."""
        made = cls()
        if report is None:
            return made
        for old, row in report.matrix.items():
            made.matrix[old] |= row
        made.overrides = report.overrides
        made.right, made.right_before = report.overrides_right, report.overrides_right_before
        made.changed_ids = list(report.changed_ids)
        return made

    def add(
        self, source_id: str, old: Sentiment, new: Sentiment, verdict: Sentiment | None = None
    ) -> None:
        """One article; ``verdict`` is what a person said about it."""
        self.matrix[old][new] += 1
        if verdict is not None:
            self.overrides += 1
            self.right += new == verdict
            self.right_before += old == verdict
        if old != new and len(self.changed_ids) < MAX_CHANGED_IDS:
            self.changed_ids.append(source_id)

    def report(self) -> Comparison:
        return Comparison(
            agreement=_rounded(agreement(self.matrix)),
            kappa=_rounded(kappa(self.matrix)),
            matrix={old: dict(row) for old, row in self.matrix.items()},
            accuracy_on_overrides=self._share(self.right),
            old_accuracy_on_overrides=self._share(self.right_before),
            overrides=self.overrides,
            overrides_right=self.right,
            overrides_right_before=self.right_before,
            changed=total(self.matrix) - _same(self.matrix),
            changed_ids=self.changed_ids[:],
        )

    def _share(self, right: int) -> Decimal | None:
        return _rounded(Fraction(right, self.overrides)) if self.overrides else None


def _rounded(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / Decimal(value.denominator)).quantize(_PLACES)
