"""Rubrics to begin with, for the hackathons that there are most of."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tablewright.systems.vibejudge.entities import Dimension, PolicyMode, Rubric
from tablewright.systems.vibejudge.table import Agent


@dataclass(frozen=True)
class Template:
    """A rubric, and the policy that goes with it."""

    id: str
    about: str
    ai_policy_mode: PolicyMode
    rubric: Rubric


def _rubric(name: str, *dimensions: tuple[str, str, Agent, str]) -> Rubric:
    return Rubric(
        name=name,
        dimensions=[
            Dimension(name=title, weight=Decimal(weight), agent=agent, description=about)
            for title, weight, agent, about in dimensions
        ],
    )


TEMPLATES: Final = (
    Template(
        "all-round",
        "A balance of craft, design and ideas, for most hackathons.",
        "ai_assisted",
        _rubric(
            "All-round",
            ("code_quality", "0.25", "bug_hunter", "Quality, security and tests of the code"),
            ("architecture", "0.25", "performance", "How it is built, and whether it would grow"),
            ("innovation", "0.30", "innovation", "New ideas, and how well they are shown"),
            ("authenticity", "0.20", "ai_detection", "Made in the time, step by step"),
        ),
    ),
    Template(
        "vibe-coding",
        "What was built counts, and not who or what typed it.",
        "full_vibe",
        _rubric(
            "Vibe coding",
            ("innovation", "0.50", "innovation", "The idea, and how it can be tried"),
            ("architecture", "0.25", "performance", "Whether it holds together"),
            ("code_quality", "0.20", "bug_hunter", "No secrets, no holes, some tests"),
            ("authenticity", "0.05", "ai_detection", "Made for this hackathon"),
        ),
    ),
    Template(
        "classic",
        "Written by hand: how the work came about weighs almost a third.",
        "traditional",
        _rubric(
            "Classic",
            ("craft", "0.30", "bug_hunter", "Quality, security and tests of the code"),
            ("design", "0.20", "performance", "Structure, interfaces, use of resources"),
            ("ideas", "0.20", "innovation", "Originality, and a README that explains it"),
            ("authenticity", "0.30", "ai_detection", "Commits that show the work as it went"),
        ),
    ),
    Template(
        "production-ready",
        "For teams that want to ship: sound code and a design that lasts.",
        "ai_assisted",
        _rubric(
            "Production ready",
            ("soundness", "0.45", "bug_hunter", "Security, tests, handling of errors"),
            ("architecture", "0.40", "performance", "Data, interfaces, scalability"),
            ("usefulness", "0.15", "innovation", "What it is good for, and how to run it"),
        ),
    ),
    Template(
        "beginners",
        "For first hackathons: the idea and the way to it before polish.",
        "ai_assisted",
        _rubric(
            "Beginners",
            ("idea", "0.45", "innovation", "What it is, told so that others can try it"),
            ("learning", "0.30", "ai_detection", "Small steps, things tried and improved"),
            ("code", "0.25", "bug_hunter", "Readable, and without obvious traps"),
        ),
    ),
)
