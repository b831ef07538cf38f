"""One run of a pattern: its op is made and run, whatever comes of it is told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from tablewright.client.pages import Page
from tablewright.console.explorer.explaining import Refusal, explained
from tablewright.console.explorer.grounds import Ground
from tablewright.console.explorer.recording import Exchange
from tablewright.model.errors import TablewrightError
from tablewright.model.ops import Op, PageOp
from tablewright.model.pattern import Pattern

R = TypeVar("R")

#: Results in a page.
PAGE = 25
#: For a whole run.
MOST_SECS = 10.0


@dataclass(frozen=True)
class Run:
    """What one run did."""

    ground: str
    result: object
    refusal: Refusal | None
    exchanges: tuple[Exchange, ...]
    seconds: float
    #: Where the next page begins.
    cursor: str = ""


async def run_pattern(
    ground: Ground,
    pattern: Pattern[..., Any],
    arguments: Mapping[str, object],
    cursor: str = "",
) -> Run:
    """Call the pattern and run its op on the ground."""
    started = time.perf_counter()
    result, refusal = await _attempted(ground, pattern, arguments, cursor)
    return Run(
        ground.name,
        result,
        refusal,
        tuple(ground.recording.exchanges),
        time.perf_counter() - started,
        (result.cursor or "") if isinstance(result, Page) else "",
    )


async def _attempted(
    ground: Ground, pattern: Pattern[..., Any], arguments: Mapping[str, object], cursor: str
) -> tuple[object, Refusal | None]:
    try:
        op: Op[Any] = pattern(**arguments)
    except (TablewrightError, ValidationError) as error:
        return None, explained(error)
    except Exception as error:
        # A pattern's function is its author's: whatever it raises is about these arguments.
        text = f"The function of {pattern.name} raised {type(error).__name__}: {error}"
        return None, Refusal("PATTERN_RAISED", text)
    try:
        return await in_time(_run(ground, op, cursor)), None
    except (TablewrightError, ValidationError, TimeoutError) as error:
        return None, explained(error)


async def _run(ground: Ground, op: Op[Any], cursor: str) -> object:
    if isinstance(op, PageOp):
        page: object = await ground.db.run(op, limit=PAGE, cursor=cursor or None)
        return page
    found: object = await ground.db.run(op)
    return found


async def in_time(work: Awaitable[R]) -> R:
    """What comes of the work, or TimeoutError."""
    return await asyncio.wait_for(work, MOST_SECS)
