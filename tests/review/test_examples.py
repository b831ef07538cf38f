"""The models of ``examples/``: nothing is found in them but what is true."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from tests.timing import at_most

from tablewright.model import Model
from tablewright.review import review
from tablewright.review.from_model import design_of

EXAMPLES = sorted(
    path.stem for path in (Path(__file__).resolve().parents[2] / "examples").glob("*.py")
)
#: What is found, and why it is true.
TRUE = {
    # Bands and musicians are put without a pattern, to keep the example short.
    "adjacency_list": {("W01", "lineup"), ("W01", "career")},
    "ordered_numbers": {("W01", "repairs")},
    # Two plans, one list of what waits: fine for a help desk and a warehouse; rates would say so.
    "overloaded_index": {("H02", "HelpDesk/GSI1")},
    "sparse_index": {("H02", "Warehouse/Waiting")},
}


def model_of(name: str) -> Model:
    module = importlib.import_module(f"examples.{name}")
    found = getattr(module, "model", None)
    return found if isinstance(found, Model) else Model(name, module)


@pytest.mark.parametrize("name", EXAMPLES)
def test_only_what_is_true_is_found(name: str) -> None:
    report = review(design_of(model_of(name)))
    found = {(finding.code, finding.place.name) for finding in report.findings}
    assert found == TRUE.get(name, set())
    assert not report.fails("error")


def test_a_review_takes_less_than_half_a_second() -> None:
    design = design_of(model_of("github"))
    review(design)
    with at_most(0.5):
        review(design)
