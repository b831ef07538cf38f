"""What goes on beside requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Each module has a ``worker`` that makes its own.
_WORKERS: tuple[str, ...] = (
    "backup",
    "erase",
    "jobs",
    "poll_orders",
    "promote",
    "reconcile",
    "reminders",
    "reseal",
    "retention",
    "send_refunds",
    "stats_audit",
    "sweep",
)


def workers(festival: Festival) -> list[Worker]:
    """All of them; the kit adds the outbox."""
    from importlib import import_module

    return [import_module(f"{__name__}.{name}").worker(festival) for name in _WORKERS]
