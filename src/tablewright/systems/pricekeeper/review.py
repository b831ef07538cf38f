"""Findings of the review that this model accepts, each with the reason."""

from __future__ import annotations

from tablewright.review import Suppression

suppressions = [
    Suppression(
        "W11",
        place="hold_price",
        reason="the latest price that was fetched is a new question, whatever was decided about "
        "the one before it",
    ),
    Suppression(
        "W11",
        place="revoke_token",
        reason="a token that is revoked twice stays revoked, whoever writes last",
    ),
]
