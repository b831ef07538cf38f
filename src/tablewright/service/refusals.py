"""What the data layer raises, as problems. Its own texts name tables and keys: callers get ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    CredentialsError,
    CursorError,
    KeyValueError,
    NotFound,
    OutcomeUnknown,
    ServiceError,
    TablewrightError,
    TransactionCancelled,
    Unavailable,
    Unfinished,
    UniqueViolation,
    VersionConflict,
)
from tablewright.service.problems import Problem, stale

#: Seconds after which it is worth trying again.
RETRY_AFTER = "1"


def problem_of(error: TablewrightError) -> Problem | None:
    """What to tell a caller; None for what only a mistake of ours can cause."""
    if isinstance(error, TransactionCancelled):
        return _cancelled(error)
    return next((make() for kind, make in _MEANINGS if isinstance(error, kind)), None)


def _cancelled(error: TransactionCancelled) -> Problem:
    """The gravest of what its members failed for; a mere conflict with others passes."""
    told = [problem_of(failure.error) for failure in error.failures]
    found = sorted((each for each in told if each is not None), key=lambda each: each.status)
    return found[-1] if found else _busy()


def _missing() -> Problem:
    return Problem(404, "NOT_FOUND", "There is no such thing, or not any more.")


def _taken() -> Problem:
    return Problem(409, "ALREADY_EXISTS", "There is one already.")


def _changed() -> Problem:
    detail = "Its state does not allow this, or has just changed. Look at it again."
    return Problem(409, "CONFLICT", detail)


def _bad_cursor() -> Problem:
    detail = "The cursor does not belong to this list. Start again without one."
    return Problem(400, "BAD_CURSOR", detail)


def _bad_key() -> Problem:
    detail = "A value is empty, too long, or has a character that cannot be part of an id."
    return Problem(400, "INVALID_VALUE", detail)


def _unavailable(detail: str) -> Callable[[], Problem]:
    headers = {"Retry-After": RETRY_AFTER}
    return lambda: Problem(503, "STORE_UNAVAILABLE", detail, headers=headers)


_busy = _unavailable("The database is busy. Nothing was changed; try again.")

#: The first that fits.
_MEANINGS: Sequence[tuple[type[TablewrightError], Callable[[], Problem]]] = (
    (VersionConflict, stale),
    (NotFound, _missing),
    (AlreadyExists, _taken),
    (UniqueViolation, _taken),
    (ConditionFailed, _changed),
    (CursorError, _bad_cursor),
    (KeyValueError, _bad_key),
    (Unavailable, _unavailable("The database cannot be reached. Nothing was changed; try again.")),
    (
        OutcomeUnknown,
        _unavailable("The database did not answer. The change may have happened: look first."),
    ),
    (Unfinished, _unavailable("The database did not finish. Try again.")),
    (CredentialsError, _unavailable("The database does not let the service in.")),
    (ServiceError, _unavailable("The database cannot do its work.")),
)
