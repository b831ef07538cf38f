"""What the benchmarks of a system are run by: ``python -m benchmarks.kurukshetra``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from benchmarks.findings import Finding, text_of

#: Called with ``quick``, ``folder``, and the options that a suite has of its own.
Part: TypeAlias = Callable[..., list[Finding]]
Parser: TypeAlias = argparse.ArgumentParser
_GENERAL = ("parts", "json", "quick", "data")


def main(
    name: str, parts: Mapping[str, Part], own_options: Callable[[Parser], None] | None = None
) -> int:
    """The parts that are asked for, or all; 1 if something that is wanted was missed."""
    chosen = vars(_arguments(name, parts, own_options))
    own = {key: value for key, value in chosen.items() if key not in _GENERAL}
    report: dict[str, list[Finding]] = {}
    for part in chosen["parts"] or parts:
        report[part] = parts[part](quick=chosen["quick"], folder=chosen["data"], **own)
        if not chosen["json"]:
            print(text_of(part, report[part]), end="\n\n", flush=True)
    if chosen["json"]:
        said = {part: [asdict(each) for each in found] for part, found in report.items()}
        print(json.dumps(said, indent=2))
    return 0 if all(each.met for found in report.values() for each in found) else 1


def _arguments(
    name: str, parts: Mapping[str, Part], own_options: Callable[[Parser], None] | None
) -> argparse.Namespace:
    parser = Parser(
        prog=f"benchmarks.{name}",
        description=f"What {name} does, against what is wanted of it. "
        "It ends with 1 if something was missed.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument("--quick", action="store_true", help="less of everything: a rough picture")
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    if own_options is not None:
        own_options(parser)
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen
