"""Three tries, where a repeat is safe.

What is unknown stays unknown: if one try may have had an effect, a later one that was not even sent
tells nothing about it, and the whole is told as unknown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tablewright.systems.kurukshetra.gateway.exchange import Repeat
from tablewright.systems.kurukshetra.gateway.failures import (
    GatewayFailed,
    KeyRefused,
    OutcomeUnknown,
    Throttled,
    Unavailable,
)

T = TypeVar("T")
Sleep: TypeAlias = Callable[[float], Awaitable[None]]

TRIES = 3
#: Seconds after the first try, doubled after each; a random part of it is taken off.
FIRST_PAUSE_SECS = 0.5
#: Somebody waits for the answer: asked to wait for longer, we say so instead.
LONGEST_PAUSE_SECS = 5.0


@dataclass(frozen=True)
class Pace:
    """How it waits between tries."""

    sleep: Sleep
    #: From 0 to 1.
    jitter: Callable[[], float]

    async def pause(self, tried: int, failure: GatewayFailed) -> bool:
        """Whether it waited; not if that would take too long."""
        seconds = FIRST_PAUSE_SECS * 2 ** (tried - 1) * (1 - self.jitter() / 2)
        if isinstance(failure, Throttled) and failure.seconds is not None:
            seconds = max(seconds, failure.seconds)
        if seconds > LONGEST_PAUSE_SECS:
            return False
        await self.sleep(seconds)
        return True


async def tried(call: Callable[[], Awaitable[T]], repeat: Repeat, pace: Pace) -> T:
    """What the call gives, at the third try at the latest."""
    unknown: OutcomeUnknown | None = None
    for number in range(1, TRIES + 1):
        try:
            return await call()
        except (Unavailable, OutcomeUnknown, KeyRefused) as failure:
            if isinstance(failure, OutcomeUnknown):
                unknown = failure
            if not _again(failure, repeat, number) or not await pace.pause(number, failure):
                raise _told(failure, unknown, repeat) from failure
    raise AssertionError("the last try returns or raises")


def _again(failure: GatewayFailed, repeat: Repeat, number: int) -> bool:
    if number >= TRIES or isinstance(failure, KeyRefused):
        return False
    return repeat != "once" or isinstance(failure, Unavailable)


def _told(failure: GatewayFailed, unknown: OutcomeUnknown | None, repeat: Repeat) -> GatewayFailed:
    if repeat != "read":
        return unknown or failure
    # There is nothing that a read could have done.
    if isinstance(failure, OutcomeUnknown):
        return Unavailable(failure.code, str(failure))
    return failure
