"""A file of NoSQL Workbench as tables with samples.

Its sample data is judged like any other items. Facets say what samples do not show: what entities
are called, whose an item is, what keys are made of, attributes and entities without a sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from tablewright.adopt.drafts import Kind, Known, Slot, Template
from tablewright.adopt.grouping import Group, Grouped, grouped
from tablewright.adopt.sampling import Sampled
from tablewright.adopt.workbench.drafts import (
    SLOT,
    Attribute,
    FacetDraft,
    IndexDraft,
    TableDraft,
    plain,
)
from tablewright.adopt.workbench.reading import owner, read_drafts
from tablewright.deploy.state import IndexState, TableState
from tablewright.model.errors import ModelError
from tablewright.model.table import Billing, KeyAttribute, KeyType, OnDemand, Provisioned
from tablewright.values import Item

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
    return draft.name, [_table(each) for each in draft.tables]


def _table(draft: TableDraft) -> Sampled:
    state = _state(draft)
    # A sample that is not finished has no key yet.
    items = [
        item for item in draft.data if all(key.type in item.get(key.name, {}) for key in state.key)
    ]
    return Sampled(state, items, whole=True, grouped=_grouped(draft, state, items))


def _state(draft: TableDraft) -> TableState:
    key = (draft.pk,) if draft.sk is None else (draft.pk, draft.sk)
    billing: Billing = OnDemand() if draft.units is None else Provisioned(*draft.units)
    return TableState(
        name=draft.name,
        physical=draft.name,
        key=tuple(map(_key, key)),
        indexes={each.name: _index(each, billing) for each in draft.indexes},
        billing=billing,
    )


def _key(attribute: Attribute) -> KeyAttribute:
    for kind in get_args(KeyType):
        if attribute.type == kind:
            return KeyAttribute(attribute.name, kind)
    raise ModelError(
        f"the key attribute {attribute.name} is of type {attribute.type}; S, N and B can be"
    )


def _index(index: IndexDraft, billing: Billing) -> IndexState:
    return IndexState(
        name=index.name,
        local=index.local,
        partition=tuple(map(_key, index.partition)),
        sort=tuple(map(_key, index.sort)),
        projection=index.projection,
        include=frozenset(index.include),
        billing=None if index.local else billing,
    )


# --- facets --------------------------------------------------------------------------------------


def _grouped(draft: TableDraft, state: TableState, items: list[Item]) -> Grouped:
    """The items, sorted, each group with its facet; facets without items are there as well."""

    def owning(item: Item) -> FacetDraft | None:
        return owner(draft, item)

    def known(facet: FacetDraft) -> Known:
        return _known(draft, state, facet)

    # One facet says nothing about whose an item is: there may be more entities than that.
    found = grouped(state, items, draft.discriminator, owning if len(draft.facets) > 1 else None)
    owned = [frozenset(id(item) for item in items if owning(item) is each) for each in draft.facets]
    by_items = dict(zip(owned, draft.facets, strict=True))
    groups: list[Group] = []
    for group in found.groups:
        own = by_items.pop(frozenset(map(id, group.items)), None)
        groups.append(group if own is None else replace(group, known=known(own)))
    for facet, held in zip(draft.facets, owned, strict=True):
        if not held:
            tag = facet.name if found.discriminator else ""
            groups.append(Group(tag, (None, None), (), known(facet)))
    left = [facet for held, facet in by_items.items() if held]
    if found.discriminator is None and found.strays and len(left) == 1:
        # A sample of a file is no junk: what has no form of its own is of the facet that is left.
        strays = tuple(stray.item for stray in found.strays)
        groups.append(Group("", (None, None), strays, known(left.pop())))
        found = replace(found, strays=())
    return replace(found, groups=tuple(groups), said=tuple(_said(draft, left, items)))


def _said(draft: TableDraft, facets: list[FacetDraft], items: list[Item]) -> Iterator[str]:
    """What the samples were not sorted by, for people."""
    keys = [
        facet.said if facet.name == draft.name else f"{facet.name}: {facet.said}"
        for facet in facets
        if facet.said
    ]
    if keys:
        yield f"Keys, as the file has them: {'; '.join(keys)}"
    shown = {name for item in items for name in item}
    named = (each.name for facet in facets for each in facet.attributes)
    unseen = [name for name in dict.fromkeys(named) if name not in shown]
    if unseen:
        yield f"Attributes that no sample has: {', '.join(unseen)}"
    if len(items) < len(draft.data):
        yield f"Samples without a whole key, left out: {len(draft.data) - len(items)}"


def _known(draft: TableDraft, state: TableState, facet: FacetDraft) -> Known:
    sides = ((draft.pk, facet.pk), (draft.sk, facet.sk))
    templates = {
        side.name: _template(text) for side, text in sides if side is not None and text is not None
    }
    # Reading calls what has no facets by the name of the table.
    name = "" if facet.name == draft.name else facet.name
    return Known(name, templates, _kinds(state, facet, templates), facet.said)


def _template(text: str) -> Template:
    pieces: list[str | Slot] = []
    at = 0
    for found in SLOT.finditer(text):
        pieces += [plain(text[at : found.start()]), Slot(found[1], found[2] or "")]
        at = found.end()
    pieces.append(plain(text[at:]))
    return Template(tuple(piece for piece in pieces if piece != ""))


def _kinds(
    state: TableState, facet: FacetDraft, templates: Mapping[str, Template]
) -> dict[str, Kind]:
    """The attributes of a facet, the table's key among them."""
    kinds = {each.name: _KINDS.get(each.type, _ANY) for each in facet.attributes}
    of_indexes = (key for index in state.indexes.values() for side in index.keys for key in side)
    for each in (*state.key, *(key for key in of_indexes if key.name in kinds)):
        if kinds.get(each.name) != _KINDS["int"]:
            kinds[each.name] = _KINDS[each.type]
    for template in templates.values():
        for piece in template.pieces:
            if isinstance(piece, Slot) and piece.spec.endswith("d"):
                kinds[piece.attribute] = Kind("int")
    return kinds
