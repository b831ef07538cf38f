"""What the review says about this model and we keep, each with the reason."""

from __future__ import annotations

from tablewright.review import Suppression

suppressions = [
    Suppression(
        "P05",
        place="articles_with_status",
        reason="read by a person who looks after failed articles, a few times a day, and by lists "
        "for the few articles in languages without a model; every article that is analysed would "
        "pay for a wider index",
    ),
    Suppression(
        "P05",
        place="unjudged_articles",
        reason="read once when a model is promoted, and each article is written then anyway",
    ),
]
