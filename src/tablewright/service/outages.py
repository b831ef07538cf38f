"""Whether an error says that the store is away or busy, and nothing about the code that met it."""

from __future__ import annotations

from tablewright.model.errors import (
    BatchIncomplete,
    OutcomeUnknown,
    TransactionCancelled,
    Unavailable,
)

_CONFLICT = "TransactionConflict"
_AWAY = (Unavailable, OutcomeUnknown, BatchIncomplete)


def is_outage(error: BaseException) -> bool:
    """A store that is away is no mistake in the code: where it was met tells nobody anything.

    Of several errors at once, each has to be one.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_outage, error.exceptions))
    return isinstance(error, _AWAY) or _met_others(error)


def _met_others(error: BaseException) -> bool:
    """A transaction that met others again and again, and was refused for nothing else."""
    if not isinstance(error, TransactionCancelled):
        return False
    return all(each.reason == _CONFLICT for each in error.failures)


def reason_of(error: BaseException) -> str:
    """Its words; of several errors at once, those of the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)
