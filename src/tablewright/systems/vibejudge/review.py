"""What the review says about this model and we keep, each with the reason."""

from __future__ import annotations

from tablewright.review import Suppression

suppressions = [
    Suppression(
        "U01",
        place="VibeJudgeTable",
        reason="the document's 5 units are kept, which cost nothing in the free tier; the peaks of "
        "all patterns seldom meet, unused units of the last minutes carry them, and what is "
        "throttled is tried again",
    ),
    Suppression(
        "W11",
        place="set_timer",
        reason="whoever sets the moment last is right, whenever the timer was to ring before",
    ),
]
