"""Limits for a whole process and all that it starts. They cannot be lifted again."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
import threading
from pathlib import Path

from tablewright.systems.vibejudge.repos.limits import Limits

_PR_SET_NO_NEW_PRIVS = 38


def confine(limits: Limits) -> None:
    """Bound memory, processor time, file sizes and processes; leave no core files.

    The process and its children cannot gain privileges either (Linux: ``no_new_privs``).
    """
    cpu = int(3 * limits.secs) + 1
    # Some above the limit on disk: the watch over the folder tells the reason, this one kills.
    largest = limits.repo_bytes + limits.repo_bytes // 4 + (1 << 20)
    for what, most in (
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, largest),
        (resource.RLIMIT_CORE, 0),
    ):
        _bound(what, most)
    if sys.platform == "linux":
        _refuse_new_privileges()
        _bound_processes(limits.processes)


def _bound(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # Not every system knows every limit.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (least, least))


def _refuse_new_privileges() -> None:
    """Let no program that is started from here gain rights, as setuid programs do."""
    # A kernel or sandbox without this option answers with an error, and the analysis goes on.
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def _bound_processes(spare: int) -> None:
    """Allow ``spare`` to twice as many processes and threads beside those that run already.

    The kernel counts all processes and threads of the user, in other containers too, where they
    cannot be seen. The limit is therefore raised until a thread can be started. The kernel does
    not apply this limit to root.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = sys.maxsize if hard == resource.RLIM_INFINITY else hard
    limit = _running_tasks() + spare
    try:
        while limit < most:
            resource.setrlimit(resource.RLIMIT_NPROC, (limit, hard))
            if _can_start_thread():
                # The spare ones may be used up by tasks that cannot be seen.
                limit = min(limit + spare, most)
                resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
                return
            limit *= 2
        resource.setrlimit(resource.RLIMIT_NPROC, (before, hard))
    except (ValueError, OSError):
        return


def _running_tasks() -> int:
    """Count the processes and threads of this user, as far as they can be seen."""
    user, count = os.getuid(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end while it is counted.
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == user:
                count += len(os.listdir(folder / "task"))
    return count


def _can_start_thread() -> bool:
    thread = threading.Thread(target=int)
    try:
        thread.start()
    except RuntimeError:
        return False
    thread.join()
    return True
