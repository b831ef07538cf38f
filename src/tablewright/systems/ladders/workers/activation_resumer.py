"""Goes on with activations that somebody has left half-way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

EVERY_SECS = 60.0


def worker(company: Company) -> Worker:
    """No fence is needed: each step is done once, whoever does it."""

    async def run(held: Held) -> None:
        await company.plans.resume_abandoned()

    return Worker("activation-resumer", EVERY_SECS, run)
