"""A system's model, as pages show it: tables, entities, patterns, and the requests these make.

Everything comes from the model itself and its demo; the texts are those of its document
(:mod:`tablewright.document`), in which code stands between backticks.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import orjson

from tablewright.console.explorer.findings import Reviewed, facts_of, suppressions_of
from tablewright.console.explorer.items import SampleItems
from tablewright.document.entities import entities_of, templates, when_text
from tablewright.document.fields import descriptions, limits_text, type_text
from tablewright.document.patterns import (
    consistency_text,
    place_text,
    rate_text,
    reading_text,
    told,
)
from tablewright.document.tables import attribute_text, billing_text, projection_text
from tablewright.model.definition import EntityDef
from tablewright.model.demo import Demo
from tablewright.model.explain import requests_of
from tablewright.model.model import Model
from tablewright.model.pattern import Pattern
from tablewright.model.table import Table
from tablewright.plan.loads import Load, loads_of
from tablewright.review import Suppression
from tablewright.review.beside import Fact
from tablewright.service.system import System

AnyPattern = Pattern[..., Any]


@dataclass(frozen=True)
class KeyView:
    """One key of an entity."""

    name: str
    on: str
    partition: str
    sort: str
    when: str


@dataclass(frozen=True)
class AttributeView:
    """One attribute of an entity."""

    name: str
    type: str
    required: bool
    limits: str
    about: str


@dataclass(frozen=True)
class EntityView:
    """An entity, and the patterns that touch it."""

    name: str
    table: str
    about: str
    keys: tuple[KeyView, ...]
    attributes: tuple[AttributeView, ...]
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class TableView:
    """A table with what is in it."""

    name: str
    facts: tuple[tuple[str, str], ...]
    #: Name, kind, key, what it holds.
    indexes: tuple[tuple[str, str, str, str], ...]
    entities: tuple[EntityView, ...]


@dataclass(frozen=True)
class RequestView:
    """A request of the demo call, as it goes over the wire."""

    operation: str
    body: str


@dataclass(frozen=True)
class PatternView:
    """A pattern, with what one call of it uses."""

    name: str
    kind: str
    about: str
    doc: str
    writes: bool
    place: str
    condition: str
    consistency: str
    rate: str
    component: str
    entities: tuple[str, ...]
    #: Name and type.
    parameters: tuple[tuple[str, str], ...]
    read_units: float
    write_units: float
    #: How the units were found: measured, scaled, estimated.
    basis: str


class Explorer:
    """The views of one model; made when somebody first looks."""

    def __init__(
        self,
        model: Model,
        demo: Demo | None = None,
        suppressions: Sequence[Suppression] = (),
        facts: Sequence[Fact] = (),
    ) -> None:
        self.model = model
        self.samples = SampleItems(model, demo)
        self._demo = demo
        self._suppressions = suppressions
        self._facts = facts

    @classmethod
    def of(cls, system: System) -> Explorer:
        return cls(system.model, demo_of(system), suppressions_of(system), facts_of(system))

    @property
    def has_demo(self) -> bool:
        return self._demo is not None

    @cached_property
    def reviewed(self) -> Reviewed:
        return Reviewed(self.model, self._demo, self._suppressions, self._facts)

    @cached_property
    def loads(self) -> Mapping[str, Load]:
        """What one call of each pattern is planned to use."""
        demo = self._demo
        items = () if demo is None else demo.items
        calls = {} if demo is None else demo.calls
        now = None if demo is None or demo.now is None else demo.now.timestamp()
        return {each.pattern: each for each in loads_of(self.model, items, calls, now=now)}

    @cached_property
    def tables(self) -> tuple[TableView, ...]:
        return tuple(
            TableView(
                each.name,
                _table_facts(each),
                _indexes(each),
                tuple(self.entities[known.cls.__name__] for known in entities_of(self.model, each)),
            )
            for each in self.model.tables.values()
        )

    @cached_property
    def entities(self) -> Mapping[str, EntityView]:
        return {name: self._entity(each) for name, each in self.model.entities.items()}

    @cached_property
    def patterns(self) -> Mapping[str, PatternView]:
        return {name: self._pattern(each) for name, each in self.model.patterns.items()}

    def arguments(self, pattern: str) -> Mapping[str, object] | None:
        """What the demo calls a pattern with; None if there is no such call."""
        op = None if self._demo is None else self._demo.calls.get(pattern)
        return None if op is None else op.called_with

    def requests(self, pattern: str) -> Sequence[RequestView]:
        """What the demo call of a pattern sends; nothing if there is no such call."""
        op = None if self._demo is None else self._demo.calls.get(pattern)
        if op is None:
            return ()
        now = self._demo.now.timestamp() if self._demo and self._demo.now else None
        return [
            RequestView(operation, orjson.dumps(body, option=orjson.OPT_INDENT_2).decode())
            for operation, body in requests_of(op, now)
        ]

    def _entity(self, known: EntityDef[Any]) -> EntityView:
        name = known.cls.__name__
        using = (each for each in self.model.patterns.values() if known in each.entities)
        return EntityView(
            name=name,
            table=known.table.name,
            about=inspect.cleandoc(known.cls.__dict__.get("__doc__") or ""),
            keys=_keys(known),
            attributes=_attributes(known),
            patterns=tuple(each.name for each in using),
        )

    def _pattern(self, pattern: AnyPattern) -> PatternView:
        load = self.loads[pattern.name]
        return PatternView(
            name=pattern.name,
            kind=pattern.kind,
            about=told(pattern),
            doc=pattern.doc,
            writes=pattern.writes,
            place=place_text(pattern),
            condition="" if pattern.members else reading_text(pattern),
            consistency="" if pattern.writes else consistency_text(pattern),
            rate=rate_text(pattern.rate),
            component=pattern.component or "",
            entities=tuple(each.cls.__name__ for each in pattern.entities),
            parameters=_parameters(pattern),
            read_units=load.units.reads,
            write_units=load.units.writes,
            basis=load.basis,
        )


def demo_of(system: System) -> Demo | None:
    """The demo that lies beside a system's model, if it has one."""
    name = f"tablewright.systems.{system.name}.demo"
    try:
        if importlib.util.find_spec(name) is None:
            return None
    except ModuleNotFoundError:
        return None
    made: object = importlib.import_module(name).demo()
    return made if isinstance(made, Demo) else None


def _table_facts(each: Table) -> tuple[tuple[str, str], ...]:
    sort = attribute_text(each.sk) if each.sk else "none"
    recovery = "35 days" if each.pitr is True else f"{each.pitr} days" if each.pitr else "off"
    return (
        ("Partition key", attribute_text(each.pk)),
        ("Sort key", sort),
        ("Billing", billing_text(each.billing)),
        ("Time to live", f"`{each.ttl}`" if each.ttl else "none"),
        ("Stream", (each.stream or "none").replace("_", " ").lower()),
        ("Point-in-time recovery", recovery),
    )


def _indexes(each: Table) -> tuple[tuple[str, str, str, str], ...]:
    return tuple(
        (
            index.name,
            "local" if index.local else "global",
            ", ".join(attribute_text(part) for part in (*index.partition, *index.sort)),
            projection_text(each, index),
        )
        for index in each.indexes.values()
    )


def _keys(known: EntityDef[Any]) -> tuple[KeyView, ...]:
    return tuple(
        KeyView(
            key.name,
            known.table.name if key.index is None else key.index.name,
            *templates(key),
            when_text(known, key),
        )
        for key in known.keys.values()
    )


def _attributes(known: EntityDef[Any]) -> tuple[AttributeView, ...]:
    said = descriptions(known)
    return tuple(
        AttributeView(
            field.attribute,
            type_text(field),
            not field.optional,
            limits_text(field),
            said.get(name, ""),
        )
        for name, field in known.fields.items()
    )


def _parameters(pattern: AnyPattern) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, _type_text(each.annotation)) for each in pattern.parameters.values())


def _type_text(annotation: object) -> str:
    """A type as its author wrote it, without modules and marks."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_text(inner[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_type_text, inner))
    if origin is Literal:
        return " | ".join(map(repr, inner))
    if origin is not None and inner:
        return f"{_type_text(origin)}[{', '.join(map(_type_text, inner))}]"
    if annotation in (None, type(None)):
        return "None"
    return getattr(annotation, "__name__", None) or (
        "..." if annotation is ... else str(annotation)
    )
