"""Limits for a whole process and all that it starts. They cannot be lifted again."""

from __future__ import annotations

import contextlib
import resource

from tablewright.systems.vibejudge.repos.limits import Limits


def confine(limits: Limits) -> None:
    """Bound memory, time on the processor, and the size of files; leave no core files."""
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


def _bound(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    # Not every system knows every limit.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(what, (least, least))
