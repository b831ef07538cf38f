"""The reports as text."""

from __future__ import annotations

from benchmarks.engine.compare import OURS, REFERENCE, RELAXED, Line, Report


def grid(rows: list[list[str]]) -> str:
    """Columns as wide as they need to be; the first to the left, the rest to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    lines.insert(1, "-" * max(map(len, lines)))
    return "\n".join(lines)


def rate(line: Line, server: str) -> str:
    if server in line.rates:
        return f"{line.rates[server]:,.0f}"
    return "none" if server in line.missing else "-"


def times(ratio: float | None) -> str:
    return f"{ratio:.1f}x" if ratio else "-"


def throughput(report: Report) -> str:
    names = list(report.servers)
    short = REFERENCE.replace("DynamoDB", "DDB")
    rows = [["requests per second", "conn.", *names, "v best peer", f"v {short}"]]
    for line in report.lines:
        ratios = [times(line.ratio), times(line.ratio_to_reference)]
        figures = [rate(line, name) for name in names]
        rows.append([line.workload, str(line.connections), *figures, *ratios])
    return grid(rows)


def cpu(report: Report) -> str:
    """CPU per request holds better than the rate where other programs share the machine."""
    names = list(report.servers)
    rows = [["server CPU per request, us", "conn.", *names]]
    for line in report.lines:
        figures = [line.details.get(name, {}).get("cpu_us") for name in names]
        cells = [f"{figure:,.0f}" if figure else "-" for figure in figures]
        rows.append([line.workload, str(line.connections), *cells])
    return grid(rows)


def footprints(report: Report) -> str:
    rows = [["server", "start to answer", "idle", "after the run", "version"]]
    for name, server in report.servers.items():
        rows.append(
            [
                name,
                f"{server.start_seconds:.2f} s",
                f"{server.idle_megabytes:.0f} MB",
                f"{server.after_megabytes:.0f} MB",
                server.version,
            ]
        )
    return grid(rows)


def reasons(report: Report) -> list[str]:
    """Why cells are empty: servers left out, and requests that a server could not answer."""
    found = [f"{name} is left out: {reason}" for name, reason in report.skipped.items()]
    seen = set()
    for line in report.lines:
        for name, reason in line.missing.items():
            if (line.workload, name) not in seen:
                seen.add((line.workload, name))
                found.append(f"{name}, {line.workload}: {reason[:160]}")
        for name, detail in line.details.items():
            if detail["generator_busy"] > 0.95:
                place = f"{line.workload}, {line.connections} connection(s)"
                found.append(f"{name}, {place}: limited by the load generator")
    return found


def summary(report: Report) -> list[str]:
    ratios = [(line.ratio, line) for line in report.lines if line.ratio]
    found = []
    if ratios:
        lowest, line = min(ratios, key=lambda pair: pair[0])
        place = f"{line.workload}, {line.connections} connection(s)"
        found.append(f"Lowest ratio to the best peer: {lowest:.1f}x ({place}).")
    if report.geometric_mean:
        found.append(f"Geometric mean against {REFERENCE}: {report.geometric_mean:.1f}x.")
    return found


def comparison(report: Report) -> str:
    parts = [
        f"{report.machine}; a synced write of 4 KB costs {report.sync_microseconds:.0f} us here.",
        throughput(report),
        f"{OURS} is durable (synced). Writes over 1 connection are compared as {RELAXED!r}.",
        cpu(report),
        footprints(report),
        "\n".join(summary(report)),
        "\n".join(reasons(report)),
    ]
    return "\n\n".join(part for part in parts if part)
