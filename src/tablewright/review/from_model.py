"""A typed model as a design: what it declares, and what its sample calls would send."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from tablewright.model.definition import EntityDef, definition
from tablewright.model.demo import Demo
from tablewright.model.facts import CopyOf, CountOf, RefersTo, Secret
from tablewright.model.fields import FieldDef
from tablewright.model.keys import BoundKey, KeyPart
from tablewright.model.model import Model
from tablewright.model.table import Index, KeyAttribute, Provisioned, Table
from tablewright.model.tables import include_of
from tablewright.model.types import Personal, Shaped, Stored, UlidMark, UuidMark
from tablewright.review import design as plain
from tablewright.review.beside import FACTS, Fact
from tablewright.review.deductions import deduce
from tablewright.review.design import Design
from tablewright.review.from_patterns import pattern_of
from tablewright.review.sample_calls import sample_call


def design_of(
    model: Model,
    demo: Demo | None = None,
    suppressions: Sequence[plain.Suppression] = (),
    facts: Sequence[Fact] = (),
) -> Design:
    """Return the model as the rules read it.

    A write is judged by its sample call in the demo; without one, by a call with made-up arguments.
    ``facts`` are what the author states beside the model: limits, flows, permissions, alarms.
    """
    calls = {} if demo is None else demo.calls
    items = () if demo is None else demo.items
    names = {id(known): name for name, known in model.entities.items()}
    return deduce(
        Design(
            model.name,
            tables=tuple(map(_table, model.tables.values())),
            entities=tuple(_entity(name, known) for name, known in model.entities.items()),
            patterns=tuple(
                pattern_of(each, calls.get(each.name) or sample_call(each), names)
                for each in model.patterns.values()
            ),
            samples=tuple(
                plain.Sample(names[id(known)], known.encode(item))
                for item in items
                if id(known := definition(item)) in names
            ),
            suppressions=tuple(suppressions),
            aliased=True,
            **_sorted(facts),
        )
    )


def _sorted(facts: Sequence[Fact]) -> dict[str, Any]:
    """The facts by the part of the design that holds them."""
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(FACTS[type(fact)], []).append(fact)
    return {name: tuple(group) for name, group in found.items()}


# --- tables --------------------------------------------------------------------------------------


def _table(table: Table) -> plain.Table:
    bought = table.billing if isinstance(table.billing, Provisioned) else None
    return plain.Table(
        table.name,
        pk=_names((table.pk,)),
        sk=None if table.sk is None else _names((table.sk,)),
        indexes=tuple(_index(table, each) for each in table.indexes.values()),
        ttl=table.ttl,
        billing="on-demand" if bought is None else "provisioned",
        read_units=None if bought is None else bought.read_units,
        write_units=None if bought is None else bought.write_units,
        pitr=table.pitr,
        deletion_protection=table.deletion_protection,
        discriminator=table.discriminator,
        delimiter=table.delimiter,
        stream=table.stream,
        table_class=table.table_class,
    )


def _index(table: Table, index: Index) -> plain.Index:
    billing = index.billing or table.billing
    bought = billing if isinstance(billing, Provisioned) and not index.local else None
    included: plain.Projection = "ALL" if index.projection == "ALL" else "KEYS_ONLY"
    return plain.Index(
        index.name,
        pk=None if index.local else _names(index.partition),
        sk=_names(index.sort) if index.sort else None,
        projection=include_of(table, index) if index.projection == "INCLUDE" else included,
        local=index.local,
        read_units=None if bought is None else bought.read_units,
        write_units=None if bought is None else bought.write_units,
    )


def _names(attributes: Sequence[KeyAttribute]) -> tuple[str, ...]:
    return tuple(f"{each.name}:{each.type}" for each in attributes)


# --- entities ------------------------------------------------------------------------------------


def _entity(name: str, known: EntityDef[Any]) -> plain.Entity:
    return plain.Entity(
        name,
        known.table.name,
        keys=tuple(_key(each, known) for each in known.keys.values()),
        attributes=tuple(map(_attribute, known.fields.values())),
        unique=tuple(
            plain.Unique(
                tuple(known.fields[field].attribute for field in each.fields),
                lock=" / ".join(part.template.text for part in each.key.parts),
            )
            for each in known.uniques
        ),
        version=None if known.version is None else known.version.attribute,
        ttl=None if known.ttl is None else known.ttl.attribute,
        append_only=known.facts.append_only,
        expected=known.facts.expected,
        per_partition=known.facts.per_partition,
        retention=(
            None
            if known.facts.retention_days is None
            else plain.Retention(known.facts.retention_days)
        ),
    )


def _key(key: BoundKey, known: EntityDef[Any]) -> plain.Key:
    local = key.index is not None and key.index.local
    pieces = [piece for part in key.parts for piece in part.pieces if not isinstance(piece, str)]
    attribute = {name: each.attribute for name, each in known.fields.items()}
    return plain.Key(
        None if local else tuple(template_of(part, known) for part in key.partition),
        tuple(template_of(part, known) for part in key.sort) or None,
        on=None if key.index is None else key.index.name,
        name=key.name,
        escaped=not key.key.raw,
        when={attribute[name]: tuple(values) for name, values in key.when.items()},
        # Free text is escaped: all that can be said of it is that it holds no delimiter.
        shapes={
            attribute[piece.field]: piece.encoder.pattern
            for piece in pieces
            if piece.encoder.alphabet is not None or piece.encoder.width or piece.encoder.shaped
        },
        unordered=tuple(attribute[p.field] for p in pieces if not p.encoder.ordered),
    )


def template_of(part: KeyPart, known: EntityDef[Any]) -> str:
    """The template with attribute names in the place of field names."""
    return "".join(
        piece
        if isinstance(piece, str)
        else f"{{{known.fields[piece.field].attribute}{':' * bool(piece.spec)}{piece.spec}}}"
        for piece in part.template.pieces
    )


def _attribute(known: FieldDef) -> plain.Attribute:
    kind = known.storage.kind
    most = _limit(known, "max_length")
    collection = kind in ("L", "M", "SS", "NS", "BS")
    return plain.Attribute(
        known.attribute,
        "" if kind == "ANY" else kind,
        # An empty set is no attribute.
        required=not known.optional and not known.has_default and not known.storage.empties,
        default=known.has_default and not known.optional and not known.storage.empties,
        format=_format(known),
        pattern=_pattern(known),
        max_length=None if collection else most,
        max_items=most if collection else None,
        values=tuple(_values(known)),
        personal=any(isinstance(mark, Personal) for mark in known.metadata),
        secret=next((mark.stored for mark in known.metadata if isinstance(mark, Secret)), ""),
        copy_of=next((mark.source for mark in known.metadata if isinstance(mark, CopyOf)), None),
        snapshot=any(isinstance(mark, CopyOf) and mark.snapshot for mark in known.metadata),
        refers=next((mark.target for mark in known.metadata if isinstance(mark, RefersTo)), None),
        counts=next((mark.entity for mark in known.metadata if isinstance(mark, CountOf)), None),
        distinct=_distinct(known),
        python="float" if known.annotation is float else "",
    )


def _distinct(known: FieldDef) -> float | None:
    """How many values a whole number within declared limits can have."""
    if known.annotation is not int:
        return None
    lows = _bounds(known, "ge")
    highs = _bounds(known, "le")
    return max(highs) - min(lows) + 1 if lows and highs else None


def _bounds(known: FieldDef, name: str) -> list[int]:
    found = [getattr(mark, name, None) for mark in known.metadata]
    return [bound for bound in found if isinstance(bound, int)]


def _format(known: FieldDef) -> str | None:
    for mark in known.metadata:
        if isinstance(mark, UlidMark):
            return "ulid"
        if isinstance(mark, UuidMark):
            return "uuid"
        if isinstance(mark, Stored):
            return mark.form
    if known.annotation is datetime:
        return "iso_micros"
    return "date" if known.annotation is date else None


def _pattern(known: FieldDef) -> str | None:
    for mark in known.metadata:
        found = mark.pattern if isinstance(mark, Shaped) else getattr(mark, "pattern", None)
        if isinstance(found, str):
            return found
    return None


def _limit(known: FieldDef, name: str) -> int | None:
    found = [getattr(mark, name, None) for mark in known.metadata]
    limits = [limit for limit in found if isinstance(limit, int)]
    return min(limits, default=None)


def _values(known: FieldDef) -> Iterator[object]:
    core = known.annotation
    if get_origin(core) is Literal:
        yield from get_args(core)
    elif isinstance(core, type) and issubclass(core, Enum):
        yield from (member.value for member in core)
