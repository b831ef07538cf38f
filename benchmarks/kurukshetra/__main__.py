"""Run the benchmarks: `python -m benchmarks.kurukshetra [--quick] [--json] [PART ...]`.

It ends with 1 if something that is wanted was missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from benchmarks.kurukshetra import export, seats, units, webhooks
from benchmarks.sentiment.__main__ import text_of
from benchmarks.sentiment.findings import Finding

PARTS: dict[str, Callable[..., list[Finding]]] = {
    "seats": seats.measure,
    "webhooks": webhooks.measure,
    "units": units.measure,
    "export": export.measure,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.kurukshetra", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--quick", action="store_true", help="fewer teams and people")
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen


def main() -> int:
    chosen = arguments()
    report: dict[str, list[Finding]] = {}
    for part in chosen.parts or PARTS:
        report[part] = PARTS[part](quick=chosen.quick, folder=chosen.data)
        if not chosen.json:
            print(text_of(part, report[part]), end="\n\n", flush=True)
    if chosen.json:
        said = {part: [asdict(each) for each in found] for part, found in report.items()}
        print(json.dumps(said, indent=2))
    return 0 if all(each.met for found in report.values() for each in found) else 1


if __name__ == "__main__":
    sys.exit(main())
