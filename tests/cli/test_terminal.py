"""What commands tell people."""

from __future__ import annotations

from tablewright.cli.terminal import Failure, not_installed


def test_an_extra_that_is_missing_is_named_with_what_brings_it() -> None:
    told = not_installed("The systems need", ModuleNotFoundError(name="fastapi"))
    assert isinstance(told, Failure)
    assert "fastapi is missing" in str(told)
    assert "tablewright[systems]" in told.hint


def test_a_module_of_ours_that_is_missing_stays_a_mistake() -> None:
    error = ModuleNotFoundError(name="tablewright.cli.nowhere")
    assert not_installed("The systems need", error) is error
