"""What is counted, for Prometheus: requests, what the database did for them, and what systems add.

One :class:`Metrics` is one process. It has a registry of its own, so that two processes of one test
do not count into each other. Label values come from small sets (routes, patterns, tables), never
from what callers send.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics import MetricWrapperBase

from tablewright.client import RequestEvent
from tablewright.clock import Clock
from tablewright.service.slow_calls import SlowCall, SlowCalls

M = TypeVar("M", bound=MetricWrapperBase)

#: What :meth:`Metrics.text` is written in.
CONTENT_TYPE = CONTENT_TYPE_LATEST
#: From a cached answer to a slow export.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """All metrics of a process."""

    def __init__(self, *, process: bool = True) -> None:
        self.registry = CollectorRegistry()
        self._known: dict[str, MetricWrapperBase] = {}
        self._slow: dict[str, SlowCalls] = {}
        if process:
            ProcessCollector(registry=self.registry)
            PlatformCollector(registry=self.registry)
            GCCollector(registry=self.registry)

    def counter(self, name: str, doc: str, labels: Sequence[str] = ()) -> Counter:
        """A count that only grows. The same name gives the same counter."""
        return self._once(Counter, name, labels, lambda: Counter(name, doc, labels, registry=None))

    def gauge(self, name: str, doc: str, labels: Sequence[str] = ()) -> Gauge:
        """A value that goes up and down."""
        return self._once(Gauge, name, labels, lambda: Gauge(name, doc, labels, registry=None))

    def histogram(
        self, name: str, doc: str, labels: Sequence[str] = (), buckets: Sequence[float] = BUCKETS
    ) -> Histogram:
        """How values are spread; seconds, where the name says so."""
        return self._once(
            Histogram,
            name,
            labels,
            lambda: Histogram(name, doc, labels, buckets=buckets, registry=None),
        )

    def _once(self, kind: type[M], name: str, labels: Sequence[str], make: Callable[[], M]) -> M:
        known = self._known.get(name)
        if known is None:
            made = make()
            self.registry.register(made)
            self._known[name] = made
            return made
        if not isinstance(known, kind) or known._labelnames != tuple(labels):
            raise ValueError(f"the metric {name} is already something else")
        return known

    def db_hook(
        self, system: str, logical: Mapping[str, str] | None = None, clock: Clock | None = None
    ) -> Callable[[RequestEvent], None]:
        """The hook of a ``Db``: what its requests use, and how they go wrong.

        ``logical`` gives the names that tables have in the model, where they differ.
        """
        from tablewright.service.db_metrics import DbMetrics

        slow = self._slow[system] = SlowCalls(clock)
        return DbMetrics(self, system, logical or {}, slow)

    def slow_calls(self, system: str) -> list[SlowCall]:
        """The latest requests of a system to the database that took long."""
        found = self._slow.get(system)
        return [] if found is None else found.latest()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry)
