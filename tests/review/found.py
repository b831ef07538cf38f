"""Run one rule on a few parts of a design."""

from __future__ import annotations

from tablewright.review import Finding, all_rules
from tablewright.review.design import Design, Part


def found(code: str, *parts: Part) -> list[Finding]:
    """What the rule of this code says about a design of these parts."""
    (rule,) = (each for each in all_rules() if each.code == code)
    return list(rule.findings(Design.of("a design", *parts)))


def places(code: str, *parts: Part) -> list[str]:
    """Where it finds something."""
    return [str(each.place) for each in found(code, *parts)]
