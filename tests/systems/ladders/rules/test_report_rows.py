"""A report as a table."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from tablewright.systems.ladders.demo_items import CURRENT, assessment, ladder, report
from tablewright.systems.ladders.entities import Assessment, Report
from tablewright.systems.ladders.fields import Feedback, Unmatched, Variance
from tablewright.systems.ladders.rules.report_rows import COLUMNS, Row, csv_of, rows_of
from tablewright.systems.ladders.rules.variance import compared

OWN = {"Craft": {"Coding": 3, "Design": 2}, "Delivery": {"Planning": 4}}
MANAGER = {"Craft": {"Coding": 3, "Design": 4}, "Delivery": {}}


def side(kind, levels: dict[str, dict[str, int]], said: str) -> Assessment:
    made = assessment(CURRENT, 4, kind, "submitted", 3)
    made.selections = levels
    made.feedback = {
        category: {
            competency: {str(level): Feedback(evidence=said, next_level_feedback=f"{said}?")}
            for competency, level in inside.items()
        }
        for category, inside in levels.items()
    }
    return made


def both(own: str = "Mine", manager: str = "Theirs") -> tuple[Report, Assessment, Assessment]:
    found = compared(OWN, MANAGER, 2)
    made = report(CURRENT, 4).model_copy(
        update={
            "variance": found.variance,
            "unmatched": found.unmatched,
            "summary": found.summary,
            "category_levels": found.category_levels,
        }
    )
    return made, side("self", OWN, own), side("manager", MANAGER, manager)


def test_rows_are_those_of_the_ladder() -> None:
    assert rows_of(*both(), ladder()) == [
        Row("Craft", "Coding", 3, 3, 0, "agree", "Mine", "Mine?", "Theirs", "Theirs?"),
        Row("Craft", "Design", 2, 4, 2, "flag", "Mine", "Mine?", "Theirs", "Theirs?"),
        Row("Delivery", "Planning", 4, None, None, "unmatched", "Mine", "Mine?", "", ""),
        Row("Delivery", "Ownership", None, None, None, "unanswered", "", "", "", ""),
    ]


def test_levels_are_those_that_were_compared() -> None:
    made, own, manager = both()
    own.selections = {"Craft": {"Coding": 5}}
    assert rows_of(made, own, manager, ladder())[0].self_level == 3


def cells(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_a_file_of_a_report() -> None:
    made, own, manager = both('He said "yes",\nthen left', "Ünïcode")
    coding, _, planning, _ = cells(csv_of(made, own, manager, ladder()))
    assert tuple(coding) == COLUMNS
    assert coding["self_evidence"] == 'He said "yes",\nthen left'
    assert coding["manager_evidence"] == "Ünïcode"
    assert coding["report_season"] == "2026-H2"
    assert coding["report_final_level"] == str(made.final_level)
    assert coding["report_self_level"] == str(made.self_assessed_level)
    assert (planning["manager_level"], planning["difference"]) == ("", "")


def test_scenario_19_nothing_in_a_file_is_a_formula() -> None:
    """CSV `=1+1` inert."""
    made, own, manager = both("=1+1", "@SUM(A1)")
    (first, *_) = cells(csv_of(made, own, manager, ladder()))
    assert first["self_evidence"] == "'=1+1"
    assert first["manager_evidence"] == "'@SUM(A1)"


def test_a_difference_below_zero_stays_a_number() -> None:
    made, own, manager = both()
    made.variance["Craft"]["Coding"] = Variance(self_score=5, manager_score=2, difference=-3)
    made.unmatched = [Unmatched(category="Craft", competency="None", side="self", score=1)]
    first = cells(csv_of(made, own, manager, ladder()))[0]
    assert Decimal(first["difference"]) == -3
    assert first["matching"] == "flag"
