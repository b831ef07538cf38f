"""Run the benchmarks: `python -m benchmarks.sentiment [--seconds N] [--json] [PART ...]`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding
from benchmarks.sentiment import analysers, burst, overview, read, streams
from benchmarks.suite import Parser, Part, main


@dataclass(frozen=True)
class Wish:
    """What was asked for."""

    quick: bool
    folder: Path | None
    #: How long reads and streams go on; ``minutes`` instead, if they are given.
    seconds: float | None
    minutes: float | None
    #: Of the large day.
    articles: int | None

    @property
    def lasting(self) -> float:
        if self.minutes is not None:
            return self.minutes * 60
        return self.seconds or (3.0 if self.quick else 15.0)

    @property
    def stored(self) -> int:
        return self.articles or (2_400 if self.quick else 24_000)


def _burst(**wish: Any) -> list[Finding]:
    return burst.measure(folder=Wish(**wish).folder)


def _read(**wish: Any) -> list[Finding]:
    return read.measure(Wish(**wish).lasting, Wish(**wish).folder)


def _overview(**wish: Any) -> list[Finding]:
    asked = Wish(**wish)
    large = overview.QUICK_LARGE if asked.quick else overview.LARGE
    return overview.measure(asked.stored, asked.folder, large)


def _streams(**wish: Any) -> list[Finding]:
    return streams.measure(Wish(**wish).lasting, folder=Wish(**wish).folder)


def _analysers(**_: Any) -> list[Finding]:
    return analysers.measure()


PARTS: dict[str, Part] = {
    "burst": _burst,
    "read": _read,
    "overview": _overview,
    "streams": _streams,
    "analysers": _analysers,
}


def own_options(parser: Parser) -> None:
    parser.add_argument("--seconds", type=float, help="how long reads and streams go on; 15")
    parser.add_argument("--minutes", type=float, help="the same in minutes; 10 is the full run")
    parser.add_argument(
        "--articles", type=int, help="articles of the large day that are stored; 24,000"
    )


if __name__ == "__main__":
    sys.exit(main("sentiment", PARTS, own_options))
