"""Whether an error says that the store is away, and nothing about the code that met it."""

from __future__ import annotations

from tablewright.model.errors import BatchIncomplete, OutcomeUnknown, Unavailable

_AWAY = (Unavailable, OutcomeUnknown, BatchIncomplete)


def is_outage(error: BaseException) -> bool:
    """A store that is away is no mistake in the code: where it was met tells nobody anything.

    Of several errors at once, each has to be one.
    """
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_outage, error.exceptions))
    return isinstance(error, _AWAY)


def reason_of(error: BaseException) -> str:
    """Its words; of several errors at once, those of the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error)
