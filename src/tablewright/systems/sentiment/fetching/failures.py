"""How asking a source goes wrong, and three tries of it.

::

    Failure
     ├── CallFailed     may be better in a moment: it is tried again
     ├── Refused        would be refused again
     ├── ToldToWait     it asks to be left alone for a while
     └── KeyRefused     it does not know our key
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

TRIES = 3
#: Seconds after the first try that fails, the second, and so on.
PAUSES = (1.0, 2.0, 4.0)


class Failure(Exception):
    """Why a source gave nothing; ``code`` is for programs, the text may be shown."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class CallFailed(Failure):
    """It may be better in a moment."""


class Refused(Failure):
    """It would be the same again."""


class KeyRefused(Failure):
    """Nothing will come of it until somebody sees to the key."""


class ToldToWait(Failure):
    """It asks to be left alone, for so many seconds if it says."""

    def __init__(self, code: str, reason: str, seconds: float | None) -> None:
        super().__init__(code, reason)
        self.seconds = seconds


async def tried(call: Callable[[], Awaitable[T]], sleep: Sleep) -> T:
    """What the call gives, at the third try at the latest."""
    for pause in PAUSES[: TRIES - 1]:
        try:
            return await call()
        except CallFailed:
            await sleep(pause)
    return await call()
