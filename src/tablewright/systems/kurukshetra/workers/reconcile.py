"""Reconciliation: a job for every event, once a night, after two o'clock at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

EVERY_SECS = 600.0


def worker(festival: Festival) -> Worker:
    """No fence is needed: the job of a night has one id."""

    async def run(held: Held) -> None:
        await festival.reconciling.nightly()

    return Worker("reconcile", EVERY_SECS, run, lease_secs=60)
