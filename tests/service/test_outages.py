"""What a store did not do is told without a trace; what code did wrong with one."""

from __future__ import annotations

import pytest

from tablewright.model.errors import (
    Failure,
    NotFound,
    TablewrightError,
    TransactionCancelled,
    Unavailable,
)
from tablewright.service.outages import is_outage


def cancelled(*reasons: str) -> TransactionCancelled:
    failures = [
        Failure(place, None, reason, TablewrightError(reason))
        for place, reason in enumerate(reasons)
    ]
    return TransactionCancelled("it was cancelled", failures)


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (Unavailable("away"), True),
        (cancelled("TransactionConflict"), True),
        (cancelled("TransactionConflict", "TransactionConflict"), True),
        (cancelled("TransactionConflict", "ConditionalCheckFailed"), False),
        (ExceptionGroup("", [Unavailable("away"), cancelled("TransactionConflict")]), True),
        (ExceptionGroup("", [Unavailable("away"), ValueError("ours")]), False),
        (NotFound("nothing"), False),
    ],
)
def test_what_is_an_outage(error: Exception, is_one: bool) -> None:
    assert is_outage(error) is is_one
