"""What was measured, as tables and charts, and held against what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from benchmarks.client.compare import OURS, TARGETS, Line, Report
from benchmarks.client.inprocess import TARGET_US, Latency
from benchmarks.client.workload import KINDS
from benchmarks.findings import Finding, at_most
from benchmarks.section import Chart, Section, Table


def compared(report: Report) -> Section:
    return Section(
        list(_judged(report)),
        [
            _costs(report, "cpu_us", "client CPU, us per operation"),
            _costs(report, "wall_us", "wall time, us per operation"),
            _ratios(report),
        ],
        [_chart(report)],
        peers={name: version for name, version in report.versions.items() if name not in OURS},
        raw=report.as_json(),
    )


def _judged(report: Report) -> Iterator[Finding]:
    """Our CPU time as a part of theirs, where it is the largest part."""
    for mine in OURS:
        for peer, wanted in TARGETS.items():
            known = {line.kind: ratio for line in report.lines if (ratio := line.ratio(mine, peer))}
            if known:
                kind = max(known, key=lambda each: known[each])
                what = f"CPU of {mine} / {peer}, the most"
                yield at_most(what, known[kind], wanted, "x", KINDS[kind])


def _costs(report: Report, figure: str, title: str) -> Table:
    names = list(report.versions)
    rows = []
    for line in report.lines:
        figures = [getattr(line.costs[name], figure) for name in names]
        rows.append([KINDS[line.kind], *(f"{each:,.0f}" for each in figures)])
    return Table([title, *names], rows)


def _ratios(report: Report) -> Table:
    """With the peer that is cheapest for an operation, whoever it is."""
    head = ["CPU, part of the peer's", *(f"{mine} / {peer}" for mine in OURS for peer in TARGETS)]
    rows = []
    for line in report.lines:
        found = line.ratios()
        cells = [f"{found[mine][peer]:.2f}" for mine in OURS for peer in TARGETS]
        rows.append([KINDS[line.kind], *cells, _cheapest(line)])
    return Table([*head, "cheapest peer"], rows)


def _cheapest(line: Line) -> str:
    peers = {name: cost.cpu_us for name, cost in line.costs.items() if name not in OURS}
    return min(peers, key=lambda name: peers[name], default="-")


def _chart(report: Report) -> Chart:
    groups = []
    for line in report.lines:
        own = line.costs[OURS[0]].cpu_us
        ratios = {name: cost.cpu_us / own for name, cost in line.costs.items()}
        groups.append((KINDS[line.kind], ratios))
    return Chart("cpu", f"Client CPU per operation, as a multiple of {OURS[0]}'s", "x", groups)


def latencies(found: Sequence[Latency]) -> Section:
    rows = [[each.operation, f"{each.p50_us:.1f}", f"{each.p99_us:.1f}"] for each in found]
    judged = [
        at_most(f"{each.operation}, p50", each.p50_us, TARGET_US, "us")
        for each in found
        if each.operation == "typed get"
    ]
    table = Table(["in process, us", "p50", "p99"], rows)
    return Section(judged, [table], raw=[asdict(each) for each in found])
