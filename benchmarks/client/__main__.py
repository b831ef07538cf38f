"""Run the benchmarks: `python -m benchmarks.client [--quick] [--json] [--only QUERY]`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict

from benchmarks.client.compare import QUICK, Effort, compare
from benchmarks.client.inprocess import measure
from benchmarks.client.tables import comparison, latencies


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.client", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few and short rounds")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--seconds", type=float, help="length of one client's turn")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", help="only operations whose name contains this")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    # Stopped from outside, the server still has to be taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    base = QUICK if chosen.quick else Effort()
    effort = Effort(chosen.seconds or base.seconds, chosen.rounds or base.rounds)
    report = compare(effort, chosen.only)
    inside = measure()
    if chosen.json:
        found = report.as_json() | {"inprocess": [asdict(each) for each in inside]}
        print(json.dumps(found, indent=2))
    else:
        print(comparison(report), latencies(inside), sep="\n\n")


if __name__ == "__main__":
    main()
