"""The review on data models that others have published: it says what is true, and no more."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.review.public.judged import PAGE, SOURCES, TRUE, declared, page

from tablewright.review import review

MODELS = pytest.mark.parametrize("model", SOURCES)


@MODELS
def test_every_finding_was_judged_true(model: str) -> None:
    found = Counter((each.code, str(each.place)) for each in review(declared(model)).findings)
    judged = Counter((each.code, each.place) for each in TRUE[model])
    assert sorted((found - judged).elements()) == [], "found, but not judged"
    assert sorted((judged - found).elements()) == [], "judged true, but not found"


@MODELS
def test_every_model_has_a_reason_for_each_finding(model: str) -> None:
    assert TRUE[model]
    assert [each.code for each in TRUE[model] if not each.why.endswith(".")] == []


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text() == page(), "python -m tests.review.public.judged writes it anew"
