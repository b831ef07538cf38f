"""A transport that tells which partitions its requests used, and the switch that puts it there."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import exp

from tablewright.client import AsyncDb
from tablewright.client.transports import AsyncTransport, Request, Response
from tablewright.client.transports.wire import Preparing
from tablewright.console.heat.hottest import Hottest
from tablewright.console.heat.touches import touches
from tablewright.model.table import Table
from tablewright.plan.units import Place

logger = logging.getLogger(__name__)

#: Seconds after which units count for a third.
MEMORY = 10.0


class Meter:
    """The heat of all places of one system."""

    def __init__(
        self, tables: Mapping[str, Table], elapsed: Callable[[], float] = time.perf_counter
    ) -> None:
        #: By the names that requests have for them.
        self.tables = tables
        self.places: dict[Place, Hottest] = {}
        self._elapsed = elapsed
        self._last = elapsed()
        self._seconds = 0.0

    def note(self, request: Request, response: Response) -> None:
        """Count one request."""
        for touch in touches(self.tables, request.operation, request.body, response.body):
            found = self.places.get(touch.place)
            if found is None:
                found = self.places[touch.place] = Hottest()
            found.add(touch.key, touch.read, touch.write)

    @contextmanager
    def look(self) -> Iterator[float]:
        """The seconds that all units so far were used in; afterwards both count less."""
        now = self._elapsed()
        passed, self._last = now - self._last, now
        self._seconds += passed
        yield self._seconds
        factor = exp(-passed / MEMORY)
        self._seconds *= factor
        for each in self.places.values():
            each.fade(factor)


class Metering:
    """Carries requests by another transport, and tells the meter."""

    def __init__(self, inner: AsyncTransport, meter: Meter) -> None:
        self.inner = inner
        self._meter = meter

    def prepare(self, request: Request) -> Request:
        return self.inner.prepare(request) if isinstance(self.inner, Preparing) else request

    async def send(self, request: Request) -> Response:
        response = await self.inner.send(request)
        try:
            self._meter.note(request, response)
        except Exception:
            # Who only looks on must not break what is looked at.
            logger.warning("the heat of a %s is not counted", request.operation, exc_info=True)
        return response

    async def close(self) -> None:
        await self.inner.close()


@contextmanager
def metered(db: AsyncDb, meter: Meter) -> Iterator[None]:
    """The requests of ``db`` are told to the meter for so long; before and after, nothing is."""
    metering = Metering(db.transport, meter)
    db.carry_by(metering)
    try:
        yield
    finally:
        if db.transport is metering:
            db.carry_by(metering.inner)
