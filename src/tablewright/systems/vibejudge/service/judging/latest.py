"""Writes that rest on what was read last: read again, and tried again, if that has changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tablewright.model.errors import (
    AlreadyExists,
    TablewrightError,
    TransactionCancelled,
    VersionConflict,
)
from tablewright.service.conflicts import RETRIES, busy, settled
from tablewright.service.problems import Problem, conflict
from tablewright.systems.vibejudge.entities import HackathonDetail

if TYPE_CHECKING:
    from tablewright.client import AsyncDb
    from tablewright.model import Op

R = TypeVar("R")


async def on_latest(db: AsyncDb, make_op: Callable[[], Awaitable[Op[R]]]) -> R:
    """What a write gives that is made anew from what is stored, until nobody has changed that in
    between; a problem 503 after eight retries. Other conditions that are not met are raised."""
    for _ in range(RETRIES + 1):
        try:
            return await settled(db, make_op)
        except (VersionConflict, AlreadyExists, TransactionCancelled) as error:
            if not _overtaken(error):
                raise
    raise busy()


def _overtaken(error: TablewrightError) -> bool:
    if isinstance(error, TransactionCancelled):
        return any(_overtaken(each.error) for each in error.failures)
    return isinstance(error, VersionConflict | AlreadyExists)


def check_judged(hackathon: HackathonDetail) -> None:
    """Nothing is decided in a hackathon that was put away."""
    if hackathon.status == "archived":
        raise archived()


def check_scores_open(hackathon: HackathonDetail) -> None:
    """Refuse to change scores or ranks that are final: archived, released or being released."""
    check_judged(hackathon)
    if hackathon.has_final_scores:
        raise released()


def released() -> Problem:
    detail = "The results are released and stay as they are. Reopen the hackathon to change them."
    return conflict("RELEASED", detail)


def archived() -> Problem:
    return conflict("ARCHIVED", "The hackathon was put away: it can be read, and nothing else.")
