"""One known defect of a document, and what counts as having found it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.review import Finding

#: "rule": the review has to find it. "plan": a price or load that the plan computes anew.
#: "reader": it stands in the prose alone, or is about what the document leaves out.
Finder: TypeAlias = Literal["rule", "plan", "reader"]


@dataclass(frozen=True)
class Mark:
    """Any finding with one of these codes whose place has ``place`` in it."""

    codes: tuple[str, ...]
    place: str

    def met_by(self, finding: Finding) -> bool:
        return finding.code in self.codes and self.place in str(finding.place)


@dataclass(frozen=True)
class Defect:
    """A row of a document's list. It is found if every one of its marks is met."""

    number: int
    text: str
    finder: Finder
    marks: tuple[Mark, ...]
    #: What belongs to it but takes a reader to see.
    rest: str = ""

    def codes(self, findings: Iterable[Finding]) -> tuple[str, ...]:
        """The codes that found it; none if a mark is not met."""
        listed = list(findings)
        met = [[each.code for each in listed if mark.met_by(each)] for mark in self.marks]
        if not met or not all(met):
            return ()
        return tuple(sorted({code for codes in met for code in codes}))


def _mark(text: str) -> Mark:
    """``"K01|K02 Order.status"``: one of the codes, at a place with that in its name."""
    codes, _, place = text.partition(" ")
    return Mark(tuple(codes.split("|")), place)


def rule(number: int, text: str, *marks: str, rest: str = "") -> Defect:
    """A defect that the review should find: all ``marks`` are needed."""
    return Defect(number, text, "rule", tuple(map(_mark, marks)), rest)


def plan(number: int, text: str, *marks: str) -> Defect:
    """A wrong price or load; marks are what the review happens to say of it."""
    return Defect(number, text, "plan", tuple(map(_mark, marks)))


def reader(number: int, text: str, *marks: str) -> Defect:
    """A defect that no rule is expected to see."""
    return Defect(number, text, "reader", tuple(map(_mark, marks)))
