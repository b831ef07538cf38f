"""What the requests of callers are counted by."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

from tablewright.service.exchange import Exchange
from tablewright.service.metrics import Metrics

#: Methods are whatever callers send; these have names of their own.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestMetrics:
    """Counts requests by route, method and status. Labels are looked up once for each."""

    def __init__(self, metrics: Metrics) -> None:
        labels = ("method", "route", "status")
        self._requests = metrics.counter("tablewright_http_requests", "Requests.", labels)
        self._seconds = metrics.histogram(
            "tablewright_http_request_seconds", "From the first byte to the last.", labels[:2]
        )
        in_flight = metrics.gauge("tablewright_http_in_flight", "Requests that are under way.")
        self._in_flight = in_flight
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def begin(self) -> None:
        self._in_flight.inc()

    def end(self, exchange: Exchange) -> None:
        self._in_flight.dec()
        key = exchange.method, exchange.template, exchange.status
        requests, seconds = self._known.get(key) or self._learn(*key)
        requests.inc()
        seconds.observe(exchange.seconds)

    def _learn(self, method: str, route: str, status: int) -> tuple[Counter, Histogram]:
        named = method if method in _METHODS else "other"
        found = (
            self._requests.labels(named, route, status or "none"),
            self._seconds.labels(named, route),
        )
        if named == method:
            self._known[method, route, status] = found
        return found
