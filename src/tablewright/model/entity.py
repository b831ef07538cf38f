"""Entities: Pydantic models that live in a table under one primary key and any index keys.

``class Order(Entity, table=app, keys={...})`` does all its work when the class is created: the
fields are described, the codec compiled, each key template checked against the fields, and the
entity joins its table. What came out is an :class:`EntityDef`, which everything else reads:
``definition(Order)``.

On the class, a field is a reference for conditions and changes: ``attr(Order.status)``. Type
checkers see the field's own type there, so a misspelt name or a wrong value is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict

from tablewright.model.codec import compile_codec
from tablewright.model.definition import PRIMARY, EntityDef, Unknown
from tablewright.model.errors import ModelError
from tablewright.model.expressions.places import field_ref
from tablewright.model.facts import EntityFacts
from tablewright.model.fields import FieldDef, field_defs
from tablewright.model.keys import BoundKey, Key, bind
from tablewright.model.table import Table
from tablewright.model.types import Stored, VersionMark
from tablewright.model.unique import Unique, unique_defs
from tablewright.values import AttributeValue, Item

E = TypeVar("E", bound="Entity")


if TYPE_CHECKING:
    _Meta = type
else:
    # Not from pydantic._internal: whatever the metaclass of BaseModel is.
    class _Meta(type(BaseModel)):
        """Makes ``Order.status`` a reference to the field."""

        def __getattr__(cls, name: str) -> object:
            known = cls.__dict__.get("__tablewright__")
            if known is not None and name in known.fields:
                return field_ref(known.name, known.fields[name])
            try:
                return super().__getattr__(name)
            except AttributeError:
                if known is None or name.startswith("_"):
                    raise
                raise AttributeError(_no_field(cls.__name__, known, name)) from None


def _no_field(entity: str, known: EntityDef[Any], name: str) -> str:
    near = get_close_matches(name, known.fields, 1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return f"{entity} has no field {name!r}{hint} Its fields are {', '.join(known.fields)}"


class _Base(BaseModel):
    # What is not declared is an error in Python; in stored items the policy `unknown` decides.
    model_config = ConfigDict(
        extra="forbid",
        validate_assignment=True,
        # A default is stored like any other value: a time is cut to its form, an id is checked.
        validate_default=True,
        arbitrary_types_allowed=True,
    )


if TYPE_CHECKING:
    _Parent = _Base
else:
    _Parent = _Meta("_Parent", (_Base,), {"__module__": __name__})


class Entity(_Parent):
    """The base of all entities.

    * ``table`` and ``keys`` say where it lives. ``keys`` has one key called "primary".
    * ``type`` is its discriminator value; the class's name if it is left out.
    * ``unique`` lists constraints over several fields; one field's is written in its annotation.
    * ``naming`` turns field names into attribute names; :class:`Attribute` does it for one field.
    * ``unknown``: attributes that are stored but not declared are kept and written back ("keep"),
      an error ("refuse"), or dropped by the next put ("ignore").
    * ``strict_reads`` validates what is read, for tables that others write to.
    * ``append_only``, ``expected``, ``per_partition`` and ``retention_days`` change nothing: they
      state facts for the review (:class:`~tablewright.model.facts.EntityFacts`).

    A class without ``table`` is abstract: its fields are for the entities derived from it.
    """

    if TYPE_CHECKING:
        __tablewright__: ClassVar[EntityDef[Any]]

        # No annotation: checkers would take it for a field, and ask the constructor for it.
        @property
        def _origin(self) -> Item | None:
            return None
    else:
        __slots__ = ("_origin",)

    def __init_subclass__(
        cls,
        *,
        table: Table | None = None,
        keys: Mapping[str, Key] | None = None,
        type: str | None = None,
        unique: Sequence[Unique] = (),
        naming: Callable[[str], str] | None = None,
        unknown: Unknown = "keep",
        strict_reads: bool = False,
        append_only: bool = False,
        expected: float | None = None,
        per_partition: float | None = None,
        retention_days: float | None = None,
        **config: Any,
    ) -> None:
        try:
            super().__init_subclass__(**config)
        except TypeError as error:
            # Type checkers do not look into the head of a class.
            raise ModelError(
                f"{cls.__name__}: {', '.join(config)}= is nothing that an entity takes; it takes "
                "table, keys, type, unique, naming, unknown, strict_reads, append_only, expected, "
                "per_partition, retention_days and Pydantic's settings"
            ) from error

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        table: Table | None = None,
        keys: Mapping[str, Key] | None = None,
        type: str | None = None,
        unique: Sequence[Unique] = (),
        naming: Callable[[str], str] | None = None,
        unknown: Unknown = "keep",
        strict_reads: bool = False,
        append_only: bool = False,
        expected: float | None = None,
        per_partition: float | None = None,
        retention_days: float | None = None,
        **config: Any,
    ) -> None:
        super().__pydantic_init_subclass__(**config)
        if table is None:
            if keys:
                raise ModelError(f"{cls.__name__} has keys but no table: add table=")
            return
        facts = EntityFacts(append_only, expected, per_partition, retention_days)
        facts.check(cls.__name__)
        known = _define(
            cls,
            table,
            keys or {},
            type or cls.__name__,
            unique,
            naming,
            unknown,
            strict_reads,
            facts,
        )
        cls.__tablewright__ = known
        table.entities[known.name] = known

    def __copy__(self) -> Self:
        copied = super().__copy__()
        object.__setattr__(copied, "_origin", self._origin)
        return copied

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        copied = super().__deepcopy__(memo)
        object.__setattr__(copied, "_origin", self._origin)
        return copied

    def __getstate__(self) -> dict[Any, Any]:
        return {**super().__getstate__(), "_origin": self._origin}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        object.__setattr__(self, "_origin", state.pop("_origin", None))
        super().__setstate__(state)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # An empty slot raises like any missing attribute: it was not read from a table.
            if name == "_origin":
                return None
            return super().__getattr__(name)


def _define(
    cls: type[E],
    table: Table,
    keys: Mapping[str, Key],
    name: str,
    unique: Sequence[Unique],
    naming: Callable[[str], str] | None,
    unknown: Unknown,
    strict_reads: bool,
    facts: EntityFacts,
) -> EntityDef[E]:
    if not cls.__pydantic_complete__:
        raise ModelError(
            f"{cls.__name__}: an annotation names a type that does not exist yet; "
            "declare nested models before the entity"
        )
    if name in table.entities:
        raise ModelError(
            f"{cls.__name__}: table {table.name} already has an entity of type {name!r}; give type="
        )
    fields = field_defs(cls, naming)
    bound = _bind_keys(cls.__name__, table, keys, fields)
    composed = {
        part.attribute.name for key in bound.values() for part in key.parts if not part.plain
    }
    tag: AttributeValue | None = None
    if table.discriminator is not None:
        composed.add(table.discriminator)
        tag = {"S": name}
    for each in fields.values():
        if each.attribute in composed:
            raise ModelError(
                f"{cls.__name__}.{each.name} is stored as {each.attribute}, which is an attribute "
                "that the table writes itself; rename the field or give Attribute(...)"
            )
    codec = compile_codec(cls, fields)
    return EntityDef(
        cls=cls,
        name=name,
        table=table,
        fields=fields,
        keys=bound,
        codec=codec,
        uniques=unique_defs(cls.__name__, table, fields, unique),
        version=_version(cls.__name__, fields),
        ttl=_ttl(cls.__name__, table, fields),
        unknown=unknown,
        strict_reads=strict_reads,
        composed=frozenset(composed),
        known=codec.attributes | composed,
        tag=tag,
        facts=facts,
    )


def _bind_keys(
    entity: str, table: Table, keys: Mapping[str, Key], fields: Mapping[str, FieldDef]
) -> dict[str, BoundKey]:
    if PRIMARY not in keys:
        raise ModelError(f'{entity}: keys= needs one called "{PRIMARY}": the key in the table')
    bound: dict[str, BoundKey] = {}
    templates: dict[str, tuple[str, str]] = {}
    for name, key in sorted(keys.items(), key=lambda pair: pair[0] != PRIMARY):
        if (key.on is None) != (name == PRIMARY):
            raise ModelError(
                f"{entity}, key {name}: the key called {PRIMARY!r} is the table's; "
                "every other one needs on= and the name of an index"
            )
        if key.on is not None and key.on not in table.indexes:
            raise ModelError(f"{entity}, key {name}: table {table.name} has no index {key.on}")
        primary = bound.get(PRIMARY)
        filled = key if primary is None else _filled(key, table, primary)
        bound[name] = bind(name, filled, table, fields, entity, primary)
        if key.when and all(part.plain for part in bound[name].parts):
            raise ModelError(
                f"{entity}, key {name}: when= can keep no item out of index {key.on}, since the "
                "index's attributes are fields; compose at least one of them, such as "
                f'"{{{bound[name].fields[0]}}}#"'
            )
        for part in bound[name].parts:
            text = part.template.text
            other = templates.setdefault(part.attribute.name, (name, text))
            if other[1] != text:
                raise ModelError(
                    f"{entity}: attribute {part.attribute.name} is {other[1]!r} in key {other[0]} "
                    f"and {text!r} in key {name}; an item has it only once"
                )
    for each in bound[PRIMARY].fields:
        if fields[each].optional:
            raise ModelError(f"{entity}: {each} is part of the primary key and may not be None")
    return bound


def _filled(key: Key, table: Table, primary: BoundKey) -> Key:
    """The key of a local index, whose partition is the table's own."""
    index = table.indexes[key.on or ""]
    if not index.local or key.sk is not None:
        return key
    own = primary.partition[0].template.text
    return Key(own, key.pk, on=key.on, when=key.when, raw=key.raw)


def _version(entity: str, fields: Mapping[str, FieldDef]) -> FieldDef | None:
    found = [each for each in fields.values() if _marked(each, VersionMark)]
    if len(found) > 1:
        raise ModelError(f"{entity}: only one field can be the Version")
    return found[0] if found else None


def _ttl(entity: str, table: Table, fields: Mapping[str, FieldDef]) -> FieldDef | None:
    for each in fields.values():
        if each.attribute == table.ttl:
            forms = [mark.form for mark in each.metadata if isinstance(mark, Stored)]
            if forms != ["epoch_seconds"] and each.annotation is not int:
                raise ModelError(
                    f"{entity}.{each.name} is the time to live of table {table.name}: the service "
                    "only understands whole seconds since the epoch; declare it as Ttl"
                )
            return each
    return None


def _marked(field: FieldDef, mark: type) -> bool:
    return any(isinstance(each, mark) for each in field.metadata)
