"""The design review: rules with stable codes that find what cannot work and what will hurt.

``review(design_of(model, demo))`` gives a :class:`Report`. A design that was never built is
declared with the plain classes of :mod:`tablewright.review.design`.
"""

from tablewright.review.design import Design, Suppression
from tablewright.review.finding import Finding, Place
from tablewright.review.report import Report, review
from tablewright.review.rule import Rule, all_rules

__all__ = [
    "Design",
    "Finding",
    "Place",
    "Report",
    "Rule",
    "Suppression",
    "all_rules",
    "review",
]
