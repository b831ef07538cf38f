"""What goes on beside requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_WORKERS: tuple[str, ...] = ("blend", "analyse", "blobs", "erase", "freeze", "sweep")


def workers(courtroom: Courtroom) -> list[Worker]:
    """All of them; the kit adds the outbox."""
    from importlib import import_module

    return [import_module(f"{__name__}.{name}").worker(courtroom) for name in _WORKERS]
