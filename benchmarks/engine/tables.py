"""What was measured, as tables and charts, and held against what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from benchmarks.engine.compare import CONNECTIONS, OURS, REFERENCE, RELAXED, Line, Report
from benchmarks.findings import Finding, at_least, at_most
from benchmarks.section import Chart, Section, Table

if TYPE_CHECKING:
    # They import the engine, which a process that only compares servers does without.
    from benchmarks.engine.growth import Cost
    from benchmarks.engine.inprocess import Latency

#: Requests a second, as a multiple of the best peer's and of the reference's.
AT_LEAST_OF_PEER, AT_LEAST_OF_REFERENCE = 2.0, 5.0
AT_MOST_MB = 150.0
#: The median in process.
AT_MOST_US = {"GetItem": 30.0, "PutItem": 60.0}
AT_MOST_GROWTH = 1.5


# --- beside the peers ---------------------------------------------------------------------


def compared(report: Report) -> Section:
    return Section(
        [*_ratios(report), *_footprint(report)],
        [_throughput(report), _cpu(report), _footprints(report)],
        [*_rate_charts(report), _memory_chart(report)],
        _notes(report),
        {
            name: each.version
            for name, each in report.servers.items()
            if name not in (OURS, RELAXED)
        },
        report.skipped,
        report.as_json(),
    )


def _ratios(report: Report) -> Iterator[Finding]:
    for line in report.lines:
        if line.ratio:
            what = f"{line.workload}, {line.connections} conn., v best peer"
            yield at_least(what, line.ratio, AT_LEAST_OF_PEER, "x", line.best_peer_name or "")
    if report.geometric_mean:
        what = f"geometric mean, v {REFERENCE}"
        yield at_least(what, report.geometric_mean, AT_LEAST_OF_REFERENCE, "x")


def _footprint(report: Report) -> Iterator[Finding]:
    if ours := report.servers.get(OURS):
        yield at_most("memory after the run", ours.after_megabytes, AT_MOST_MB, "MB")


def _place(line: Line) -> str:
    plural = "" if line.connections == 1 else "s"
    return f"{line.workload}, {line.connections} connection{plural}"


def _throughput(report: Report) -> Table:
    names = list(report.servers)
    short = REFERENCE.replace("DynamoDB", "DDB")
    head = ["requests per second", "conn.", *names, "v best peer", f"v {short}"]
    rows = []
    for line in report.lines:
        ratios = [_times(line.ratio), _times(line.ratio_to_reference)]
        figures = [_rate(line, name) for name in names]
        rows.append([line.workload, str(line.connections), *figures, *ratios])
    return Table(head, rows)


def _rate(line: Line, server: str) -> str:
    if server in line.rates:
        return f"{line.rates[server]:,.0f}"
    return "none" if server in line.missing else "-"


def _times(ratio: float | None) -> str:
    return f"{ratio:.1f}x" if ratio else "-"


def _cpu(report: Report) -> Table:
    """CPU per request holds better than the rate where other programs share the machine."""
    names = list(report.servers)
    rows = []
    for line in report.lines:
        figures = [line.details.get(name, {}).get("cpu_us") for name in names]
        cells = [f"{figure:,.0f}" if figure else "-" for figure in figures]
        rows.append([line.workload, str(line.connections), *cells])
    return Table(["server CPU per request, us", "conn.", *names], rows)


def _footprints(report: Report) -> Table:
    rows = [
        [
            name,
            f"{server.start_seconds:.2f} s",
            f"{server.idle_megabytes:.0f} MB",
            f"{server.after_megabytes:.0f} MB",
            server.version,
        ]
        for name, server in report.servers.items()
    ]
    return Table(["server", "start to answer", "idle", "after the run", "version"], rows)


def _rate_charts(report: Report) -> Iterator[Chart]:
    for connections in CONNECTIONS:
        groups = [
            (line.workload, line.rates) for line in report.lines if line.connections == connections
        ]
        plural = "" if connections == 1 else "s"
        title = f"Requests per second over {connections} connection{plural}"
        yield Chart(f"rates-{connections}", title, "/s", groups)


def _memory_chart(report: Report) -> Chart:
    groups = [
        (name, {"idle": each.idle_megabytes, "after the run": each.after_megabytes})
        for name, each in report.servers.items()
    ]
    return Chart("memory", "Memory of the servers", "MB", groups)


def _notes(report: Report) -> list[str]:
    cost = f"A synced write of 4 KB costs {report.sync_microseconds:.0f} us here."
    fair = f"{OURS} is durable (synced). Writes over 1 connection are compared as {RELAXED!r}."
    return [f"{cost} {fair}", *_reasons(report)]


def _reasons(report: Report) -> list[str]:
    """Why cells are empty: what a server could not answer, and where nobody was the limit."""
    found = []
    seen = set()
    for line in report.lines:
        for name, reason in line.missing.items():
            if (line.workload, name) not in seen:
                seen.add((line.workload, name))
                found.append(f"{name}, {line.workload}: {reason[:160]}")
        for name, detail in line.details.items():
            if detail["generator_busy"] > 0.95:
                found.append(f"{name}, {_place(line)}: limited by the load generator")
    return found


# --- without a network --------------------------------------------------------------------


def latencies(found: Sequence[Latency]) -> Section:
    head = ["in process, relaxed durability", "p50", "p99"]
    rows = [[each.request, f"{each.p50_us:.1f} us", f"{each.p99_us:.1f} us"] for each in found]
    judged = [
        at_most(f"{each.request}, p50", each.p50_us, AT_MOST_US[each.request], "us")
        for each in found
        if each.request in AT_MOST_US
    ]
    chart = Chart(
        "inprocess",
        "Latency in process",
        "us",
        [(each.request, {"p50": each.p50_us, "p99": each.p99_us}) for each in found],
    )
    return Section(judged, [Table(head, rows)], [chart], raw=[asdict(each) for each in found])


# --- growth -------------------------------------------------------------------------------


def grown(costs: Sequence[Cost]) -> Section:
    small, large = (f"{items:,} items" for items in (costs[0].small_items, costs[0].items))
    names = [f"{each.request}, {each.way}" for each in costs]
    rows = [
        [name, f"{each.small_us:.1f} us", f"{each.large_us:.1f} us", f"{each.ratio:.2f}x"]
        for name, each in zip(names, costs, strict=True)
    ]
    judged = [
        at_most(f"{name}, growth", each.ratio, AT_MOST_GROWTH, "x")
        for name, each in zip(names, costs, strict=True)
    ]
    points = [
        (small, {name: each.small_us for name, each in zip(names, costs, strict=True)}),
        (large, {name: each.large_us for name, each in zip(names, costs, strict=True)}),
    ]
    chart = Chart("growth", "Cost per request as the table grows", "us", points, "lines")
    table = Table(["cost per request", small, large, "ratio"], rows)
    raw = [asdict(each) | {"ratio": each.ratio} for each in costs]
    return Section(judged, [table], [chart], raw=raw)
