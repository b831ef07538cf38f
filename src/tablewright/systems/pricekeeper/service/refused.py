"""Why a transaction was refused, in terms of its members."""

from __future__ import annotations

from tablewright.model.errors import ConditionFailed, TransactionCancelled


def refused_at(cancelled: TransactionCancelled) -> int | None:
    """The first member whose condition was not met; None if something else stood in the way."""
    places = (
        failure.position
        for failure in cancelled.failures
        if isinstance(failure.error, ConditionFailed)
    )
    return min(places, default=None)
