"""What a run of a suite has come to, as it is stored: one JSON file for each suite."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding
from benchmarks.section import Chart, Section, Table
from tablewright import __version__, values  # noqa: F401 - one of those that are compiled
from tablewright.native import compiled

#: Of the files. One that has another is of another version of the benchmarks.
FORMAT = 1


class Unreadable(Exception):
    """A file that does not hold an outcome."""


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    cores: int
    processor: str
    memory_gb: float
    system: str
    python: str

    def __str__(self) -> str:
        kind = f" ({self.processor})" if self.processor else ""
        return (
            f"{self.cores} cores{kind}, {self.memory_gb:.0f} GB, {self.system}, "
            f"Python {self.python}"
        )


@dataclass(frozen=True)
class Measured:
    """A part: what it found, or why it has failed."""

    section: Section
    seconds: float
    failed: str = ""
    #: Cores that other programs used meanwhile.
    others: float | None = None


@dataclass(frozen=True)
class Outcome:
    """A suite."""

    suite: str
    taken: str
    machine: Machine
    version: str
    quick: bool = False
    #: What else it was given on the command line.
    arguments: Sequence[str] = ()
    seconds: float = 0.0
    parts: Mapping[str, Measured] = field(default_factory=dict)
    #: Why the suite as a whole has failed.
    failed: str = ""

    @property
    def wanted(self) -> list[tuple[str, Finding]]:
        """What was judged, by part."""
        return [
            (part, each)
            for part, measured in self.parts.items()
            for each in measured.section.findings
            if each.wanted
        ]

    @property
    def missed(self) -> list[tuple[str, Finding]]:
        return [(part, each) for part, each in self.wanted if not each.met]

    @property
    def failures(self) -> dict[str, str]:
        """What has failed, and why."""
        own = {"the suite": self.failed} if self.failed else {}
        return own | {name: each.failed for name, each in self.parts.items() if each.failed}

    @property
    def others(self) -> float:
        """Cores that other programs used meanwhile, as far as it is known."""
        known = [(each.others, each.seconds) for each in self.parts.values() if each.others]
        return sum(cores * secs for cores, secs in known) / (self.seconds or 1.0)

    @property
    def as_wanted(self) -> bool:
        return not self.missed and not self.failures

    def with_part(self, name: str, measured: Measured) -> Outcome:
        seconds = self.seconds + measured.seconds
        return replace(self, parts={**self.parts, name: measured}, seconds=seconds)


def begun(suite: str, *, quick: bool = False, arguments: Sequence[str] = ()) -> Outcome:
    """An outcome without parts, taken now."""
    taken = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Outcome(suite, taken, this_machine(), __version__, quick, list(arguments))


def this_machine() -> Machine:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.system()
    python = (
        f"{platform.python_version()}, engine {'compiled' if compiled() else 'from its sources'}"
    )
    return Machine(os.cpu_count() or 1, _processor(), round(memory, 1), system, python)


def _processor() -> str:
    """Its model, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if "model name" in line), "")


def to_json(outcome: Outcome) -> str:
    return json.dumps({"format": FORMAT} | asdict(outcome), indent=2) + "\n"


def store(outcome: Outcome, file: Path) -> None:
    """Whole or not at all: a run that is stopped does not spoil what an earlier one has found."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(file.name + ".new")
    new.write_text(to_json(outcome))
    new.replace(file)


def stored(file: Path) -> Outcome:
    try:
        content = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise Unreadable(f"{file}: {error}") from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise Unreadable(f"{file}: not of format {FORMAT}; run its suite again, or remove the file")
    try:
        return _outcome(content)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unreadable(f"{file}: not the outcome of a suite ({error!r})") from error


def _outcome(content: dict[str, Any]) -> Outcome:
    parts = {name: _measured(each) for name, each in content.pop("parts").items()}
    machine = Machine(**content.pop("machine"))
    return Outcome(machine=machine, parts=parts, **content)


def _measured(content: dict[str, Any]) -> Measured:
    return Measured(_section(content.pop("section")), **content)


def _section(content: dict[str, Any]) -> Section:
    return Section(
        [Finding(**each) for each in content.pop("findings")],
        [Table(**each) for each in content.pop("tables")],
        [_chart(each) for each in content.pop("charts")],
        **content,
    )


def _chart(content: dict[str, Any]) -> Chart:
    groups = [(label, figures) for label, figures in content.pop("groups")]
    return Chart(groups=groups, **content)
