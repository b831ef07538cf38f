"""How good predictions are, as the model card tells it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from training.sentiment.data import LABELS


@dataclass(frozen=True)
class Measured:
    """Predictions beside the truth."""

    name: str
    truth: Sequence[int]
    said: Sequence[int]

    @property
    def accuracy(self) -> float:
        right = sum(one == other for one, other in zip(self.truth, self.said, strict=True))
        return right / len(self.truth)

    @property
    def macro_f1(self) -> float:
        return sum(self.of(label)[2] for label in range(len(LABELS))) / len(LABELS)

    def of(self, label: int) -> tuple[float, float, float]:
        """Precision, recall and F1 of a label."""
        both = sum(a == b == label for a, b in zip(self.truth, self.said, strict=True))
        said, true = list(self.said).count(label), list(self.truth).count(label)
        precision, recall = _share(both, said), _share(both, true)
        return precision, recall, _share(2 * both, said + true)

    def matrix(self) -> list[list[int]]:
        """Rows are the truth, columns what was said."""
        counts = Counter(zip(self.truth, self.said, strict=True))
        every = range(len(LABELS))
        return [[counts[true, said] for said in every] for true in every]


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def summary(measured: Sequence[Measured]) -> str:
    """A table of all, and of each label."""
    lines = [
        "| | accuracy | macro F1 | F1 negative | F1 neutral | F1 positive |",
        "|---|" + "---:|" * 5,
    ]
    for each in measured:
        scores = [each.accuracy, each.macro_f1, *(each.of(label)[2] for label in range(3))]
        lines.append(f"| {each.name} | " + " | ".join(f"{score:.3f}" for score in scores) + " |")
    return "\n".join(lines)


def details(each: Measured) -> str:
    """Each label of one model, and what it is taken for."""
    lines = [
        f"| truth, by {each.name} | said negative | said neutral | said positive | precision "
        "| recall |",
        "|---|" + "---:|" * 5,
    ]
    for label, row in enumerate(each.matrix()):
        precision, recall, _ = each.of(label)
        counts = " | ".join(map(str, row))
        lines.append(f"| {LABELS[label]} | {counts} | {precision:.3f} | {recall:.3f} |")
    return "\n".join(lines)
