"""Things that are seen to one after the other, none of which holds up the rest."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

log = logging.getLogger("tablewright.service")


async def in_turn(
    items: Iterable[T], work: Callable[[T], Awaitable[R]], name: Callable[[T], str]
) -> list[R]:
    """What comes of each. What goes wrong is logged by its name, and raised after the last: so
    whoever runs this knows, and comes again.
    """
    done: list[R] = []
    failed: Exception | None = None
    for each in items:
        try:
            done.append(await work(each))
        except Exception as error:
            log.warning("%s has to wait: %s", name(each), error)
            failed = error
    if failed is not None:
        raise failed
    return done
