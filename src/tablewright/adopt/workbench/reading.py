"""Reading a file of NoSQL Workbench into drafts.

A key's alias is only a hint: people write ``SubId#SKU`` as well as ``ORDER#{order_id}``. It becomes
a template where its braces name attributes and, if there is sample data, that data agrees. What
tells the facets of a table apart is an attribute whose values are the facets' names, or templates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.adopt.workbench.drafts import (
    SLOT,
    Attribute,
    Draft,
    FacetDraft,
    IndexDraft,
    TableDraft,
    plain,
)
from tablewright.model.errors import ModelError
from tablewright.values import AttributeValue, InvalidValue, Item, normalize_item


def read_drafts(text: str) -> Draft:
    """What the file describes; ModelError if it is none of NoSQL Workbench."""
    try:
        document = json.loads(text)
        tables = [_table(each) for each in document["DataModel"]]
        name = _text(document.get("ModelName") or "imported")
    except json.JSONDecodeError as error:
        raise ModelError(f"this is no JSON: {error}") from None
    except RecursionError:
        raise ModelError("this is no model of NoSQL Workbench: it is nested too deeply") from None
    except KeyError as error:
        raise ModelError(f"this is no model of NoSQL Workbench: {error} is missing") from None
    except InvalidValue as error:
        raise ModelError(f"a sample is no item of DynamoDB: {error}") from None
    except (IndexError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
        raise ModelError(f"this is no model of NoSQL Workbench: {error}") from None
    if not tables:
        raise ModelError("the file has no table")
    return Draft(name, tables)


# What is read here becomes Python that somebody runs: whatever is not a plain text, or a number,
# where one is due is refused. So is a sample that could not be stored.


def _text(said: object) -> str:
    if isinstance(said, str) and said and said.isprintable():
        return said
    raise ModelError(f"{said!r:.80} stands where a name has to be: a text that can be printed")


def _count(said: object) -> int:
    if isinstance(said, int) and not isinstance(said, bool) and said > 0:
        return said
    raise ModelError(f"{said!r:.80} stands where a number of capacity units has to be")


def _texts(said: object) -> list[str]:
    if isinstance(said, list):
        return [_text(each) for each in said]
    raise ModelError(f"{said!r:.80} stands where a list of names has to be")


#: What stands behind the type of a value.
_HELD: dict[str, type[Any]] = {
    **dict.fromkeys(("S", "N", "B"), str),
    **dict.fromkeys(("BOOL", "NULL"), bool),
    **dict.fromkeys(("SS", "NS", "BS", "L"), list),
    "M": dict,
}


def _items(said: object, where: str) -> list[Item]:
    if not isinstance(said, list):
        raise ModelError(f"{where}: {said!r:.80} stands where a list of samples has to be")
    return [_item(each, f"{where}, sample {n}") for n, each in enumerate(said, 1)]


def _item(said: object, where: str) -> Item:
    if not isinstance(said, dict):
        raise ModelError(f"{where}: {said!r:.80} stands where an item has to be")
    item: Item = {}
    for name, value in said.items():
        try:
            item[name] = _value(value)
        except ModelError as error:
            raise ModelError(f"{where}, attribute {name}: {error}") from None
    try:
        normalize_item(item)
    except InvalidValue as error:
        raise ModelError(f"{where} cannot be stored: {error}") from None
    return item


def _value(said: object) -> AttributeValue:
    """A value of a sample, which has its type: {"S": "x"}."""
    if not isinstance(said, dict) or len(said) != 1 or not said.keys() <= _HELD.keys():
        raise ModelError(f'{said!r:.80} stands where a value has to be, such as {{"S": "x"}}')
    ((kind, held),) = said.items()
    if not isinstance(held, _HELD[kind]):
        raise ModelError(f"{said!r:.80} stands where a value has to be")
    if kind in ("SS", "NS", "BS") and not all(isinstance(each, str) for each in held):
        raise ModelError(f"{said!r:.80} stands where a set of texts has to be")
    if kind == "L":
        return {"L": [_inner(each) for each in held]}
    if kind == "M":
        return {"M": {name: _inner(each) for name, each in _unwrapped(held).items()}}
    return said


def _unwrapped(held: dict[str, Any]) -> dict[str, Any]:
    """The members of a map. Workbench writes some maps twice: {"M": {"M": {...}}}."""
    inner = held.get("M")
    doubled = len(held) == 1 and isinstance(inner, dict) and not _is_value(inner)
    return inner if doubled and inner is not None else held


def _inner(said: object) -> AttributeValue:
    """A member of a map or list: Workbench writes some with their types, others as plain JSON."""
    if _is_value(said):
        return _value(said)
    if isinstance(said, bool):
        return {"BOOL": said}
    if isinstance(said, int | float):
        return {"N": str(said)}
    if isinstance(said, str):
        return {"S": said}
    if isinstance(said, list):
        return {"L": [_inner(each) for each in said]}
    if isinstance(said, dict):
        return {"M": {name: _inner(each) for name, each in said.items()}}
    return {"NULL": True}


def _is_value(said: object) -> bool:
    if not isinstance(said, dict) or len(said) != 1:
        return False
    ((kind, held),) = said.items()
    return kind in _HELD and isinstance(held, _HELD[kind])


def _table(said: Mapping[str, Any]) -> TableDraft:
    keys = said["KeyAttributes"]
    types = {
        _text(each["AttributeName"]): _text(each.get("AttributeType") or "S")
        for each in said.get("NonKeyAttributes") or ()
    }
    data = _items(said.get("TableData") or [], f"table {said['TableName']}")
    # Numbers of the sample decide between whole ones and others.
    for name, kind in types.items():
        if kind == "N" and _whole(data, name):
            types[name] = "int"
    table = TableDraft(
        name=_text(said["TableName"]),
        pk=_side(keys["PartitionKey"])[0],
        sk=_side(keys["SortKey"])[0] if keys.get("SortKey") else None,
        indexes=[
            *(_index(each, False) for each in said.get("GlobalSecondaryIndexes") or ()),
            *(_index(each, True) for each in said.get("LocalSecondaryIndexes") or ()),
        ],
        facets=[],
        data=data,
        units=_units(said),
    )
    facets = said.get("TableFacets") or ()
    table.facets = [_facet(table, each, types) for each in facets] or [
        FacetDraft(table.name, attributes=[Attribute(*each) for each in types.items()])
    ]
    _tell_apart(table, types)
    return table


def _side(said: Any) -> tuple[Attribute, ...]:
    listed = said if isinstance(said, list) else [said]
    return tuple(
        Attribute(_text(each["AttributeName"]), _text(each["AttributeType"])) for each in listed
    )


def _index(said: Mapping[str, Any], local: bool) -> IndexDraft:
    keys, projection = said["KeyAttributes"], said.get("Projection") or {}
    return IndexDraft(
        _text(said["IndexName"]),
        _side(keys["PartitionKey"]),
        _side(keys["SortKey"]) if keys.get("SortKey") else (),
        _text(projection.get("ProjectionType", "ALL")),
        tuple(_texts(projection.get("NonKeyAttributes") or [])),
        local,
    )


def _units(said: Mapping[str, Any]) -> tuple[int, int] | None:
    if said.get("BillingMode") != "PROVISIONED":
        return None
    units = (said.get("ProvisionedCapacitySettings") or {}).get("ProvisionedThroughput") or {}
    read, write = units.get("ReadCapacityUnits", 5), units.get("WriteCapacityUnits", 5)
    return _count(read), _count(write)


def _whole(data: list[Item], name: str) -> bool:
    values = [item[name]["N"] for item in data if "N" in item.get(name, {})]
    return bool(values) and all(Decimal(each) % 1 == 0 for each in values)


# --- facets --------------------------------------------------------------------------------------


def _facet(table: TableDraft, said: Mapping[str, Any], types: dict[str, str]) -> FacetDraft:
    alias = said.get("KeyAttributeAlias") or {}
    pk, sk = (alias.get(f"{each}KeyAlias") or None for each in ("Partition", "Sort"))
    pk, sk = pk and _text(pk), sk and _text(sk)
    names = list(dict.fromkeys(_texts(said.get("NonKeyAttributes") or list(types))))
    where = f"table {table.name}, facet {said['FacetName']}"
    table.data += _items(said.get("TableData") or [], where)
    return FacetDraft(
        name=_text(said["FacetName"]),
        pk=pk if pk and _is_template(pk, names) else None,
        sk=sk if sk and _is_template(sk, names) else None,
        said=", ".join(str(each) for each in (pk, sk) if each),
        attributes=[Attribute(name, types.get(name, "S")) for name in names],
    )


#: The formats that a key can have. Widths are those of numbers: nobody gets a key of a gigabyte.
_FORMAT = re.compile(r"|0[1-9][0-9]?(?:d|\.[0-9]{1,2}f)").fullmatch


def _is_template(alias: str, names: list[str]) -> bool:
    """Braces that name attributes; or a word all in capitals, which is the key itself."""
    slots = list(SLOT.finditer(alias))
    if not slots:
        return re.fullmatch(r"[A-Z0-9_#-]{2,}", alias) is not None
    return all(slot[1] in names and _FORMAT(slot[2] or "") for slot in slots)


def _tell_apart(table: TableDraft, types: Mapping[str, str]) -> None:
    facets = {facet.name for facet in table.facets}
    for name in types:
        values = {item[name]["S"] for item in table.data if "S" in item.get(name, {})}
        held = all(name in {each.name for each in facet.attributes} for facet in table.facets)
        if held and (values & facets) and all(name in item for item in table.data):
            table.discriminator = name
            break
    else:
        if not table.data and "entity_type" in types:
            table.discriminator = "entity_type"
    strange = [facet for facet in table.facets if not _agrees(table, facet)]
    for facet in strange if table.discriminator is not None else table.facets if strange else ():
        # Without an attribute that tells them apart, one wrong template makes all of them unsure.
        facet.pk = facet.sk = None
    _merge_if_alike(table)


def _agrees(table: TableDraft, facet: FacetDraft) -> bool:
    """Whether the templates make the keys of the sample data that is the facet's."""
    sides = ((table.pk, facet.pk), (table.sk, facet.sk))
    return all(
        made is None or side is None or item.get(side.name) == {side.type: _filled(made, item)}
        for item in table.data
        if owner(table, item) is facet
        for side, made in sides
    )


def owner(table: TableDraft, item: Item) -> FacetDraft | None:
    """The facet of an item: by the attribute that tells them apart, or by the templates."""
    if table.discriminator is not None:
        name = item[table.discriminator].get("S")
        return next((each for each in table.facets if each.name == name), None)
    fitting = [each for each in table.facets if _fits(table, each, item)]
    return max(fitting, key=_literal, default=None)


def _fits(table: TableDraft, facet: FacetDraft, item: Item) -> bool:
    sides = ((table.pk, facet.pk), (table.sk, facet.sk))
    return all(
        _expression(made).fullmatch(str(item.get(side.name, {}).get("S", ""))) is not None
        for side, made in sides
        if made is not None and side is not None
    )


def _expression(template: str) -> re.Pattern[str]:
    """What a raw key is read by: only its last value may hold a delimiter."""
    *first, last = (re.escape(plain(each)) for each in SLOT.sub("\0", template).split("\0"))
    if not first:
        return re.compile(last)
    return re.compile("[^#]+".join(first) + ".+" + last, re.DOTALL)


def _literal(facet: FacetDraft) -> int:
    return len(SLOT.sub("", f"{facet.pk or ''}{facet.sk or ''}"))


def _filled(template: str, item: Item) -> str:
    made, at = "", 0
    for slot in SLOT.finditer(template):
        made += plain(template[at : slot.start()]) + _in_key(item.get(slot[1], {}), slot[2])
        at = slot.end()
    return made + plain(template[at:])


def _in_key(value: AttributeValue, spec: str | None) -> str:
    text = str(next(iter(value.values()), ""))
    try:
        return format(int(text), spec) if spec else text
    except ValueError:
        return text


def _merge_if_alike(table: TableDraft) -> None:
    """Facets that nothing tells apart become one entity with all their attributes."""
    shapes = {_shape(facet) for facet in table.facets}
    known = all(owner(table, item) is not None for item in table.data)
    if table.discriminator is not None or (known and len(shapes) == len(table.facets)):
        return
    attributes = {each.name: each for facet in table.facets for each in facet.attributes}
    said = "; ".join(f"{facet.name}: {facet.said}" for facet in table.facets if facet.said)
    table.facets = [FacetDraft(table.name, said=said, attributes=list(attributes.values()))]


def _shape(facet: FacetDraft) -> tuple[str, ...]:
    return tuple(SLOT.sub("{}", text or "{}") for text in (facet.pk, facet.sk))
