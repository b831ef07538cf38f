"""What a worker is: a name, how often it works, and what it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tablewright.service.workers.leases import LONGEST_SECS, Held


@dataclass(frozen=True)
class Worker:
    """Something that is done every so often by one process of all, or by each of them.

    ``run`` does what there is to do and returns. It may be cancelled at any await, when the lease
    is lost or the process ends, and may be run again after a crash: what it writes has to be safe
    against both, by conditions on ``held.fence`` or on what it has read.
    """

    name: str
    #: Seconds from the start of one run to the start of the next.
    every: float
    run: Callable[[Held], Awaitable[None]]
    #: Each has a lease of its own, so that several processes share the work.
    partitions: Sequence[str] = ("",)
    #: How long others wait for a holder that has gone silent.
    lease_secs: float = 30
    #: Every process runs it, without a lease: what it does shares the work out by itself.
    shared: bool = False
    #: Called with a partition whose lease this process does not hold any more.
    let_go: Callable[[str], None] | None = None
    #: Called once the worker has stopped, with its process.
    close: Callable[[], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        if "/" in self.name or not self.name:
            raise ValueError(f"worker {self.name!r}: a name is needed, without a slash")
        if not 0 < self.lease_secs <= LONGEST_SECS:
            raise ValueError(f"worker {self.name}: a lease lasts up to {LONGEST_SECS} seconds")
        if self.every <= 0 or not self.partitions:
            raise ValueError(f"worker {self.name}: it needs a time between runs, and partitions")

    def lease(self, partition: str) -> str:
        """The name of a partition's lease."""
        return f"{self.name}/{partition}" if partition else self.name

    @property
    def standing(self) -> bool:
        """Whether it works so often that it keeps its leases in between."""
        return not self.shared and self.every < self.lease_secs
