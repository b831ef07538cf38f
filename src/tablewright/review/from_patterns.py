"""Typed patterns as the rules read them; writes by what their sample calls would send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any, cast

from tablewright.model import writes
from tablewright.model.definition import EntityDef, definition
from tablewright.model.expressions.conditions import render
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.keys import BoundKey, KeyPart
from tablewright.model.ops import (
    Batch,
    Check,
    Delete,
    Get,
    Op,
    Put,
    Transaction,
    Update,
)
from tablewright.model.pattern import Member, Pattern
from tablewright.review import design as plain
from tablewright.review.design import Begins, Between, KeyTerm, Kind
from tablewright.values import AttributeValue

#: Model names of entities, by the identity of their definitions.
Named = Mapping[int, str]
_KINDS: dict[str, Kind] = {
    "get": "get",
    "query": "query",
    "find": "query",
    "collect": "query",
    "count": "count",
    "scan": "scan",
    "total": "batch_get",
    "put": "put",
    "update": "update",
    "delete": "delete",
    "transaction": "transaction",
}
#: Requests are made for this moment; nothing in a review depends on it.
_NOW = 1_800_000_000.0


#: Values of each type, to find one that a parameter takes.
_TRIALS: tuple[object, ...] = (
    "x",
    1,
    True,
    b"x",
    datetime(2026, 1, 1, tzinfo=UTC),
    date(2026, 1, 1),
    "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "00000000-0000-4000-8000-000000000000",
)


class _OpenPlaceholders(Placeholders):
    """Placeholders of a filter as it is declared, before a call gives the arguments."""

    def parameter(self, name: str, encode: Callable[[object], AttributeValue | None]) -> str:
        for trial in _TRIALS:
            with suppress(Exception):
                value = encode(trial)
                if value is not None:
                    self.values[f":{name}"] = value
                    break
        return f":{name}"


def pattern_of(pattern: Pattern[..., Any], call: Op[Any] | None, named: Named) -> plain.Pattern:
    """One pattern; ``call`` is its sample call, if there is one."""
    entities = [named.get(id(each), each.name) for each in pattern.entities]
    single = pattern.kind not in ("transaction", "batch")
    made = plain.Pattern(
        pattern.name,
        _kind(pattern),
        entity=entities[0] if entities and single else None,
        also=tuple(entities[1:]) if single else (),
        index=None if pattern.index is None else pattern.index.name,
        key={} if pattern.key is None else _terms(pattern, pattern.key),
        reads=_reads(pattern),
        hydrate=pattern.hydrate,
        consistent=pattern.consistent,
        paged=True,
        retries_unprocessed=True,
        # Who says expired=True has decided.
        drops_expired=True,
        descending=pattern.descending,
        limit=pattern.limit,
        rate=None if pattern.rate is None else pattern.rate.average,
        peak=None if pattern.rate is None else pattern.rate.peak,
        expect=pattern.expect,
        item_size=pattern.item_size,
        hottest=pattern.hottest,
        order=_attribute_of(pattern, pattern.order),
        filter_keeps=pattern.filter_keeps,
        fresh=pattern.fresh,
        idempotent=pattern.idempotent,
        component=pattern.component,
        admin=pattern.admin,
        doc=pattern.doc,
        **_filter(pattern),
    )
    if not pattern.members:
        return made
    members = _called(call, named) or tuple(_opaque(each, named) for each in pattern.members)
    if single:
        return _with_own(made, members[0])
    return replace(made, members=members)


def _kind(pattern: Pattern[..., Any]) -> Kind:
    if pattern.kind == "write":
        return _KINDS[pattern.members[0].kind]
    if pattern.kind == "batch":
        return "batch_write" if pattern.writes else "batch_get"
    return _KINDS[pattern.kind]


def _with_own(made: plain.Pattern, member: plain.Pattern) -> plain.Pattern:
    """A pattern of one write: what the write says, under the pattern's name."""
    own = (
        "update",
        "condition",
        "names",
        "values",
        "key",
        "called_key",
        "sets",
        "new",
        "existing",
        "whole",
        "in_hand",
        "opaque",
    )
    return replace(made, **{name: getattr(member, name) for name in own})


# --- reads ---------------------------------------------------------------------------------------


def _attribute_of(pattern: Pattern[..., Any], field: str | None) -> str | None:
    return None if field is None else _attributes(pattern).get(field, field)


def _filter(pattern: Pattern[..., Any]) -> dict[str, Any]:
    """The filter as the request has it, with a placeholder for each parameter."""
    if pattern.filter is None:
        return {}
    holders = _OpenPlaceholders()
    text = render(pattern.filter, holders)
    return {"filter": text, "names": holders.names, "values": holders.values}


def _terms(pattern: Pattern[..., Any], key: BoundKey) -> dict[str, KeyTerm]:
    """The key condition as its parameters make it."""
    given = {
        name
        for name, parameter in pattern.parameters.items()
        if parameter.default is parameter.empty
    }
    attribute = _attributes(pattern)
    terms: dict[str, KeyTerm] = {
        part.attribute.name: _prefix(part, None, attribute)[0] for part in key.partition
    }
    # A collection is the whole partition.
    for part in key.sort if pattern.kind != "collect" else ():
        text, whole = _prefix(part, given, attribute)
        if whole:
            terms[part.attribute.name] = text
            continue
        if pattern.range is not None and pattern.range.field in part.fields:
            terms[part.attribute.name] = Between(text, text)
        elif text:
            terms[part.attribute.name] = Begins(text)
        break
    return terms


def _attributes(pattern: Pattern[..., Any]) -> dict[str, str]:
    known = pattern.entities[0]
    return {name: each.attribute for name, each in known.fields.items()}


def _prefix(
    part: KeyPart, given: set[str] | None, attribute: Mapping[str, str]
) -> tuple[str, bool]:
    """The template up to the first component that is not given, and whether that is all of it."""
    texts: list[str] = []
    for piece in part.pieces:
        if isinstance(piece, str):
            texts.append(piece)
        elif given is None or piece.field in given:
            texts.append(f"{{{attribute.get(piece.field, piece.field)}}}")
        else:
            return "".join(texts), False
    return "".join(texts), True


def _reads(pattern: Pattern[..., Any]) -> tuple[str, ...] | str | None:
    """The attributes that it asks for, without those that every projection has."""
    if pattern.kind not in ("get", "query", "find", "scan", "collect"):
        return None
    if pattern.projection is None:
        return "*"
    entity = pattern.entities[0]
    added = {each.name for each in entity.table.primary()}
    added |= {entity.table.discriminator or "", entity.table.ttl or ""}
    return tuple(name for name in pattern.projection if name not in added)


# --- writes --------------------------------------------------------------------------------------


def _opaque(member: Member, named: Named) -> plain.Pattern:
    entity = None if member.entity is None else named.get(id(member.entity), member.entity.name)
    return plain.Pattern("", cast(Kind, member.kind), entity, opaque=True)


def _called(call: Op[Any] | None, named: Named) -> tuple[plain.Pattern, ...]:
    """The members of a sample call, each as the request it becomes."""
    if isinstance(call, Put | Update | Delete):
        return (_write(call, named),)
    if isinstance(call, Transaction | Batch):
        return tuple(
            _get(member, named) if isinstance(member, Get) else _write(member, named)
            for member in call.members
            if isinstance(member, Get | Put | Update | Delete | Check)
        )
    return ()


def _get(op: Get[Any], named: Named) -> plain.Pattern:
    entity = op.reader if isinstance(op.reader, EntityDef) else None
    name = op.reader.name if entity is None else named.get(id(entity), entity.name)
    known = entity or getattr(op.reader, "entity", None)
    return plain.Pattern(
        "",
        "get",
        name,
        consistent=op.consistent,
        key=_templates(known) if isinstance(known, EntityDef) else {},
        called_key=_texts(op.key),
    )


def _write(op: writes.Write, named: Named) -> plain.Pattern:
    known = definition(op.entity) if isinstance(op, Put) else op.definition
    entity = named.get(id(known), known.name)
    stored = None if writes.must_read(op) else writes.UNREAD
    try:
        action = writes.actions(op, _NOW, stored)[0]
    except Exception:
        # A call that cannot be made into a request is for the tests of the model to find.
        return plain.Pattern("", _write_kind(op), entity, opaque=True)
    body = action.body
    primary = {each.name for each in known.table.primary()}
    key = {name: value for name, value in _whole(body).items() if name in primary}
    return plain.Pattern(
        "",
        _write_kind(op),
        entity,
        key=_templates(known),
        called_key=_texts(key),
        update=body.get("UpdateExpression"),
        condition=body.get("ConditionExpression"),
        names=body.get("ExpressionAttributeNames", {}),
        values=body.get("ExpressionAttributeValues", {}),
        sets=tuple(body.get("Item", ())),
        new=isinstance(op, Put) and op.mode == "new",
        whole=isinstance(op, Put) and op.mode != "new",
        in_hand=isinstance(op, Put)
        and any(op.entity is value for value in (op.called_with or {}).values()),
        existing=isinstance(op, Update) and not op.create,
    )


def _whole(body: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body.get("Item") or body.get("Key") or {}
    return found


def _templates(known: EntityDef[Any]) -> dict[str, KeyTerm]:
    """The key that every item of the entity has, by attribute: what one call has is a sample."""
    attribute = {name: each.attribute for name, each in known.fields.items()}
    return {
        part.attribute.name: _prefix(part, None, attribute)[0]
        for part in (*known.primary.partition, *known.primary.sort)
    }


def _texts(key: Mapping[str, Any]) -> dict[str, str]:
    """Key values as literal texts."""
    return {name: str(next(iter(value.values()))) for name, value in key.items()}


def _write_kind(op: writes.Write) -> Kind:
    if isinstance(op, Put):
        return "put"
    if isinstance(op, Update):
        return "update"
    return "delete" if isinstance(op, Delete) else "check"
