"""Which known defects the review finds: for the tests, and for the page that shows it.

``python -m tests.review.outcomes`` writes docs/review-of-the-seeds.md anew.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.review.defects.row import Defect

from tablewright.review import Design, Finding, Report, review

SEEDS = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")
_PAGE = Path(__file__).resolve().parents[2] / "docs" / "review-of-the-seeds.md"
_FINDERS = {"rule": "a rule", "plan": "the plan", "reader": "a reader"}


@dataclass(frozen=True)
class Outcome:
    """A defect, and the codes of the rules that found it."""

    seed: str
    defect: Defect
    codes: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def found(self) -> bool:
        return bool(self.codes)

    def missing(self) -> str:
        """The marks that nothing met."""
        marks = (
            f"{'|'.join(mark.codes)} {mark.place}"
            for mark in self.defect.marks
            if not any(mark.met_by(finding) for finding in self.findings)
        )
        return f"{self.defect.text}: {'; '.join(marks)}"


def declared(seed: str) -> Design:
    """A document's own design."""
    made: Design = importlib.import_module(f"tests.review.seeds.{seed}").design()
    return made


@cache
def report(seed: str) -> Report:
    """The review of a document's design."""
    return review(declared(seed))


@cache
def outcomes(seed: str) -> tuple[Outcome, ...]:
    """What became of each known defect of a document."""
    findings = report(seed).findings
    defects: tuple[Defect, ...] = importlib.import_module(f"tests.review.defects.{seed}").DEFECTS
    return tuple(Outcome(seed, each, each.codes(findings), findings) for each in defects)


# --- the page ------------------------------------------------------------------------------------

_HEAD = """\
# The review of the seeds

The models of this repository came from five documents, which we call the seeds. Each is declared
for the review as it stands, mistakes included: `tests/review/seeds`. What is wrong with them was
listed by hand before there were rules: `tests/review/defects`. This page compares the two, and is
written by `python -m tests.review.outcomes`; a test keeps it up to date, and fails if the rules
find less than nine in ten of what they should, in any document.

A defect should be found by *a rule* if the declaration shows it, by *the plan* if it is a price or
a load (`tablewright plan`), and by *a reader* if it stands in the prose alone or is something that
the document leaves out. A defect with several parts counts as found if all of them are, but for
what stands there as left *for a reader*. Which codes count as having found it was set down with the
rules.

No rule knows a document. But the rules were written with these documents at hand, and where a
declaration had to read something into the prose (a comment beside it says so), it was read by
people who knew the defect. So the numbers say that the rules cover what is known here; they do not
say what the rules would miss elsewhere.
"""


def page() -> str:
    """The whole page, as Markdown."""
    parts = [_HEAD, *_summary()]
    for seed in SEEDS:
        parts.extend(_chapter(seed))
    return "\n".join(parts) + "\n"


def _summary() -> Iterator[str]:
    yield "| Document | Defects for rules | Found | Other defects found |"
    yield "|---|---|---|---|"
    total = [0, 0]
    for seed in SEEDS:
        expected = [row for row in outcomes(seed) if row.defect.finder == "rule"]
        found = sum(row.found for row in expected)
        besides = sum(row.found for row in outcomes(seed)) - found
        total = [total[0] + len(expected), total[1] + found]
        yield f"| [{seed}](#{seed}) | {len(expected)} | {found} | {besides} |"
    yield ""
    yield f"Of {total[0]} defects that rules should find they find {total[1]}."


def _chapter(seed: str) -> Iterator[str]:
    yield f"\n## {seed}\n"
    yield "| # | Defect | Should be found by | Found by |"
    yield "|---|---|---|---|"
    for row in outcomes(seed):
        codes = ", ".join(f"[{code}](rules/{code}.md)" for code in row.codes)
        finder = _FINDERS[row.defect.finder]
        blank = "not found" if row.defect.finder == "rule" else ""
        text = row.defect.text + (
            f" (*for a reader:* {row.defect.rest})" if row.defect.rest else ""
        )
        yield f"| {row.defect.number} | {text} | {finder} | {codes or blank} |"


if __name__ == "__main__":
    _PAGE.write_text(page())
