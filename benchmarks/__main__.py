"""All benchmarks and their report: `python -m benchmarks run|report|publish`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.publish import Unpublished, publish
from benchmarks.report import outcomes_of, write
from benchmarks.run import run
from benchmarks.suites import SUITES


def main(words: Sequence[str] | None = None) -> int:
    own, more = _divided(sys.argv[1:] if words is None else words)
    parser = command_line()
    chosen = parser.parse_args(own)
    if chosen.command == "run":
        return run(chosen.folder, _suites(parser, chosen), chosen.quick, more)
    if not chosen.folder.is_dir():
        parser.error(f"there is no folder {chosen.folder}; `make bench` makes one")
    if chosen.command == "report":
        print(write(chosen.folder))
        return 0
    try:
        return publish(chosen.folder)
    except Unpublished as error:
        parser.error(str(error))


def _divided(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """What is ours, and what follows ``--`` for the suites."""
    place = words.index("--") if "--" in words else len(words)
    return list(words[:place]), list(words[place + 1 :])


def _suites(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> list[str]:
    if unknown := set(chosen.suites) - set(SUITES):
        parser.error(f"no such suite: {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    asked = [suite for suite in SUITES if suite in chosen.suites or not chosen.suites]
    if not chosen.resume:
        return asked
    known, _ = outcomes_of(chosen.folder)
    done = {
        name for name, each in known.items() if not each.failures and each.quick == chosen.quick
    }
    return [suite for suite in asked if suite not in done]


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser(
        "run",
        help="run suites, store what each has found, and write the report",
        description="What follows -- is handed on to the suites. "
        "It ends with 1 if a target was missed or something failed.",
    )
    running.add_argument("folder", type=Path, help="of the report; suites not run now stay in it")
    running.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}")
    running.add_argument("--quick", action="store_true", help="less of everything")
    running.add_argument("--resume", action="store_true", help="leave out what the folder has")
    for name, help_ in (
        ("report", "write the report again, from what is stored"),
        ("publish", "put the figures into docs/performance.md and docs/benchmarks"),
    ):
        commands.add_parser(name, help=help_).add_argument("folder", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
