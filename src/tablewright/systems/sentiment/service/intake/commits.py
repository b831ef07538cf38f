"""Transactions that must come to an end: done, or refused by a condition of their own."""

from __future__ import annotations

import asyncio
import random
import time
from uuid import uuid4

from tablewright.client import AsyncDb
from tablewright.model import Op, together
from tablewright.model.errors import (
    ConditionFailed,
    OutcomeUnknown,
    Throttled,
    TransactionCancelled,
)
from tablewright.systems.sentiment.rules.retrying import pause

#: How long others may be in the way. Counts are shared, so in a burst they are.
PATIENCE_SECS = 60.0


async def commit(db: AsyncDb, op: Op[tuple[object, ...]], secs: float = PATIENCE_SECS) -> None:
    """Run a transaction, however often others get in its way or its answer is lost.

    All attempts have one token, so that one whose answer was lost is not refused by what it wrote
    itself. A condition that does not hold raises :class:`TransactionCancelled`.
    """
    once = together(op).with_token(uuid4().hex)
    ends = time.monotonic() + secs
    tries = 0
    while True:
        try:
            await db.run(once)
        except (TransactionCancelled, OutcomeUnknown, Throttled) as error:
            if is_refusal(error) or time.monotonic() > ends:
                raise
        else:
            return
        tries += 1
        await asyncio.sleep(pause(tries, random.random()))


def is_refusal(error: Exception) -> bool:
    """Whether a condition did not hold; else others were in the way, or nobody knows."""
    return isinstance(error, TransactionCancelled) and any(
        isinstance(failure.error, ConditionFailed) for failure in error.failures
    )
