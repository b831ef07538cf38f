"""What was accepted is found in the model's module, or in one called ``review`` beside it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright.review import Suppression
from tablewright.review.beside import NoSuppressions, facts_beside, suppressions_beside
from tablewright.review.design import Limit

Package = Callable[..., str]
GIVEN = """
from tablewright.review import Suppression
suppressions = [Suppression("I01", place="Orders/GSI2", reason="read by the exporter")]
"""
ACCEPTED = (Suppression("I01", place="Orders/GSI2", reason="read by the exporter"),)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """Makes a package of these modules; gives the name of its module ``model``, imported."""

    def make(name: str, **modules: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        for module, text in {"__init__": "", "model": "", **modules}.items():
            (folder / f"{module}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return importlib.import_module(f"{name}.model").__name__

    return make


def test_in_the_module_or_beside_it(package: Package) -> None:
    assert suppressions_beside(package("accepted_within", model=GIVEN)) == ACCEPTED
    assert suppressions_beside(package("accepted_beside", review=GIVEN)) == ACCEPTED
    assert suppressions_beside(package("accepted_nowhere")) == ()
    assert suppressions_beside(package("accepted_without_any", review="rules = 1")) == ()


def test_what_is_no_list_of_them_is_told(package: Package) -> None:
    for number, wrong in enumerate(('"I01"', '["I01"]', '{"I01": 1}')):
        module = package(f"accepted_wrongly_{number}", review=f"suppressions = {wrong}")
        with pytest.raises(NoSuppressions, match="is a list of") as caught:
            suppressions_beside(module)
        assert "Suppression(" in caught.value.hint


def test_a_module_that_lacks_another_one_is_told(package: Package) -> None:
    module = package("accepted_brokenly", review="import no_such_module_anywhere")
    with pytest.raises(NoSuppressions, match="no_such_module_anywhere"):
        suppressions_beside(module)


def test_facts_are_found_like_suppressions(package: Package) -> None:
    given = """
from tablewright.review.design import Limit
review_facts = [Limit("max_teams", "Team")]
"""
    stated = (Limit("max_teams", "Team"),)
    assert facts_beside(package("stated_within", model=given)) == stated
    assert facts_beside(package("stated_beside", review=given)) == stated
    assert facts_beside(package("stated_nowhere")) == ()


def test_facts_of_another_kind_are_told(package: Package) -> None:
    module = package("stated_wrongly", review='review_facts = ["max_teams"]')
    with pytest.raises(NoSuppressions, match="is a list of") as caught:
        facts_beside(module)
    assert "Limit(" in caught.value.hint
