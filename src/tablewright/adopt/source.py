"""A draft as Python source: tables as they are, and entities with raw keys."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tablewright import model
from tablewright.adopt.drafts import EntityDraft, FieldDraft, TableDraft
from tablewright.adopt.layout import WIDTH, Argument, Bracketed, call, quoted, raw_quoted, told
from tablewright.adopt.naming import key_name, table_name
from tablewright.adopt.patterns import patterns_of
from tablewright.deploy.state import MAX_DAYS, IndexState, TableState
from tablewright.model.table import Billing, KeyAttribute, OnDemand, Provisioned

_STANDARD = {
    "datetime": ("date", "datetime"),
    "decimal": ("Decimal",),
    "typing": ("Annotated", "Any", "Literal"),
}


def source_of(name: str, tables: Sequence[TableDraft]) -> str:
    """A module that declares the model."""
    taken = {entity.name for table in tables for entity in table.entities}
    parts: list[str] = []
    for table in tables:
        variable = table_name(table.state.name, taken)
        taken.add(variable)
        parts.append("\n".join(_table(table, variable)))
        for entity in table.entities:
            parts.append("\n".join(_entity(table, entity, variable)))
    for table in tables:
        for entity in table.entities:
            parts += ["\n".join(lines) for lines in patterns_of(table, entity, taken)]
    # One blank line between the tables of a model without entities, two around definitions.
    last = f"model = Model({quoted(name)}, __name__)"
    body = "\n\n\n".join(parts)
    whole = (
        f"{body}\n\n\n{last}" if any(table.entities for table in tables) else f"{body}\n\n{last}"
    )
    return f"{_head(name, tables, whole)}\n\n{whole}\n"


def _head(name: str, tables: Sequence[TableDraft], body: str) -> str:
    names = ", ".join(table.state.name for table in tables)
    lines = [
        f'"""The model {told(name)}, as the items of {told(names)} show it.',
        "",
        "Keys are raw: they stay as they were written. Add rates to the patterns, and patterns for",
        "what your application asks.",
        '"""',
        "",
    ]
    # A field may be called like something that is not used.
    nodes = ast.walk(ast.parse(body))
    used = {
        each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }
    standard = [
        f"from {module} import {', '.join(each for each in names if each in used)}"
        for module, names in _STANDARD.items()
        if used.intersection(names)
    ]
    own = sorted(used.intersection(model.__all__), key=lambda each: (each[0].islower(), each))
    lines += [*standard, ""] if standard else []
    one = f"from tablewright.model import {', '.join(own)}"
    if len(one) <= WIDTH:
        return "\n".join([*lines, one])
    listed = [f"    {each}," for each in own]
    return "\n".join([*lines, "from tablewright.model import (", *listed, ")"])


# --- tables --------------------------------------------------------------------------------------


def _table(table: TableDraft, variable: str) -> Iterator[str]:
    state = table.state
    for text in table.said:
        yield f"# {told(text)}"
    yield f"{variable} = Table("
    yield f"    {quoted(state.name)},"
    yield f"    pk={_attribute(state.key[0])},"
    if len(state.key) > 1:
        yield f"    sk={_attribute(state.key[1])},"
    if state.indexes:
        yield "    indexes=["
        for index in state.indexes.values():
            yield from call("Index(", _index(index, table), "        ", ",")
        yield "    ],"
    tells = table.discriminator
    yield f"    discriminator={quoted(tells) if tells else None},"
    if table.delimiter != "#":
        yield f"    delimiter={quoted(table.delimiter)},"
    yield from _settings(state)
    yield ")"


def _settings(state: TableState) -> Iterator[str]:
    if state.ttl is not None:
        yield f"    ttl={quoted(state.ttl)},"
    if state.billing != OnDemand():
        yield f"    billing={_billing(state.billing)},"
    if state.stream is not None:
        yield f"    stream={quoted(state.stream)},"
    if state.pitr is not None:
        yield f"    pitr={True if state.pitr == MAX_DAYS else state.pitr},"
    tags = {key: value for key, value in state.tags.items() if not key.startswith("aws:")}
    if tags:
        pairs = [f"{quoted(key)}: {quoted(value)}" for key, value in tags.items()]
        yield from call("tags={", pairs, "    ", ",", "}")
    if state.table_class != "STANDARD":
        yield f"    table_class={quoted(state.table_class)},"
    if state.protected:
        yield "    deletion_protection=True,"


def _attribute(attribute: KeyAttribute) -> str:
    kind = {"N": "Number", "B": "Binary"}.get(attribute.type)
    return f"{kind}({quoted(attribute.name)})" if kind else quoted(attribute.name)


def _several(attributes: Sequence[KeyAttribute]) -> str:
    texts = [_attribute(each) for each in attributes]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _index(index: IndexState, table: TableDraft) -> list[Argument]:
    arguments: list[Argument] = [quoted(index.name)]
    if not index.local:
        arguments.append(f"pk={_several(index.partition)}")
    if index.sort:
        arguments.append(f"sk={_several(index.sort)}")
    if index.local:
        arguments.append("local=True")
    if index.projection == "KEYS_ONLY":
        arguments.append("keys_only=True")
    elif index.projection == "INCLUDE":
        # The table adds what tells its entities apart by itself.
        held = sorted(map(quoted, index.include - {table.discriminator}))
        arguments.append(Bracketed("include=(", held, ")"))
    if index.billing is not None and index.billing != table.state.billing:
        arguments.append(f"billing={_billing(index.billing)}")
    return arguments


def _billing(billing: Billing) -> str:
    if isinstance(billing, Provisioned):
        return f"Provisioned({billing.read_units}, {billing.write_units})"
    limits = {"max_read_units": billing.max_read_units, "max_write_units": billing.max_write_units}
    given = (f"{name}={limit}" for name, limit in limits.items() if limit is not None)
    return f"OnDemand({', '.join(given)})"


# --- entities ------------------------------------------------------------------------------------


def _entity(table: TableDraft, entity: EntityDraft, variable: str) -> Iterator[str]:
    yield f"class {entity.name}("
    yield "    Entity,"
    yield f"    table={variable},"
    yield "    keys={"
    yield from call('"primary": Key(', _primary(table, entity), "        ", ",")
    for name, when in entity.indexes.items():
        index = table.state.indexes[name]
        arguments = _key(index, entity, when)
        yield from call(f"{quoted(key_name(name))}: Key(", arguments, "        ", ",")
    yield "    },"
    if table.discriminator is not None and entity.type != entity.name:
        yield f"    type={quoted(entity.type)},"
    yield "):"
    yield f'    """{_sureness(entity)}"""'
    yield ""
    if entity.said:
        yield f"    # Keys, as the file has them: {told(entity.said)}"
    for field in entity.fields:
        yield from _field(field)
    for name in entity.undeclared:
        yield f"    # {told(name)} is not declared: it holds more than one type says. It is kept."


def _sureness(entity: EntityDraft) -> str:
    count = len(entity.items)
    return f"Found in {count} sampled item{'' if count == 1 else 's'}." if count else "No samples."


def _primary(table: TableDraft, entity: EntityDraft) -> list[str]:
    names = [each.name for each in table.state.key]
    return [*(quoted(entity.text(name)) for name in names), *_raw(entity, names)]


def _key(
    index: IndexState, entity: EntityDraft, when: tuple[str, tuple[str, ...]] | None
) -> list[Argument]:
    sides = [index.sort] if index.local else [side for side in index.keys if side]
    arguments: list[Argument] = [_templates(entity, side) for side in sides]
    arguments.append(f"on={quoted(index.name)}")
    if when is not None:
        attribute, values = when
        start, end = ("{", "}}") if len(values) > 1 else ("", "}")
        head = f"when={{{quoted(entity.field(attribute).name)}: {start}"
        arguments.append(Bracketed(head, list(map(quoted, values)), end))
    return [*arguments, *_raw(entity, [each.name for side in index.keys for each in side])]


def _raw(entity: EntityDraft, names: Sequence[str]) -> list[str]:
    """Attributes that are fields themselves are stored as they are anyway."""
    return ["raw=True"] if any(name in entity.templates for name in names) else []


def _templates(entity: EntityDraft, side: Sequence[KeyAttribute]) -> str:
    texts = [quoted(entity.text(each.name)) for each in side]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _field(field: FieldDraft) -> Iterator[str]:
    kind, default = _kind(field), ""
    if field.optional:
        is_set = field.kind.annotation.startswith("set[")
        default = " = Field(default_factory=set)" if is_set else " = None"
    marks: list[Argument] = []
    if field.name != field.attribute:
        marks.append(f"Attribute({quoted(field.attribute)})")
    if field.shape:
        marks.append(f"Shaped({raw_quoted(field.shape)})")
    if field.personal:
        marks.append("Personal()")
    if marks:
        yield from call(f"{field.name}: Annotated[", [kind, *marks], "    ", default, "]")
    elif isinstance(kind, str):
        yield f"    {field.name}: {kind}{default}"
    else:
        head, tail = f"{field.name}: {kind.head}", f"{kind.tail}{default}"
        yield from call(head, kind.arguments, "    ", tail, "]")


def _kind(field: FieldDraft) -> Argument:
    """The type of a field; an empty set is one that is absent, and needs no None."""
    may_be_none = field.optional and not field.kind.annotation.startswith("set[")
    none = " | None" if may_be_none else ""
    if field.kind.members:
        return Bracketed("Literal[", list(map(quoted, field.kind.members)), "]", none)
    return f"{field.annotation}{none}"
