"""What the review says about this model and we keep, each with the reason."""

from __future__ import annotations

from tablewright.review import Suppression

suppressions = [
    Suppression(
        "P05",
        place="articles_with_status",
        reason="read by a person who looks after failed articles, a few times a day; "
        "every article that is analysed would pay for a wider index",
    ),
]
