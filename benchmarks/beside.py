"""How much of the machine other programs had meanwhile."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path


class Beside:
    """Counts from when it is made."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._busy, self._own = _busy_secs(), _own_secs()

    def cores(self) -> float | None:
        """Cores that others used on average; nothing where the system does not tell."""
        busy, wall = _busy_secs(), time.perf_counter() - self._began
        if busy is None or self._busy is None or not wall:
            return None
        others = busy - self._busy - (_own_secs() - self._own)
        return round(max(0.0, others / wall), 2)


def _own_secs() -> float:
    """Ours, with all that we have started: what has ended, and what still runs."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    ended = sum(each.ru_utime + each.ru_stime for each in used)
    return ended + sum(secs for _, secs in _running_below(os.getpid()).values())


def _running_below(pid: int) -> dict[int, tuple[int, float]]:
    """Parent and CPU time, that of ended children included, of the processes below one."""
    every = {int(file.parent.name): _stat(file) for file in Path("/proc").glob("[0-9]*/stat")}
    found: dict[int, tuple[int, float]] = {}
    parents = {pid}
    while parents:
        new = {each: told for each, told in every.items() if told and told[0] in parents}
        found |= new
        parents = set(new)
    return found


def _stat(file: Path) -> tuple[int, float] | None:
    try:
        fields = file.read_text().rpartition(")")[2].split()
    except OSError:
        # It has ended meanwhile.
        return None
    return int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _busy_secs() -> float | None:
    """Of all cores since the start of the machine, whoever used them."""
    try:
        first = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, first.split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
