"""What goes wrong: each is begun, lasts for a while, and is ended again."""

from __future__ import annotations

from soak.disturbances import database, host, network, processes
from soak.disturbances.base import Disturbance

#: By the name that the report has.
ALL: tuple[Disturbance, ...] = (
    processes.KillService(),
    database.FAULTS,
    host.FullDisk(),
    processes.Freeze(),
    database.LOST_ANSWERS,
    host.ClockJump(),
    database.CONFLICTS,
    database.THROTTLED,
    database.STALE,
    host.KilledOnFullDisk(),
    processes.KillDatabase(),
    network.CUT,
    network.LOST_BACK,
    network.RESET,
    network.SLOW,
    network.REFUSED,
)

__all__ = ["ALL", "Disturbance"]
