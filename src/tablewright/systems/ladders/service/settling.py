"""Writes that others are in the way of: three more tries, then a problem 409.

``settled`` is for a write as it is; ``renewed`` makes it anew from what is there, as long as
somebody changes that in between.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tablewright.client import AsyncDb
from tablewright.model import Op
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service import conflicts
from tablewright.service.conflicts import outdated
from tablewright.service.problems import Problem, conflict

R = TypeVar("R")

RETRIES = 3
_CODE = "CONFLICT"


async def settled(db: AsyncDb, op: Op[R] | Callable[[], Op[R] | Awaitable[Op[R]]]) -> R:
    """What a write gives; a problem 409 after three retries. Conditions that fail are raised."""
    make_op = (lambda: op) if isinstance(op, Op) else op
    try:
        return await conflicts.settled(db, make_op, code=_CODE, retries=RETRIES)
    except Problem as problem:
        raise (in_the_way() if problem.code == _CODE else problem) from None


async def renewed(
    db: AsyncDb,
    make_op: Callable[[], Awaitable[Op[R] | None]],
    *,
    when: Callable[[Exception], bool] = outdated,
) -> R | None:
    """The same, made anew if something has changed since ``make_op`` read it.

    None from ``make_op`` is for nothing to do. ``when`` says which failures are worth another look:
    with ``refused`` all are, and it is ``make_op`` that finds and tells the reason.
    """
    for _ in range(RETRIES + 1):
        op = await make_op()
        if op is None:
            return None
        try:
            return await settled(db, op)
        except (TransactionCancelled, ConditionFailed) as error:
            if not when(error):
                raise
    raise in_the_way()


def in_the_way() -> Problem:
    detail = "Others are changing the same all the time. Nothing was changed; try again."
    return conflict(_CODE, detail)
