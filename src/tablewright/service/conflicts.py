"""Writes that others are in the way of: tried again for a while, then given up."""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from tablewright.model.errors import (
    ConditionFailed,
    Throttled,
    TransactionCancelled,
    Unavailable,
    VersionConflict,
)
from tablewright.service.problems import Problem

if TYPE_CHECKING:
    from tablewright.client import AsyncDb
    from tablewright.model import Op

R = TypeVar("R")

STORE_BUSY: Final = "STORE_BUSY"
#: After the first try.
RETRIES = 8
_FIRST_SECS, _LONGEST_SECS = 0.05, 2.0
#: For all tries: where units are few, the client has tried for a while by itself, each time.
_PATIENCE_SECS = 20.0


async def settled(
    db: AsyncDb,
    make_op: Callable[[], Op[R] | Awaitable[Op[R]]],
    *,
    code: str = STORE_BUSY,
    retries: int = RETRIES,
) -> R:
    """What a write gives, once nobody is in its way; a problem 503 ``code`` after the last retry.

    ``make_op`` is called for each try, so that it can read anew what the write rests on. The client
    repeats a request by itself; here it is the whole thought that is repeated, and conflicts are
    left to it, so that there are no more tries than these. A condition that is not met is not a
    conflict, and is raised.
    """
    once = _leaving_conflicts(db)
    ends = time.monotonic() + _PATIENCE_SECS
    for retry in range(retries + 1):
        made = make_op()
        op = await made if inspect.isawaitable(made) else made
        try:
            return await once.run(op)
        except (TransactionCancelled, Throttled) as error:
            if not in_the_way(error):
                raise
        if retry == retries or time.monotonic() > ends:
            break
        await asyncio.sleep(pause(retry, random.random()))
    raise busy(code)


def _leaving_conflicts(db: AsyncDb) -> AsyncDb:
    view = copy(db)
    view.context = replace(db.context, retries=replace(db.context.retries, conflicts=False))
    return view


def in_the_way(error: Exception) -> bool:
    """Whether others were writing the same items, and nothing else is wrong."""
    if isinstance(error, TransactionCancelled):
        return all(isinstance(each.error, Unavailable) for each in error.failures)
    return isinstance(error, Throttled)


def refused(error: Exception) -> bool:
    """Whether a condition was not met: of a write alone, or of any in a transaction."""
    if isinstance(error, TransactionCancelled):
        return any(isinstance(each.error, ConditionFailed) for each in error.failures)
    return isinstance(error, ConditionFailed)


def outdated(error: Exception) -> bool:
    """Whether something has changed since it was read: a write made anew may pass."""
    if isinstance(error, TransactionCancelled):
        return any(isinstance(each.error, VersionConflict) for each in error.failures)
    return isinstance(error, VersionConflict)


def refused_at(error: TransactionCancelled, kind: type) -> bool:
    """Whether it was an entity of this kind that did not meet its condition."""
    return any(
        isinstance(each.error, ConditionFailed) and _kind_of(each.op) is kind
        for each in error.failures
    )


def _kind_of(op: object) -> type | None:
    entity = getattr(op, "entity", None)
    if entity is not None:
        return type(entity)
    known = getattr(op, "definition", None)
    return None if known is None else getattr(known, "cls", None)


def pause(retry: int, chance: float) -> float:
    """Seconds before another try: ever longer, and never in step with others."""
    return float(min(_LONGEST_SECS, _FIRST_SECS * 2**retry)) * (0.5 + chance)


def busy(code: str = STORE_BUSY) -> Problem:
    detail = "Others are changing the same all the time. Nothing was changed; try again."
    return Problem(503, code, detail, headers={"Retry-After": "1"})
