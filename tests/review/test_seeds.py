"""The review on the five documents: it finds what is known to be wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.review.outcomes import SEEDS, Outcome, declared, outcomes, page, report

from tablewright import review
from tablewright.review import all_rules

PAGE = Path(__file__).resolve().parents[2] / "docs" / "review-of-the-seeds.md"
ENOUGH = 0.9


def share(rows: list[Outcome]) -> float:
    return sum(row.found for row in rows) / len(rows)


def expected(seed: str) -> list[Outcome]:
    return [row for row in outcomes(seed) if row.defect.finder == "rule"]


def misses(rows: list[Outcome]) -> str:
    return "\n".join(
        f"{row.seed} {row.defect.number}: {row.missing()}" for row in rows if not row.found
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_rules_find_what_they_should_in_each_document(seed: str) -> None:
    rows = expected(seed)
    print(misses(rows))
    assert share(rows) >= ENOUGH, misses(rows)


def test_rules_find_what_they_should_in_all_documents_together() -> None:
    rows = [row for seed in SEEDS for row in expected(seed)]
    assert share(rows) >= ENOUGH, misses(rows)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_expected_defect_says_what_finds_it(seed: str) -> None:
    assert [row.defect.number for row in expected(seed) if not row.defect.marks] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_defects_are_numbered_without_gaps(seed: str) -> None:
    numbers = [row.defect.number for row in outcomes(seed)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_code_that_counts_is_the_code_of_a_rule(seed: str) -> None:
    known = {rule.code for rule in all_rules()}
    named = {code for row in outcomes(seed) for mark in row.defect.marks for code in mark.codes}
    assert named - known == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_found_without_findings(seed: str) -> None:
    assert [row.defect.number for row in outcomes(seed) if row.defect.codes([])] == []


def test_a_defect_of_two_parts_is_found_if_both_are() -> None:
    both = next(row.defect for row in outcomes("pricekeeper") if row.defect.number == 4)
    findings = report("pricekeeper").findings
    assert both.codes(findings) == ("C05", "U03")
    assert both.codes([each for each in findings if each.code != "U03"]) == ()


def test_rules_do_not_know_the_documents() -> None:
    tables = {table.name for seed in SEEDS for table in declared(seed).tables}
    words = {*SEEDS, *(name for name in tables if not name.istitle())}
    sources = Path(review.__file__).parent.rglob("*.py")
    texts = {path.name: path.read_text() for path in sources}
    assert [(name, word) for name, text in texts.items() for word in words if word in text] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "python -m tests.review.outcomes writes it anew"
