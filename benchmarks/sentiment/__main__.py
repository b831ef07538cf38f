"""Run the benchmarks: `python -m benchmarks.sentiment [--seconds N] [--json] [PART ...]`."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.engine.tables import grid
from benchmarks.sentiment import analysers, burst, overview, read, streams
from benchmarks.sentiment.findings import Finding

PARTS = ("burst", "read", "overview", "streams", "analysers")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.sentiment", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument(
        "--seconds", type=float, default=15.0, help="how long reads and streams go on"
    )
    parser.add_argument("--quick", action="store_true", help="a few seconds, and few articles")
    parser.add_argument("--minutes", type=float, help="the same in minutes; 10 is the full run")
    parser.add_argument(
        "--articles", type=int, default=24_000, help="articles of the large day that are stored"
    )
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen


def measured(part: str, chosen: argparse.Namespace) -> list[Finding]:
    seconds = chosen.seconds if chosen.minutes is None else chosen.minutes * 60
    if chosen.quick:
        seconds = min(seconds, 3.0)
    if part == "burst":
        return burst.measure(folder=chosen.data)
    if part == "read":
        return read.measure(seconds, chosen.data)
    if part == "overview":
        return overview.measure(2_400 if chosen.quick else chosen.articles, chosen.data)
    if part == "streams":
        return streams.measure(seconds, folder=chosen.data)
    return analysers.measure()


def text_of(part: str, findings: list[Finding]) -> str:
    rows = [[part, "figure", "wanted", "", ""]]
    for each in findings:
        verdict = "" if not each.wanted else "met" if each.met else "missed"
        rows.append([each.what, each.shown, each.wanted, verdict, each.note])
    return grid(rows)


def main() -> None:
    chosen = arguments()
    report: dict[str, list[dict[str, object]]] = {}
    for part in chosen.parts or PARTS:
        findings = measured(part, chosen)
        report[part] = [asdict(each) for each in findings]
        if not chosen.json:
            print(text_of(part, findings), end="\n\n", flush=True)
    if chosen.json:
        print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
