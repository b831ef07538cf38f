"""What was measured, as tables and charts, and held against what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from benchmarks.findings import Finding, at_least, at_most, exactly
from benchmarks.pricekeeper.burst import Overshoot
from benchmarks.pricekeeper.throughput import Found
from benchmarks.section import Chart, Section, Table

#: How far beyond its limit a burst may get.
AT_MOST_PCT = 5.0
_HEAD = ["durable, over HTTP", "conn.", "a second", "p50 ms", "p99 ms", "CPU us"]


def served(found: Sequence[Found]) -> Section:
    judged = [finding for each in found for finding in _judged(each)]
    rates = [(each.line.title, {"a second": each.per_second}) for each in found]
    times = [(each.line.title, {"p50": each.p50_ms, "p99": each.p99_ms}) for each in found]
    return Section(
        judged,
        [Table(_HEAD, [_row(each) for each in found])],
        [
            Chart("rates", "Records or requests a second, durable, over HTTP", "/s", rates),
            Chart("latencies", "Latency of a request", "ms", times),
        ],
        raw=[asdict(each) for each in found],
    )


def _judged(found: Found) -> Iterator[Finding]:
    line = found.line
    if line.at_least is not None:
        yield at_least(line.title, found.per_second, line.at_least, "/s")
    if line.p99_under_ms is not None:
        yield at_most(f"{line.title}, p99", found.p99_ms, line.p99_under_ms, "ms")
    if found.errors:
        yield exactly(f"{line.title}, errors", found.errors, 0, note=(found.error or "")[:160])


def _row(found: Found) -> list[str]:
    return [
        found.line.title,
        str(found.line.connections),
        f"{found.per_second:,.0f}",
        f"{found.p50_ms:.1f}",
        f"{found.p99_ms:.1f}",
        "-" if found.cpu_us is None else f"{found.cpu_us:.0f}",
    ]


def overshot(ours: Overshoot, peer: Overshoot) -> Section:
    both = (ours, peer)
    rows = [[each.name, f"${each.spent_micros / 1e6:.2f}", f"{each.pct:.1f} %"] for each in both]
    ratio = f"{peer.pct / ours.pct:.1f} times ours" if ours.pct > 0 else "ours stayed below"
    return Section(
        [
            at_most("overshoot", ours.pct, AT_MOST_PCT, "%"),
            Finding("overshoot of the peer", peer.pct, "%", note=ratio),
        ],
        [Table(["burst against a limit of $10", "spent", "overshoot"], rows)],
        [_chart(both)],
        peers={peer.name: "a model of it, written for this comparison"},
        raw=[asdict(each) | {"pct": each.pct} for each in both],
    )


def _chart(both: Sequence[Overshoot]) -> Chart:
    groups = [(each.name, {"beyond the limit": max(0.0, each.pct)}) for each in both]
    return Chart("overshoot", "How far a burst gets beyond a limit", "%", groups)
