"""A draft as Python source: tables, entities with raw keys, and the reads that the keys allow."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tablewright.deploy.templates.workbench.drafts import (
    Attribute,
    Draft,
    FacetDraft,
    IndexDraft,
    TableDraft,
    class_name,
    identifier,
    snake,
)

_TYPES = {
    "S": "str",
    "N": "Decimal",
    "int": "int",
    "B": "bytes",
    "BOOL": "bool",
    "SS": "set[str]",
    "NS": "set[Decimal]",
    "BS": "set[bytes]",
    "L": "list[Any]",
    "M": "dict[str, Any]",
    "NULL": "Any",
}
_SLOT = re.compile(r"\{([^{}:]+)(:[^{}]*)?\}")


def source_of(draft: Draft) -> str:
    """A module that declares the model."""
    names: set[str] = set()
    parts: list[str] = []
    for table in draft.tables:
        variable = identifier(f"{snake(table.name)}_table", names)
        names.add(variable)
        parts.append("\n".join(_table(table, variable)))
        for facet in table.facets:
            entity = class_name(facet.name, names)
            names.add(entity)
            parts.append("\n".join(_entity(table, facet, variable, entity)))
            for pattern in _patterns(table, facet, entity, names):
                parts.append("\n".join(pattern))
    model = f"model = Model({quoted(draft.name)}, __name__)"
    return "\n\n\n".join([_head(draft, parts), *parts, model]) + "\n"


def quoted(text: str | None) -> str:
    """A Python literal in double quotes."""
    return "None" if text is None else json.dumps(text, ensure_ascii=False)


def _told(text: str) -> str:
    """A text inside a docstring or a comment."""
    return " ".join(text.replace('"', "'").replace("\\", "/").split())


def _head(draft: Draft, parts: list[str]) -> str:
    text = "\n".join(parts)
    lines = [f'"""The model {_told(draft.name)}, read from NoSQL Workbench."""', ""]
    typing = [name for name in ("Annotated", "Any") if re.search(rf"\b{name}\b", text)]
    if "Decimal" in text:
        lines.append("from decimal import Decimal")
    if typing:
        lines.append(f"from typing import {', '.join(typing)}")
    if "Decimal" in text or typing:
        lines.append("")
    words = ["Attribute", "Binary", "Entity", "Index", "Key", "Model", "Number", "Provisioned"]
    used = [each for each in words if each == "Model" or re.search(rf"\b{each}\(|\b{each},", text)]
    used += ["Table", *(each for each in ("get", "query") if f"@{each}(" in text)]
    lines.append(f"from tablewright.model import {', '.join(used)}")
    return "\n".join(lines)


# --- tables --------------------------------------------------------------------------------------


def _table(table: TableDraft, variable: str) -> Iterator[str]:
    yield f"{variable} = Table("
    yield f"    {quoted(table.name)},"
    yield f"    pk={_key_attribute(table.pk)},"
    if table.sk is not None:
        yield f"    sk={_key_attribute(table.sk)},"
    if table.indexes:
        yield "    indexes=["
        for index in table.indexes:
            yield f"        {_index(index, table)},"
        yield "    ],"
    yield f"    discriminator={quoted(table.discriminator)},"
    if table.units is not None:
        yield f"    billing=Provisioned({table.units[0]}, {table.units[1]}),"
    yield ")"


def _key_attribute(attribute: Attribute) -> str:
    kind = {"N": "Number", "B": "Binary"}.get(attribute.type)
    return f"{kind}({quoted(attribute.name)})" if kind else quoted(attribute.name)


def _index(index: IndexDraft, table: TableDraft) -> str:
    arguments = [quoted(index.name)]
    if not index.local:
        arguments.append(f"pk={_several(index.partition)}")
    if index.sort:
        arguments.append(f"sk={_several(index.sort)}")
    if index.local:
        arguments.append("local=True")
    if index.projection == "KEYS_ONLY":
        arguments.append("keys_only=True")
    elif index.projection == "INCLUDE":
        held = tuple(name for name in index.include if name != table.discriminator)
        arguments.append(f"include=({', '.join(map(quoted, held))},)")
    return f"Index({', '.join(arguments)})"


def _several(attributes: tuple[Attribute, ...]) -> str:
    texts = [_key_attribute(each) for each in attributes]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


# --- entities ------------------------------------------------------------------------------------


def _entity(table: TableDraft, facet: FacetDraft, variable: str, entity: str) -> Iterator[str]:
    yield f"class {entity}("
    yield "    Entity,"
    yield f"    table={variable},"
    yield "    keys={"
    yield f'        "primary": Key({_primary(table, facet)}, raw=True),'
    for index in _own_indexes(table, facet):
        yield f"        {quoted(snake(index.name))}: Key({_index_key(table, facet, index)}),"
    yield "    },"
    if table.discriminator is not None:
        yield f"    type={quoted(facet.name)},"
    yield "):"
    if facet.said and (facet.pk is None or (table.sk is not None and facet.sk is None)):
        yield f"    # Keys, as the file has them: {_told(facet.said)}"
    yield from _fields(table, facet)


def _primary(table: TableDraft, facet: FacetDraft) -> str:
    names = _names(table, facet)
    sides = [(table.pk, facet.pk)] + ([] if table.sk is None else [(table.sk, facet.sk)])
    return ", ".join(
        quoted(_renamed(made, names) if made else f"{{{names[side.name]}}}") for side, made in sides
    )


def _renamed(template: str, names: dict[str, str]) -> str:
    return _SLOT.sub(lambda match: f"{{{names[match[1]]}{match[2] or ''}}}", template)


def _index_key(table: TableDraft, facet: FacetDraft, index: IndexDraft) -> str:
    names = _names(table, facet)

    def side(attributes: tuple[Attribute, ...]) -> str:
        texts = [quoted(_plain(table, facet, each, names)) for each in attributes]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    sides = [side(index.sort)] if index.local else [side(index.partition)]
    if index.sort and not index.local:
        sides.append(side(index.sort))
    return f"{', '.join(sides)}, on={quoted(index.name)}, raw=True"


def _plain(
    table: TableDraft, facet: FacetDraft, attribute: Attribute, names: dict[str, str]
) -> str:
    """The attribute itself; or the table's own template, where it is a key of the table too."""
    own = {table.pk.name: facet.pk}
    if table.sk is not None:
        own[table.sk.name] = facet.sk
    made = own.get(attribute.name)
    return _renamed(made, names) if made else f"{{{names[attribute.name]}}}"


def _own_indexes(table: TableDraft, facet: FacetDraft) -> list[IndexDraft]:
    """The indexes whose attributes the facet has."""
    held = {each.name for each in facet.attributes} | {table.pk.name}
    held |= set() if table.sk is None else {table.sk.name}
    return [
        index
        for index in table.indexes
        if all(each.name in held for each in (*index.partition, *index.sort))
    ]


def _names(table: TableDraft, facet: FacetDraft) -> dict[str, str]:
    """Attribute to field."""
    names: dict[str, str] = {}
    sides = [table.pk.name] + ([] if table.sk is None else [table.sk.name])
    for each in (*sides, *(each.name for each in facet.attributes)):
        if each not in names:
            names[each] = identifier(each, names.values())
    return names


def _fields(table: TableDraft, facet: FacetDraft) -> Iterator[str]:
    names, types = _names(table, facet), _all_types(table, facet)
    composed = {table.pk.name} if facet.pk else set()
    if table.sk is not None and facet.sk:
        composed.add(table.sk.name)
    needed = _needed(table, facet)
    rest = [name for name in names if name not in needed]
    for attribute in (*(name for name in names if name in needed), *rest):
        if attribute not in composed and attribute != table.discriminator:
            kind = _TYPES.get(types[attribute], "Any")
            yield _field(attribute, names[attribute], kind, attribute in needed)


def _field(attribute: str, name: str, kind: str, needed: bool) -> str:
    default = ""
    if not needed and kind.startswith("set"):
        default = " = set()"
    elif not needed:
        kind, default = f"{kind} | None", " = None"
    if name != attribute:
        kind = f"Annotated[{kind}, Attribute({quoted(attribute)})]"
    return f"    {name}: {kind}{default}"


def _needed(table: TableDraft, facet: FacetDraft) -> set[str]:
    """The attributes that the primary key is made of."""
    needed: set[str] = set()
    for side, made in ((table.pk, facet.pk), (table.sk, facet.sk)):
        if side is not None:
            needed |= {match[1] for match in _SLOT.finditer(made)} if made else {side.name}
    return needed


def _all_types(table: TableDraft, facet: FacetDraft) -> dict[str, str]:
    types = {each.name: each.type for each in facet.attributes}
    keys = [table.pk, *(() if table.sk is None else (table.sk,))]
    for index in table.indexes:
        keys += (*index.partition, *index.sort)
    types |= {each.name: each.type for each in keys if types.get(each.name) != "int"}
    for made in (facet.pk, facet.sk):
        for match in _SLOT.finditer(made or ""):
            if (match[2] or "").endswith("d"):
                types[match[1]] = "int"
    return types


# --- patterns ------------------------------------------------------------------------------------


def _patterns(
    table: TableDraft, facet: FacetDraft, entity: str, taken: set[str]
) -> Iterator[list[str]]:
    names, types = _names(table, facet), _all_types(table, facet)

    def stub(head: str, name: str, attributes: list[str], told: str) -> list[str]:
        free = identifier(name, taken)
        taken.add(free)
        kinds = (f"{names[each]}: {_TYPES.get(types[each], 'Any')}" for each in attributes)
        return [head, f"def {free}({', '.join(kinds)}) -> None:", f'    """{told}"""']

    own = snake(entity)
    partition = _slots(facet.pk, table.pk.name)
    sort = [] if table.sk is None else _slots(facet.sk, table.sk.name)
    whole = list(dict.fromkeys((*partition, *sort)))
    yield stub(f"@get({entity})", own, whole, f"One {entity} by its key.")
    if table.sk is not None and set(whole) != set(partition):
        told = f"All of {entity} with one partition key."
        yield stub(f"@query({entity})", f"{own}_list", partition, told)
    for index in _own_indexes(table, facet):
        if index.projection != "ALL":
            head = f"@query({entity}, key={quoted(snake(index.name))}, hydrate=True)"
        else:
            head = f"@query({entity}, key={quoted(snake(index.name))})"
        sides = {table.pk.name: facet.pk, (table.sk or table.pk).name: facet.sk}
        sides[table.pk.name] = facet.pk
        given: dict[str, None] = {}
        for each in index.partition:
            given.update(dict.fromkeys(_slots(sides.get(each.name), each.name)))
        yield stub(
            head, f"{own}_{snake(index.name)}", list(given), f"By index {_told(index.name)}."
        )


def _slots(template: str | None, attribute: str) -> list[str]:
    """The attributes that a key is made of."""
    if template is None:
        return [attribute]
    return list(dict.fromkeys(match[1] for match in _SLOT.finditer(template)))
