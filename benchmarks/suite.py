"""What every suite is run by: ``python -m benchmarks.kurukshetra``."""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.beside import Beside
from benchmarks.outcome import Measured, Outcome, begun, store, to_json
from benchmarks.section import Found, Section, section_of

#: Called with ``quick``, ``folder``, and the options that a suite has of its own.
Part: TypeAlias = Callable[..., Found]
Parser: TypeAlias = argparse.ArgumentParser
_GENERAL = ("parts", "json", "quick", "data", "into")


def main(
    name: str,
    parts: Mapping[str, Part],
    own_options: Callable[[Parser], None] | None = None,
    words: Sequence[str] | None = None,
) -> int:
    """The parts that are asked for, or all; 1 if something failed, or was missed."""
    chosen = vars(_arguments(name, parts, own_options, words))
    # Stopped from outside, whatever was started still has to be taken down.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    outcome = begun(name, quick=chosen["quick"], arguments=_told(chosen))
    for part in chosen["parts"] or parts:
        outcome = outcome.with_part(part, _measured(parts[part], chosen))
        _tell(outcome, part, chosen)
    if chosen["json"]:
        print(to_json(outcome), end="")
    return 0 if outcome.as_wanted else 1


def _measured(part: Part, chosen: Mapping[str, Any]) -> Measured:
    """One that fails does not keep the others from being measured."""
    own = {key: value for key, value in chosen.items() if key not in _GENERAL}
    began, beside = time.perf_counter(), Beside()
    try:
        section, failed = section_of(part(quick=chosen["quick"], folder=chosen["data"], **own)), ""
    except Exception as error:
        traceback.print_exc()
        section, failed = Section(), f"{type(error).__name__}: {error}"
    return Measured(section, round(time.perf_counter() - began, 1), failed, beside.cores())


def _tell(outcome: Outcome, part: str, chosen: Mapping[str, Any]) -> None:
    """At once: whatever happens to a later part, this one has been measured."""
    measured = outcome.parts[part]
    if chosen["into"] is not None:
        store(outcome, chosen["into"])
    if not chosen["json"]:
        said = f"{part} has failed: {measured.failed}" if measured.failed else ""
        print(said or measured.section.text(part), end="\n\n", flush=True)


def _told(chosen: Mapping[str, Any]) -> list[str]:
    """What bears on the figures, to be stored beside them."""
    options = {key: value for key, value in chosen.items() if key not in ("parts", "json", "into")}
    given = [
        f"--{key.replace('_', '-')} {value}"
        for key, value in options.items()
        if value is not None and key not in ("quick", "data")
    ]
    return [*chosen["parts"], *given]


def _arguments(
    name: str,
    parts: Mapping[str, Part],
    own_options: Callable[[Parser], None] | None,
    words: Sequence[str] | None,
) -> argparse.Namespace:
    parser = Parser(
        prog=f"benchmarks.{name}",
        description=f"What {name} does, against what is wanted of it. "
        "It ends with 1 if something was missed.",
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}")
    parser.add_argument("--json", action="store_true", help="machine-readable output")
    parser.add_argument(
        "--into", type=Path, metavar="FILE", help="store the same there, as it goes"
    )
    parser.add_argument("--quick", action="store_true", help="less of everything: a rough picture")
    parser.add_argument("--data", type=Path, help="folder on the disk to measure")
    if own_options is not None:
        own_options(parser)
    chosen = parser.parse_args(words)
    if unknown := set(chosen.parts) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return chosen
