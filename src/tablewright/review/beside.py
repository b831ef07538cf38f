"""What a model's author states for the review, in the model's module or the module beside it.

``suppressions`` are findings that are accepted. ``review_facts`` are what no model can declare:
limits of the business, flows, figures, permissions, alarms, and definitions that stand elsewhere.
"""

from __future__ import annotations

import importlib
import sys
from typing import TypeAlias

from tablewright.review.design import (
    Alarm,
    Definition,
    Figure,
    Flow,
    Limit,
    Permission,
    Suppression,
)

Fact: TypeAlias = Alarm | Definition | Figure | Flow | Limit | Permission
#: The field of a design that holds each kind of fact.
FACTS: dict[type, str] = {
    Alarm: "alarms",
    Definition: "definitions",
    Figure: "figures",
    Flow: "flows",
    Limit: "limits",
    Permission: "permissions",
}


class NoSuppressions(Exception):
    """What lies beside the model cannot be read; ``hint`` says what to do, if that is known."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def suppressions_beside(module: str) -> tuple[Suppression, ...]:
    """Return the findings that are accepted; raises :class:`NoSuppressions`.

    The module has been imported already.
    """
    given = _beside(module, "suppressions")
    if not isinstance(given, list | tuple) or not all(isinstance(x, Suppression) for x in given):
        raise NoSuppressions(
            "`suppressions` is a list of tablewright.review.Suppression",
            'for instance Suppression("I01", place="Orders/GSI2", reason="read by the exporter")',
        )
    return tuple(given)


def facts_beside(module: str) -> tuple[Fact, ...]:
    """Return the facts that are stated; raises :class:`NoSuppressions`."""
    given = _beside(module, "review_facts")
    if not isinstance(given, list | tuple) or not all(type(each) in FACTS for each in given):
        raise NoSuppressions(
            "`review_facts` is a list of Alarm, Definition, Figure, Flow, Limit and Permission of "
            "tablewright.review.design",
            'for instance Limit("max_teams", "Team", enforced_by=["register"])',
        )
    return tuple(given)


def _beside(module: str, name: str) -> object:
    """Return ``name`` of the model's module, or of the module ``review`` beside it; else ()."""
    own = getattr(sys.modules[module], name, None)
    if own is None:
        package = module.rpartition(".")[0]
        own = _imported(f"{package}.review" if package else "review", name)
    return own or ()


def _imported(beside: str, name: str) -> object:
    try:
        return getattr(importlib.import_module(beside), name, None)
    except ModuleNotFoundError as error:
        if error.name != beside:
            raise NoSuppressions(f"module {beside} cannot be imported: {error}") from None
        return None
