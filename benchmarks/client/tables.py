"""The reports as text."""

from __future__ import annotations

from benchmarks.client.compare import OURS, TARGETS, Report
from benchmarks.client.inprocess import TARGET_US, Latency
from benchmarks.client.workload import KINDS
from benchmarks.engine.tables import grid


def costs(report: Report, figure: str, title: str) -> str:
    names = list(report.versions)
    rows = [[title, *names]]
    for line in report.lines:
        figures = [getattr(line.costs[name], figure) for name in names]
        rows.append([KINDS[line.kind], *(f"{each:,.0f}" for each in figures)])
    return grid(rows)


def ratios(report: Report) -> str:
    """Our CPU time as a part of theirs; what is beyond its target is marked."""
    rows = [["CPU, part of the peer's", *(f"{mine} / {peer}" for mine in OURS for peer in TARGETS)]]
    for line in report.lines:
        found = line.ratios()
        cells = [
            f"{found[mine][peer]:.2f}{'' if found[mine][peer] <= TARGETS[peer] else ' !'}"
            for mine in OURS
            for peer in TARGETS
        ]
        rows.append([KINDS[line.kind], *cells])
    return grid(rows)


def comparison(report: Report) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    wanted = ", ".join(f"{share} of {peer}" for peer, share in TARGETS.items())
    return "\n\n".join(
        [
            f"{report.machine}; {versions}",
            costs(report, "cpu_us", "client CPU, us per operation"),
            costs(report, "wall_us", "wall time, us per operation"),
            ratios(report),
            f"Wanted: at most {wanted}.",
        ]
    )


def latencies(found: list[Latency]) -> str:
    rows = [["in process, us", "p50", "p99"]]
    rows += [[each.operation, f"{each.p50_us:.1f}", f"{each.p99_us:.1f}"] for each in found]
    return f"{grid(rows)}\n\nWanted: a typed get within {TARGET_US:.0f} us."
