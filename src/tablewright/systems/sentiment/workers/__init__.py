"""What goes on beside requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_WORKERS: tuple[str, ...] = (
    "ingest",
    "analyse",
    "sweep",
    "reanalyse",
    "alerts",
    "live",
    "backup",
)


def workers(newsroom: Newsroom) -> list[Worker]:
    """All of them; the kit adds the outbox."""
    from importlib import import_module

    wanted = (each for each in _WORKERS if each != "backup" or newsroom.options.daily_backups)
    return [import_module(f"{__name__}.{name}").worker(newsroom) for name in wanted]
