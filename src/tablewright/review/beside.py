"""What a model's author has accepted: ``suppressions``, in the model's module or beside it."""

from __future__ import annotations

import importlib
import sys

from tablewright.review.design import Suppression


class NoSuppressions(Exception):
    """What lies beside the model cannot be read; ``hint`` says what to do, if that is known."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def suppressions_beside(module: str) -> tuple[Suppression, ...]:
    """``suppressions`` of the model's module, or of the module ``review`` beside it.

    The module has been imported already. Raises :class:`NoSuppressions`.
    """
    own = getattr(sys.modules[module], "suppressions", None)
    if own is None:
        package = module.rpartition(".")[0]
        own = _told(f"{package}.review" if package else "review")
    return _checked(own or ())


def _told(beside: str) -> object:
    try:
        return getattr(importlib.import_module(beside), "suppressions", None)
    except ModuleNotFoundError as error:
        if error.name != beside:
            raise NoSuppressions(f"module {beside} cannot be imported: {error}") from None
        return None


def _checked(given: object) -> tuple[Suppression, ...]:
    if not isinstance(given, list | tuple) or not all(isinstance(x, Suppression) for x in given):
        raise NoSuppressions(
            "`suppressions` is a list of tablewright.review.Suppression",
            'for instance Suppression("I01", place="Orders/GSI2", reason="read by the exporter")',
        )
    return tuple(given)
