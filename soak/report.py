"""The page about a run."""

from __future__ import annotations

import os
import platform
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from soak.place import SYSTEMS
from soak.run import Result

_INTRODUCTION = """\
`make soak MINUTES=30` runs all five systems under mixed load while everything goes wrong, and then
checks every invariant; [testing](testing.md#soak) tells how. This page is written by the run.
"""
_OUTCOMES = ("acknowledged", "refused", "unavailable", "unknown", "broken")
#: Codes of problems on the page.
_CODES = 10


def page(result: Result) -> str:
    return "\n".join(_lines(result)) + "\n"


def _lines(result: Result) -> Iterator[str]:
    when = datetime.fromtimestamp(result.started, UTC)
    verdict = "none was violated" if not result.violations else f"{result.violations} violations"
    checked = sum(each.checked for each in result.findings)
    yield "# Soak\n"
    yield _INTRODUCTION
    yield (
        f"The last run: {when:%d %B %Y, %H:%M} UTC, {result.secs / 60:.0f} minutes, seed "
        f"{result.seed}. {len(result.happened)} disturbances, "
        f"{sum(each.total() for each in result.journal.requests.values()):,} requests, {checked:,} "
        f"checks of {len(result.findings)} invariants: **{verdict}**.\n"
    )
    yield f"Machine: {machine()}. Disk: {result.disk}.\n"
    yield from _requests(result)
    yield from _disturbances(result)
    yield from _invariants(result)


def _requests(result: Result) -> Iterator[str]:
    yield "## Requests\n"
    yield (
        "*Unavailable* is 503; with it, and without any answer (*unknown*), nobody can tell "
        "whether it was done. *Broken* is a 500.\n"
    )
    yield f"| System | {' | '.join(_OUTCOMES)} |"
    yield "|---|" + "---:|" * len(_OUTCOMES)
    for system in SYSTEMS:
        counts = result.journal.requests[system]
        yield f"| {system} | " + " | ".join(f"{counts[each]:,}" for each in _OUTCOMES) + " |"  # type: ignore[index]
    yield ""
    if codes := result.journal.codes.most_common(_CODES):
        # A load that is mostly refused would prove little.
        yield "Most often said: " + ", ".join(f"{what} {times:,}" for what, times in codes) + ".\n"


def _disturbances(result: Result) -> Iterator[str]:
    yield "## Disturbances\n"
    yield (
        "Recovery: from the end of the disturbance, or from a kill with the start after it, until "
        "every system has taken a write again.\n"
    )
    yield "| What | Times | Recovery, median s | Longest s |"
    yield "|---|---:|---:|---:|"
    times: dict[str, list[float]] = defaultdict(list)
    for each in result.happened:
        times[each.name].append(each.recovery_secs)
    for name, found in sorted(times.items()):
        middle = sorted(found)[len(found) // 2]
        yield f"| {name} | {len(found)} | {middle:.1f} | {max(found):.1f} |"
    yield ""


def _invariants(result: Result) -> Iterator[str]:
    yield "## Invariants\n"
    yield "| What | Checked | Violations |"
    yield "|---|---:|---:|"
    for each in result.findings:
        yield f"| {each.what} | {each.checked:,} | {len(each.violations)} |"


def machine() -> str:
    cores = os.cpu_count() or 1
    kind, python = platform.machine(), platform.python_version()
    return f"{platform.system()} on {kind}, {cores} cores, Python {python}"


def document(result: Result, kept: Path | None) -> dict[str, Any]:
    """The same for programs."""
    return {
        "seed": result.seed,
        "seconds": round(result.secs, 1),
        "disk": result.disk,
        "violations": result.violations,
        "data": None if kept is None else str(kept),
        "requests": {name: dict(found) for name, found in result.journal.requests.items()},
        "codes": dict(result.journal.codes.most_common()),
        "disturbances": [vars(each) for each in result.happened],
        "invariants": [
            {"what": each.what, "checked": each.checked, "violations": each.violations[:20]}
            for each in result.findings
        ],
    }
