"""A file of NoSQL Workbench as tables with samples.

Its sample data is judged like any other items. Where a table has none, the facets say what its
entities are, as :mod:`tablewright.deploy.templates.workbench` reads them.
"""

from __future__ import annotations

from typing import get_args

from tablewright.adopt.drafts import EntityDraft, FieldDraft, Kind, Slot, Template
from tablewright.adopt.grouping import Grouped
from tablewright.adopt.kinds import is_personal
from tablewright.adopt.naming import entity_name, field_name
from tablewright.adopt.sampling import Sampled
from tablewright.deploy.state import IndexState, TableState
from tablewright.deploy.templates.workbench import read_drafts
from tablewright.deploy.templates.workbench.drafts import (
    SLOT,
    Attribute,
    FacetDraft,
    IndexDraft,
    TableDraft,
)
from tablewright.model.errors import ModelError
from tablewright.model.table import Billing, KeyAttribute, KeyType, OnDemand, Provisioned

_KINDS = {
    "S": Kind("str"),
    "N": Kind("Decimal"),
    "int": Kind("int"),
    "B": Kind("bytes"),
    "BOOL": Kind("bool", in_keys=False),
    "SS": Kind("set[str]", in_keys=False),
    "NS": Kind("set[Decimal]", in_keys=False),
    "BS": Kind("set[bytes]", in_keys=False),
    "L": Kind("list[Any]", in_keys=False),
    "M": Kind("dict[str, Any]", in_keys=False),
}
_ANY = Kind("Any", in_keys=False)


def read_workbench(text: str) -> tuple[str, list[Sampled]]:
    """The name of a model and its tables; ModelError if it is no such file."""
    draft = read_drafts(text)
    taken: list[str] = []
    tables = [_table(each, taken) for each in draft.tables]
    return draft.name, tables


def _table(draft: TableDraft, taken: list[str]) -> Sampled:
    state = _state(draft)
    items = [item for item in draft.data if all(each.name in item for each in state.key)]
    if items:
        return Sampled(state, items, whole=True)
    declared = []
    for facet in draft.facets:
        declared.append(_entity(draft, state, facet, taken))
        taken.append(declared[-1].name)
    nothing = Grouped("#", draft.discriminator, (), (), {})
    return Sampled(state, whole=True, grouped=nothing, declared=tuple(declared))


def _state(draft: TableDraft) -> TableState:
    key = (draft.pk,) if draft.sk is None else (draft.pk, draft.sk)
    billing: Billing = OnDemand() if draft.units is None else Provisioned(*draft.units)
    return TableState(
        name=draft.name,
        physical=draft.name,
        key=tuple(map(_key, key)),
        indexes={each.name: _index(each, draft, billing) for each in draft.indexes},
        billing=billing,
    )


def _key(attribute: Attribute) -> KeyAttribute:
    for kind in get_args(KeyType):
        if attribute.type == kind:
            return KeyAttribute(attribute.name, kind)
    raise ModelError(
        f"the key attribute {attribute.name} is of type {attribute.type}; S, N and B can be"
    )


def _index(index: IndexDraft, table: TableDraft, billing: Billing) -> IndexState:
    return IndexState(
        name=index.name,
        local=index.local,
        partition=tuple(map(_key, index.partition)),
        sort=tuple(map(_key, index.sort)),
        projection=index.projection,
        include=frozenset(index.include),
        billing=None if index.local else billing,
    )


# --- facets without samples ----------------------------------------------------------------------


def _entity(
    table: TableDraft, state: TableState, facet: FacetDraft, taken: list[str]
) -> EntityDraft:
    templates = {
        side.name: _template(text)
        for side, text in ((table.pk, facet.pk), (table.sk, facet.sk))
        if side is not None and text is not None
    }
    return EntityDraft(
        name=entity_name(facet.name, taken),
        type=facet.name,
        fields=_fields(table, state, facet, templates),
        templates=templates,
        indexes=dict.fromkeys(_indexes(state, facet)),
        beginnings={},
    )


def _template(text: str) -> Template:
    pieces: list[str | Slot] = []
    at = 0
    for found in SLOT.finditer(text):
        pieces += [text[at : found.start()], Slot(found[1], found[2] or "")]
        at = found.end()
    pieces.append(text[at:])
    return Template(tuple(piece for piece in pieces if piece != ""))


def _indexes(state: TableState, facet: FacetDraft) -> list[str]:
    held = {each.name for each in facet.attributes} | {each.name for each in state.key}
    return [
        index.name
        for index in state.indexes.values()
        if held.issuperset(each.name for side in index.keys for each in side)
    ]


def _fields(
    table: TableDraft, state: TableState, facet: FacetDraft, templates: dict[str, Template]
) -> tuple[FieldDraft, ...]:
    kinds = {each.name: _KINDS.get(each.type, _ANY) for each in facet.attributes}
    keys = [key for index in state.indexes.values() for side in index.keys for key in side]
    for each in (*state.key, *keys):
        kind = kinds.get(each.name)
        if kind is None or kind.annotation != "int":
            kinds[each.name] = _KINDS[each.type]
    slots = [slot for template in templates.values() for slot in _slots(template)]
    for slot in slots:
        if slot.spec.endswith("d"):
            kinds[slot.attribute] = Kind("int")
    needed = dict.fromkeys(slot.attribute for slot in slots)
    needed |= dict.fromkeys(each.name for each in state.key if each.name not in templates)
    held = {each.name for each in facet.attributes} | set(needed)
    names: list[str] = []
    fields = []
    for attribute in dict.fromkeys((*needed, *kinds)):
        if attribute in templates or attribute not in held or attribute == table.discriminator:
            continue
        names.append(field_name(attribute, names))
        personal = is_personal(attribute)
        optional = attribute not in needed
        fields.append(FieldDraft(names[-1], attribute, kinds[attribute], optional, personal))
    return tuple(fields)


def _slots(template: Template) -> list[Slot]:
    return [piece for piece in template.pieces if isinstance(piece, Slot)]
