"""From a group of items to an entity: its fields, the templates of its keys, its indexes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tablewright.adopt.drafts import Concessions, EntityDraft, FieldDraft, Kind, Template
from tablewright.adopt.grouping import Group, Grouped, key_names
from tablewright.adopt.kinds import is_personal, kind_of
from tablewright.adopt.naming import field_name
from tablewright.adopt.shapes import Shape
from tablewright.adopt.templates import template_of
from tablewright.deploy.state import IndexState, TableState
from tablewright.values import Item

_BARE = {"S": Kind("str"), "N": Kind("Decimal"), "B": Kind("bytes")}


def draft_entity(
    state: TableState, found: Grouped, group: Group, name: str, given_up: Concessions
) -> EntityDraft:
    """The entity of a group."""
    return _Drafting(state, found, group, name, given_up).draft()


def bare_entity(state: TableState, name: str) -> EntityDraft:
    """The entity of a table without items: its keys are all that is known."""
    primary = [each.name for each in state.key]
    attributes = {each.name: each for each in state.key}
    for index in state.indexes.values():
        attributes |= {each.name: each for side in index.keys for each in side}
    fields: list[FieldDraft] = []
    for each in attributes.values():
        kind = _BARE[each.type]
        called = field_name(each.name, [field.name for field in fields])
        optional = each.name not in primary
        personal = is_personal(each.name)
        fields.append(FieldDraft(called, each.name, kind, optional, personal))
    return EntityDraft(name, "", tuple(fields), {}, dict.fromkeys(state.indexes), {})


class _Drafting:
    def __init__(
        self, state: TableState, found: Grouped, group: Group, name: str, given_up: Concessions
    ) -> None:
        self.state = state
        self.found = found
        self.group = group
        self.name = name
        self.items = group.items
        self.known = group.known
        self.keys = [key for key in key_names(state) if self._may_have(key)]
        self.primary = [each.name for each in state.key]
        self.plain = given_up.plain.get(name, set())
        self.left = given_up.undeclared.get(name, set())
        self.kinds = self._kinds()
        self.templates = self._templates()
        self.indexes = self._indexes()

    def _may_have(self, name: str) -> bool:
        return name in self.known.kinds or any(name in item for item in self.items)

    def draft(self) -> EntityDraft:
        composed = all(key in self.templates for key in self.primary)
        return EntityDraft(
            name=self.name,
            type=self.group.type,
            fields=self._fields(),
            templates=self.templates,
            indexes=self.indexes,
            beginnings={key: self._beginning(key) for key in self.keys},
            items=self.items,
            undeclared=tuple(name for name in self._attributes() if name not in self.kinds),
            said="" if composed else self.known.keys,
        )

    # --- attributes ----------------------------------------------------------------------

    def _attributes(self) -> list[str]:
        """All attributes that could be fields: as they are met, then those that a file adds."""
        met = dict.fromkeys(name for item in self.items for name in item)
        met |= dict.fromkeys(self.known.kinds)
        return [name for name in met if name != self.found.discriminator]

    def _kinds(self) -> dict[str, Kind]:
        kinds: dict[str, Kind] = {}
        for name in self._attributes():
            values = [item[name] for item in self.items if name in item]
            kind = kind_of(name, values, ends=name == self.state.ttl)
            if not values:
                kind = self.known.kinds[name]
            if name in self.keys and kind is not None and kind.members:
                kind = Kind("str")  # a key is open for more
            if kind is not None and name not in self.left:
                kinds[name] = kind
        return kinds

    def _everywhere(self, name: str, items: Sequence[Item]) -> bool:
        return all(name in item for item in items)

    # --- keys ----------------------------------------------------------------------------

    def _templates(self) -> dict[str, Template]:
        """Keys made of attributes that are no keys; then those made of plain keys as well."""
        own = {name: kind for name, kind in self.kinds.items() if name not in self.keys}
        known = self._known_templates()
        made = known | self._made_of(own, [key for key in self.keys if key not in known])
        rest = [key for key in self.keys if key not in made]
        natural = [key for key in rest if key not in self.primary and not self._beginning(key)]
        others = {name: self.kinds[name] for name in natural if name in self.kinds}
        more = [key for key in rest if key not in natural]
        return made | self._made_of({**own, **others}, more)

    def _known_templates(self) -> dict[str, Template]:
        """What a file says, as far as values of these types can stand in keys."""
        fitting = {name for name, kind in self.kinds.items() if kind.in_keys}
        return {
            key: template
            for key, template in self.known.templates.items()
            if key not in self.plain and fitting.issuperset(template.slots)
        }

    def _made_of(self, candidates: Mapping[str, Kind], keys: Sequence[str]) -> dict[str, Template]:
        made: dict[str, Template] = {}
        for key in keys:
            items = [item for item in self.items if "S" in item.get(key, {})]
            with_key = sum(key in item for item in self.items)
            if key in self.plain or not items or len(items) < with_key:
                continue
            fitting = {
                name: kind
                for name, kind in candidates.items()
                if kind.in_keys and self._everywhere(name, items)
            }
            cuts = [cut for item in items if (cut := self.found.cuts[key][id(item)]) is not None]
            template = template_of(items, cuts, fitting, self.found.delimiter)
            if template is not None:
                made[key] = template
        return made

    def _beginning(self, key: str) -> str:
        """The literal text with which all texts of a key begin, the delimiter included."""
        cuts = (self.found.cuts[key][id(item)] for item in self.items if key in item)
        shapes = {(None,) if cut is None else cut.shape for cut in cuts}
        if len(shapes) != 1:
            return ""
        (shape,) = shapes
        parts: list[str] = []
        for part in shape:
            if part is None:
                return "".join(f"{each}{self.found.delimiter}" for each in parts)
            parts.append(part)
        return self.found.delimiter.join(parts)

    # --- indexes -------------------------------------------------------------------------

    def _indexes(self) -> dict[str, tuple[str, tuple[str, ...]] | None]:
        found: dict[str, tuple[str, tuple[str, ...]] | None] = {}
        for index in self.state.indexes.values():
            names = [each.name for side in index.keys for each in side]
            shown = any(all(name in item for name in names) for item in self.items)
            if not shown and not self.known.kinds.keys() >= set(names):
                continue
            if not all(name in self.kinds or name in self.templates for name in names):
                continue
            found[index.name] = self._condition(index, names)
        return found

    def _condition(
        self, index: IndexState, names: Sequence[str]
    ) -> tuple[str, tuple[str, ...]] | None:
        """When items are in the index, where their fields alone do not say so.

        If nothing says so, the attributes of the index have to be fields themselves.
        """
        wrong = [item for item in self.items if not self._is_told(item, names)]
        if not wrong:
            return None
        inside = [item for item in self.items if all(name in item for name in names)]
        for name, kind in self.kinds.items():
            if not kind.members or not inside or not self._everywhere(name, self.items):
                continue
            held = {item[name]["S"] for item in inside}
            if held.isdisjoint(item[name]["S"] for item in wrong):
                return name, tuple(sorted(held))
        for name in names:
            if name not in self.primary:
                self.templates.pop(name, None)
        return None

    def _is_told(self, item: Item, names: Sequence[str]) -> bool:
        """Whether the fields of an item say rightly whether it is in the index."""
        needed = {slot for name in names for slot in self._slots(name)}
        composed = [name for name in names if name in self.templates]
        return not composed or all(name in item for name in composed) == (
            all(name in item for name in needed)
        )

    def _slots(self, name: str) -> tuple[str, ...]:
        return self.templates[name].slots if name in self.templates else (name,)

    # --- fields --------------------------------------------------------------------------

    def _fields(self) -> tuple[FieldDraft, ...]:
        first = [name for key in self.primary for name in self._slots(key)]
        wanted = dict.fromkeys([*first, *self.kinds])
        taken: list[str] = []
        fields = []
        for attribute in wanted:
            if attribute in self.templates:
                continue
            taken.append(field_name(attribute, taken))
            fields.append(self._field(attribute, taken[-1], attribute in first))
        return tuple(fields)

    def _field(self, attribute: str, name: str, needed: bool) -> FieldDraft:
        return FieldDraft(
            name=name,
            attribute=attribute,
            kind=self.kinds.get(attribute, Kind("str")),
            optional=not needed and not (self.items and self._everywhere(attribute, self.items)),
            personal=is_personal(attribute),
            shape=self._shape(attribute),
        )

    def _shape(self, attribute: str) -> str:
        """What tells the entity's keys from those of others, if its key is a field itself."""
        begins = self._beginning(attribute) if attribute in self.primary else ""
        shape = self.group.pair[self.primary.index(attribute)] if begins else None
        if shape is None or self.kinds.get(attribute, Kind("str")).annotation != "str":
            return ""
        if self.found.discriminator is None:
            return expression(shape, self.found.delimiter)
        # The key need not tell: as little as possible is asked of items that were not sampled.
        return f"{_escaped(begins)}.+" if None in shape else _escaped(begins)


def expression(shape: Shape, sign: str) -> str:
    """The regular expression of the texts of a shape."""
    parts = [f"[^{_escaped(sign)}]+" if part is None else _escaped(part) for part in shape]
    if shape[-1] is None:
        parts[-1] = ".+"
    return _escaped(sign).join(parts)


def _escaped(text: str) -> str:
    """Only what has to be escaped: people are to read it."""
    return re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", text)
