"""What goes on beside requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.ladders.service.company import Company

#: Each module has a ``worker`` that makes its own.
_WORKERS: tuple[str, ...] = ("activation_resumer", "reminders", "report_builder")


def workers(company: Company) -> list[Worker]:
    """All of them; the kit adds the outbox."""
    from importlib import import_module

    return [import_module(f"{__name__}.{name}").worker(company) for name in _WORKERS]
