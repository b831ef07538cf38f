"""What the review says about this model and we keep, each with the reason."""

from __future__ import annotations

from tablewright.review import Suppression

suppressions = [
    Suppression(
        "X01",
        place="EmailLock[primary]",
        reason="the document keys people by e-mail; the lock is deleted when they are erased, "
        "and the table is read by administrators alone",
    ),
    Suppression(
        "U07",
        place="Assessment",
        reason="one form is one item, so that a save is one condition on one revision; "
        "at most 17 write units a save, a few saves per person and season",
    ),
]
