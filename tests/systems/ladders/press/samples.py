"""Reports to print."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tablewright.systems.ladders.press.printed import (
    PrintedAction,
    PrintedCategory,
    PrintedCompetency,
    PrintedRating,
    PrintedReport,
    PrintedSummary,
)


def competency(name: str, own: int | None, manager: int | None) -> PrintedCompetency:
    return PrintedCompetency(
        name,
        PrintedRating(own, evidence=f"What I did for {name}."),
        PrintedRating(manager, evidence=f"What I saw of {name}.", next_step=f"More of {name}."),
    )


CRAFT = PrintedCategory(
    "Craft", (competency("Design", 3, 5), competency("Testing", 4, 4)), own_level=4, manager_level=5
)
DELIVERY = PrintedCategory(
    "Delivery",
    (competency("Planning", 3, 4), competency("Estimation", None, 4)),
    own_level=3,
    manager_level=4,
)
COLLABORATION = PrintedCategory(
    "Collaboration",
    (competency("Feedback", 5, 2), competency("Hiring", 2, None)),
    own_level=4,
    manager_level=2,
)

ASHA = PrintedReport(
    name="Asha Sharma",
    team="Payments",
    plan="Mid-year review",
    season="2026-H1",
    ladder_version="1.2.0",
    generated=datetime(2026, 7, 3, 9, tzinfo=UTC),
    levels=7,
    own_level=4,
    final_level=5,
    goal_level=6,
    flag_threshold=2,
    summary=PrintedSummary(matched=4, flagged=2, mean=0.0, mean_absolute=1.5),
    categories=(CRAFT, DELIVERY, COLLABORATION),
    manager="Ravi Iyer",
    level_names=("Associate", "Engineer", "Senior", "Lead", "Staff", "Principal", "Fellow"),
    status="acknowledged",
    way_forward="Lead the payments split.\n\nWrite the design first.",
    actions=(PrintedAction("Give a talk", date(2026, 9, 1), "done", "At the engineering day."),),
    released=date(2026, 7, 6),
    acknowledged=date(2026, 7, 8),
    comment="I agree with the goal.",
)


def largest(text: str) -> PrintedReport:
    """The longest names, and every rating with the text twice."""
    name = "A name as long as it may be of something that people are good at, more or less"

    def rating(number: int) -> PrintedRating:
        # No two of them alike: what is set twice is quicker.
        return PrintedRating(
            7, f"{number} in the words of the ladder. " * 6, f"{number} {text}", f"{text} {number}"
        )

    def category(first: int) -> PrintedCategory:
        numbers = range(first, first + 24, 2)
        every = (PrintedCompetency(name, rating(each), rating(each + 1)) for each in numbers)
        return PrintedCategory(name, tuple(every), 7, 7)

    return PrintedReport(
        name="N" * 100,
        team="T" * 100,
        plan="P" * 100,
        season="2026-H1",
        ladder_version="1.2.0",
        generated=ASHA.generated,
        levels=10,
        own_level=7,
        final_level=7,
        goal_level=8,
        flag_threshold=2,
        summary=PrintedSummary(144, 0, 0, 0),
        categories=tuple(category(24 * each) for each in range(12)),
        way_forward=("Go on. " * 60 + "\n") * 18,
        actions=(PrintedAction("Do it. " * 28, date(2026, 9, 1), "open", "Soon. " * 160),) * 20,
        comment="Well. " * 330,
    )
