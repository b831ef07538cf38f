"""The whole design, sorted from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tablewright.review.design.entities import Entity
from tablewright.review.design.patterns import Flow, Pattern
from tablewright.review.design.sayings import Alarm, Figure, Limit, Permission, Sample, Suppression
from tablewright.review.design.tables import Definition, Table

Part: TypeAlias = (
    Table
    | Definition
    | Entity
    | Pattern
    | Flow
    | Limit
    | Sample
    | Figure
    | Permission
    | Alarm
    | Suppression
)


@dataclass(frozen=True)
class Design:
    """Everything that is said about one system."""

    name: str
    tables: Sequence[Table] = ()
    definitions: Sequence[Definition] = ()
    entities: Sequence[Entity] = ()
    patterns: Sequence[Pattern] = ()
    flows: Sequence[Flow] = ()
    limits: Sequence[Limit] = ()
    samples: Sequence[Sample] = ()
    figures: Sequence[Figure] = ()
    permissions: Sequence[Permission] = ()
    alarms: Sequence[Alarm] = ()
    suppressions: Sequence[Suppression] = ()
    #: Attributes that every entity is said to have.
    common: Sequence[str] = ()
    #: Every name in an expression is a placeholder, as the typed layer does it.
    aliased: bool = False
    #: Who writes an entity is known: the design has its write patterns, or says there are none.
    writes_declared: bool = True

    @classmethod
    def of(cls, name: str, *parts: Part, **rest: Any) -> Design:
        """A design of these parts, each put where it belongs."""
        sorted_parts: dict[str, list[Part]] = {}
        for part in parts:
            sorted_parts.setdefault(_PLACES[type(part)], []).append(part)
        given: dict[str, Any] = {**sorted_parts, **rest}
        return cls(name, **given)

    def table(self, name: str | None) -> Table | None:
        """The table of that name."""
        return next((each for each in self.tables if each.name == name), None)

    def entity(self, name: str | None) -> Entity | None:
        """The entity of that name."""
        return next((each for each in self.entities if each.name == name), None)

    def entities_of(self, table: str) -> Iterator[Entity]:
        """The entities of a table."""
        return (each for each in self.entities if each.table == table)

    def table_of(self, pattern: Pattern) -> Table | None:
        """The table that a pattern is about: the one it names, or its entity's."""
        if pattern.table is not None:
            return self.table(pattern.table)
        entity = self.entity(pattern.entity)
        return None if entity is None else self.table(entity.table)

    def samples_of(self, entity: str) -> Iterable[Sample]:
        """The sample items of an entity."""
        return (each for each in self.samples if each.entity == entity)


_PLACES: dict[type, str] = {
    Table: "tables",
    Definition: "definitions",
    Entity: "entities",
    Pattern: "patterns",
    Flow: "flows",
    Limit: "limits",
    Sample: "samples",
    Figure: "figures",
    Permission: "permissions",
    Alarm: "alarms",
    Suppression: "suppressions",
}
