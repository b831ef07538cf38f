"""Run the benchmarks: `python -m benchmarks.pricekeeper [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.engine.tables import grid
from benchmarks.pricekeeper import overshoot, throughput
from benchmarks.pricekeeper.burst import Overshoot
from benchmarks.pricekeeper.throughput import Found

PARTS = ("throughput", "overshoot")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.pricekeeper", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="short rounds")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--seconds", type=float, help="length of one round")
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen


def throughput_text(found: list[Found]) -> str:
    rows = [["durable, over HTTP", "conn.", "a second", "p50 ms", "p99 ms", "CPU us", "wanted", ""]]
    for each in found:
        wanted = [
            f">= {each.line.at_least:,.0f}/s" if each.line.at_least else "",
            f"p99 < {each.line.p99_under_ms:.0f} ms" if each.line.p99_under_ms else "",
        ]
        rows.append(
            [
                each.line.title,
                str(each.line.connections),
                f"{each.per_second:,.0f}",
                f"{each.p50_ms:.1f}",
                f"{each.p99_ms:.1f}",
                "-" if each.cpu_us is None else f"{each.cpu_us:.0f}",
                ", ".join(filter(None, wanted)),
                "" if each.kept else f"missed {each.error or ''}",
            ]
        )
    return grid(rows)


def overshoot_text(found: list[Overshoot]) -> str:
    rows = [["burst against a limit of $10", "spent", "overshoot"]]
    rows += [[each.name, f"${each.spent_micros / 1e6:.2f}", f"{each.pct:.1f} %"] for each in found]
    ours, peer = found
    ratio = f"{peer.pct / ours.pct:.1f} times ours" if ours.pct > 0 else "ours stayed below"
    return f"{grid(rows)}\n\nWanted: at most 5 %. The peer's overshoot is {ratio}."


def main() -> None:
    chosen = arguments()
    seconds = chosen.seconds or (1.0 if chosen.quick else 5.0)
    report: dict[str, Any] = {}
    for part in chosen.parts or PARTS:
        if part == "throughput":
            measured = throughput.measure(seconds, chosen.data)
            report[part] = [asdict(each) | {"kept": each.kept} for each in measured]
            text = throughput_text(measured)
        else:
            bursts = overshoot.measure()
            report[part] = [asdict(each) | {"pct": each.pct} for each in bursts]
            text = overshoot_text(bursts)
        if not chosen.json:
            print(text, end="\n\n", flush=True)
    if chosen.json:
        print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
