"""Run the benchmarks: `python -m benchmarks.client [--quick] [--json] [--only QUERY]`."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.client import compare, inprocess
from benchmarks.client.tables import compared, latencies
from benchmarks.progress import say
from benchmarks.section import Section
from benchmarks.suite import Parser, Part, main


def _compare(
    *,
    quick: bool,
    folder: Path | None,
    seconds: float | None,
    rounds: int | None,
    only: str | None,
) -> Section:
    base = compare.QUICK if quick else compare.Effort()
    effort = compare.Effort(seconds or base.seconds, rounds or base.rounds)
    return compared(compare.compare(effort, only, folder))


def _inprocess(**_: object) -> Section:
    say("measuring in process")
    return latencies(inprocess.measure())


PARTS: dict[str, Part] = {"compare": _compare, "inprocess": _inprocess}


def own_options(parser: Parser) -> None:
    parser.add_argument("--seconds", type=float, help="length of one client's turn")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--only", help="only operations whose name contains this")


if __name__ == "__main__":
    sys.exit(main("client", PARTS, own_options))
