"""Run the benchmarks: `python -m benchmarks.engine [--quick] [--json] [PART ...]`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine.compare import QUICK, Effort, compare
from benchmarks.engine.servers import PEERS
from benchmarks.engine.tables import compared, grown, latencies
from benchmarks.progress import say
from benchmarks.section import Section
from benchmarks.suite import Parser, Part, main


@dataclass(frozen=True)
class Wish:
    """What was asked for."""

    quick: bool
    folder: Path | None
    seconds: float | None
    rounds: int | None
    peers: str | None
    only: str | None
    items: int | None

    @property
    def effort(self) -> Effort:
        base = QUICK if self.quick else Effort()
        return Effort(
            self.seconds or base.seconds, self.rounds or base.rounds, base.warm_up, base.starts
        )

    @property
    def peer_names(self) -> list[str]:
        if self.peers is None:
            return list(PEERS)
        wanted = [name.strip().lower() for name in self.peers.split(",")]
        return [name for name in PEERS if name.lower() in wanted]

    @property
    def large(self) -> int:
        return self.items or (100_000 if self.quick else 1_000_000)


def _compare(**asked: Any) -> Section:
    wish = Wish(**asked)
    only = wish.only.lower() if wish.only else None
    return compared(compare(wish.effort, wish.peer_names, wish.folder, only))


# The engine is imported only where it runs in this process.


def _inprocess(**asked: Any) -> Section:
    from benchmarks.engine import inprocess

    say("measuring in process")
    return latencies(inprocess.measure(folder=Wish(**asked).folder))


def _growth(**asked: Any) -> Section:
    from benchmarks.engine import growth

    wish = Wish(**asked)
    return grown(growth.measure(wish.large, folder=wish.folder))


PARTS: dict[str, Part] = {"compare": _compare, "inprocess": _inprocess, "growth": _growth}


def own_options(parser: Parser) -> None:
    parser.add_argument("--seconds", type=float, help="length of one round")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--peers", help=f"comma-separated, of {', '.join(PEERS)}; 'none' for none")
    parser.add_argument("--only", help="only requests whose name contains this")
    parser.add_argument("--items", type=int, help="size of the large table of the growth test")


if __name__ == "__main__":
    sys.exit(main("engine", PARTS, own_options))
