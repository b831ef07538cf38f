"""Leases: who may do something alone, for a while, among all processes.

Theory of operation. A lease is an item that names its holder, a fence and an end. It is free when
there is none, when its end is past, or when it was given back. Taking it writes the next fence, on
condition that the fence is still the one that was read: of all who try, one succeeds, and every
holder has a higher fence than the one before. Keeping it (a later end) and giving it back are
conditions on one's own fence.

A lease alone does not keep two processes apart: one that is stopped for a minute does not know
that its lease has ended. What is written under a lease therefore carries the fence and is refused
if a higher one has written. The lease makes double work rare, the fence makes it harmless.

All three are puts with a condition, which the client repeats safely after a lost answer. Clocks of
machines may differ, and be set back: what matters is that fences do not depend on them. An end
further ahead than a lease lasts was written by another clock. If its holder is alive it renews the
lease; who wants it therefore watches it for as long as it lasts, by time that passes, and takes it
if nothing has changed. Otherwise a holder that was killed before a clock was set back by an hour
would keep everybody away for that hour. An end so far ahead that no clock is that wrong counts as
past, also to those who only look.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.kit.entities import Lease
from tablewright.service.kit.patterns import keep_lease, lease_named, leases_named, take_lease

logger = logging.getLogger(__name__)

#: No lease is longer.
LONGEST_SECS = 3600.0
#: How wrong the clocks of machines may be before a lease is taken for nonsense.
_SKEW_SECS = 3600.0
#: Renewed so often before it ends, and tried so often once that has failed.
_RENEWALS, _ATTEMPTS = 2, 10
#: The least time to give a renewal; the most for giving a lease back.
_LEAST_SECS, _PATIENCE_SECS = 0.1, 5.0


class LeaseLost(Exception):
    """Somebody else holds it by now, or may take it at any moment."""

    def __init__(self, held: Held) -> None:
        super().__init__(f"the lease {held.lease} with fence {held.fence} is lost")
        self.held = held


@dataclass(frozen=True)
class Held:
    """A lease that is held, as of when it was taken or renewed."""

    name: str
    partition: str
    owner: str
    #: Higher than that of everybody who has held it before.
    fence: int
    #: Seconds since the epoch.
    until: float
    #: How long it was taken for.
    secs: float = 30.0
    #: When the work under it was last done to its end, if ever.
    ran_at: float | None = None

    @property
    def lease(self) -> str:
        """The name of the lease."""
        return f"{self.name}/{self.partition}" if self.partition else self.name


def new_owner() -> str:
    """A name for this process that no other has, and that helps people to find it."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"


class Leases:
    """The leases of one system, for one process."""

    def __init__(self, db: AsyncDb, clock: Clock, owner: str | None = None) -> None:
        self._db = db
        self._clock = clock
        self.owner = owner or new_owner()
        #: Leases of another clock, by name: as they were when we saw them first, and since when.
        self._watched: dict[str, tuple[Lease, float]] = {}

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock.now()

    async def acquire(self, name: str, secs: float) -> Held | None:
        """The lease called ``name``, or None if somebody holds it."""
        return await self.take(name, await self.look(name), secs)

    async def look(self, name: str) -> Lease | None:
        """The lease as it is stored, free or not."""
        return await self._db.run(lease_named(name))

    def free(self, found: Lease | None) -> bool:
        """Whether a lease may be taken now."""
        if found is None:
            return True
        ends, now = found.until.timestamp(), self._clock.now()
        return ends <= now or ends > now + LONGEST_SECS + _SKEW_SECS

    def _takeable(self, name: str, found: Lease | None, secs: float) -> bool:
        """Whether it is free, or nobody keeps it although its end is far away."""
        free = self.free(found)
        if free or found is None or found.until.timestamp() <= self.now() + secs:
            self._watched.pop(name, None)
            return free
        seen, since = self._watched.get(name, (None, 0.0))
        if seen == found:
            return time.monotonic() >= since + secs
        self._watched[name] = found, time.monotonic()
        return False

    async def take(self, name: str, found: Lease | None, secs: float) -> Held | None:
        """A lease that was looked at, unless it is not free or somebody was quicker."""
        if not self._takeable(name, found, secs):
            return None
        worker, _, partition = name.partition("/")
        fence = 1 if found is None else found.fence + 1
        ran_at = None if found is None or found.ran_at is None else found.ran_at.timestamp()
        until = self._clock.now() + secs
        held = Held(worker, partition, self.owner, fence, until, _checked(secs), ran_at)
        try:
            await self._db.run(take_lease(_stored(held), found))
        except ConditionFailed:
            return None
        return held

    async def renew(self, held: Held, secs: float | None = None) -> Held:
        """The same lease for as long again; :class:`LeaseLost` if somebody has taken it."""
        longer = held if secs is None else replace(held, secs=_checked(secs))
        return await self._keep(replace(longer, until=self._clock.now() + longer.secs))

    async def release(self, held: Held, *, ran_at: float | None = None) -> None:
        """Give it back; nothing happens if it is lost already.

        ``ran_at`` says when the work under it was done to its end, for whoever is next.
        """
        given_back = replace(held, until=0.0, ran_at=held.ran_at if ran_at is None else ran_at)
        with suppress(LeaseLost):
            await self._keep(given_back)

    async def hold_any(self, names: Sequence[str], secs: float) -> Held | None:
        """Any of these leases that is free, or None."""
        found = dict(zip(names, await self._db.run(leases_named(names)), strict=True))
        free = [name for name in names if self._takeable(name, found[name], secs)]
        # Processes that start together do not all want the same one.
        for name in random.sample(free, len(free)):
            held = await self.take(name, found[name], secs)
            if held is not None:
                return held
        return None

    @asynccontextmanager
    async def keeping(self, held: Held, secs: float | None = None) -> AsyncIterator[Keeping]:
        """Renew a lease in the background for the length of the block, then give it back."""
        keeping = Keeping(self, held if secs is None else replace(held, secs=_checked(secs)))
        task = asyncio.create_task(keeping.run(), name=f"lease {held.lease}")
        try:
            yield keeping
        finally:
            # A renewal on its way must not arrive after the lease was given back.
            keeping.stop.set()
            await asyncio.wait({task}, timeout=_PATIENCE_SECS)
            task.cancel()
            if not keeping.lost.is_set():
                await keeping.release()

    async def _keep(self, held: Held) -> Held:
        try:
            await self._db.run(keep_lease(_stored(held)))
        except ConditionFailed as failed:
            raise LeaseLost(held) from failed
        return held


class Keeping:
    """A lease that is renewed in the background until it is given back or lost."""

    def __init__(self, leases: Leases, held: Held) -> None:
        self._leases = leases
        #: As of the last renewal.
        self.held = held
        #: Set once the lease is gone, or may be: nothing more may be done under it.
        self.lost = asyncio.Event()
        self.stop = asyncio.Event()
        #: When the work under it was done to its end; goes back with the lease.
        self.ran_at: float | None = None
        # Time that passes, not the time of day: a clock that is put back must not prolong it.
        self._ends = time.monotonic() + held.secs

    @property
    def alive(self) -> bool:
        """Whether it is held for sure, also right after the process was stopped for a while."""
        return not self.lost.is_set() and time.monotonic() < self._ends

    async def run(self) -> None:
        """Renew until the lease is lost, or ``stop`` is set."""
        pause = self.held.secs / _RENEWALS
        while not self.lost.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stop.wait(), pause)
                return
            pause = self.held.secs / (_RENEWALS if await self._renewed() else _ATTEMPTS)

    async def _renewed(self) -> bool:
        began = time.monotonic()
        try:
            async with asyncio.timeout(max(_LEAST_SECS, self._ends - began)):
                self.held = await self._leases.renew(self.held)
        except LeaseLost:
            logger.warning("lease %s was taken by somebody else", self.held.lease)
            self.lost.set()
        except (TablewrightError, TimeoutError) as error:
            logger.warning("lease %s cannot be renewed: %r", self.held.lease, error)
            if time.monotonic() >= self._ends:
                self.lost.set()
        else:
            self._ends = began + self.held.secs
            return True
        return False

    async def release(self) -> None:
        """Give it back, so that others need not wait for its end."""
        try:
            async with asyncio.timeout(_PATIENCE_SECS):
                await self._leases.release(self.held, ran_at=self.ran_at)
        except (TablewrightError, TimeoutError) as error:
            logger.warning("lease %s was not given back: %r", self.held.lease, error)


def _checked(secs: float) -> float:
    if not 0 < secs <= LONGEST_SECS:
        raise ValueError(f"a lease lasts up to {LONGEST_SECS} seconds, not {secs}")
    return secs


def _stored(held: Held) -> Lease:
    return Lease(
        name=held.lease,
        owner=held.owner,
        fence=held.fence,
        until=datetime.fromtimestamp(held.until, UTC),
        ran_at=None if held.ran_at is None else datetime.fromtimestamp(held.ran_at, UTC),
    )
