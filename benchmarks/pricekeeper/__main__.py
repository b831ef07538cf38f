"""Run the benchmarks: `python -m benchmarks.pricekeeper [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.pricekeeper import overshoot, throughput
from benchmarks.pricekeeper.tables import overshot, served
from benchmarks.section import Section
from benchmarks.suite import Parser, Part, main


def _throughput(*, quick: bool, folder: Path | None, seconds: float | None) -> Section:
    return served(throughput.measure(seconds or (1.0 if quick else 5.0), folder))


def _overshoot(**_: object) -> Section:
    return overshot(*overshoot.measure())


PARTS: dict[str, Part] = {"throughput": _throughput, "overshoot": _overshoot}


def own_options(parser: Parser) -> None:
    parser.add_argument("--seconds", type=float, help="length of one round")


if __name__ == "__main__":
    sys.exit(main("pricekeeper", PARTS, own_options))
