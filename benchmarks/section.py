"""What a part of a suite has found: figures, tables, charts, and who was compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from benchmarks.findings import Finding, text_of
from benchmarks.grid import grid


@dataclass(frozen=True)
class Table:
    """Rows of text below a head, whose first cell says what the table is about."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def text(self) -> str:
        return grid([list(self.head), *map(list, self.rows)])


@dataclass(frozen=True)
class Chart:
    """What is to be drawn: for each label, figures by name.

    Bars stand in groups, one for each label. Lines have a point at each label.
    """

    name: str
    title: str
    unit: str
    groups: Sequence[tuple[str, Mapping[str, float]]]
    kind: Literal["bars", "lines"] = "bars"

    @property
    def series(self) -> list[str]:
        """The names, in the order in which they come first."""
        return list(dict.fromkeys(name for _, figures in self.groups for name in figures))


@dataclass(frozen=True)
class Section:
    """All of one part. Most parts have findings alone."""

    findings: Sequence[Finding] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    notes: Sequence[str] = ()
    #: The versions of those that were measured beside us.
    peers: Mapping[str, str] = field(default_factory=dict)
    #: Those that could not be had, with the reason.
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: Everything that was measured, for other programs.
    raw: Any = None

    def text(self, title: str) -> str:
        tables = [each.text for each in self.tables]
        judged = [text_of(title, self.findings)] if self.findings else []
        out = [f"{name} is left out: {reason}" for name, reason in self.left_out.items()]
        return "\n\n".join([*tables, *judged, *self.notes, *out])


#: What the parts of a suite give.
Found: TypeAlias = Section | list[Finding]


def section_of(found: Found) -> Section:
    return found if isinstance(found, Section) else Section(findings=found)
