"""Run the benchmarks: `python -m benchmarks.engine [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.engine.compare import QUICK, Effort, compare, say
from benchmarks.engine.servers import PEERS
from benchmarks.engine.tables import comparison

PARTS = ("compare", "inprocess", "growth")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks.engine", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="short rounds, a smaller growth test")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--seconds", type=float, help="length of one round")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--peers", help=f"comma-separated, of {', '.join(PEERS)}; 'none' for none")
    parser.add_argument("--only", help="only requests whose name contains this")
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    parser.add_argument("--items", type=int, help="size of the large table of the growth test")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen


def effort(chosen: argparse.Namespace) -> Effort:
    base = QUICK if chosen.quick else Effort()
    return Effort(
        chosen.seconds or base.seconds, chosen.rounds or base.rounds, base.warm_up, base.starts
    )


def peers(chosen: argparse.Namespace) -> list[str]:
    if chosen.peers is None:
        return list(PEERS)
    wanted = [name.strip().lower() for name in chosen.peers.split(",")]
    return [name for name in PEERS if name.lower() in wanted]


def measured(part: str, chosen: argparse.Namespace) -> tuple[Any, str]:
    """One part's results, as data and as text."""
    # The engine is imported only where it runs in this process.
    if part == "compare":
        only = chosen.only.lower() if chosen.only else None
        report = compare(effort(chosen), peers(chosen), chosen.data, only)
        return report.as_json(), comparison(report)
    if part == "inprocess":
        from benchmarks.engine import inprocess

        say("measuring in process")
        latencies = inprocess.measure(folder=chosen.data)
        return [asdict(latency) for latency in latencies], inprocess.text(latencies)

    from benchmarks.engine import growth

    large = chosen.items or (100_000 if chosen.quick else 1_000_000)
    costs = growth.measure(large, folder=chosen.data)
    return [asdict(cost) | {"ratio": cost.ratio} for cost in costs], growth.text(costs)


def main() -> None:
    chosen = arguments()
    # Stopped from outside, the servers still have to be taken down.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    found: dict[str, Any] = {}
    for part in chosen.parts or PARTS:
        found[part], text = measured(part, chosen)
        if not chosen.json:
            # At once: whatever happens to a later part, this one has been measured.
            print(text, end="\n\n\n", flush=True)
    if chosen.json:
        print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
