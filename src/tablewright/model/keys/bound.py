"""Keys: templates for the key attributes of an entity, and what is asked of them.

A :class:`Key` is what is declared. :func:`bind` checks it against the fields and the table when the
entity's class is created, and compiles it to a :class:`BoundKey`, which encodes values to key
attributes, reads them back, and turns values and bounds into the condition of a query.

How a key is kept readable, ordered and unforgeable is told in ``escapes``, ``components`` and
``ranges``, beside this module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from tablewright.model.errors import DataError, ModelError, RequestError
from tablewright.model.keys.parts import KeyPart, Values, compile_encode, make_part
from tablewright.model.keys.ranges import (
    Bounds,
    EmptyRange,
    SortTerm,
    check_bounds,
    sort_term,
)
from tablewright.values import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef
    from tablewright.model.table import Index, KeyAttribute, Table

__all__ = ["BoundKey", "Bounds", "Key", "KeyCondition", "KeyPart", "SortTerm", "bind"]


@dataclass(frozen=True)
class Key:
    """The templates of one key: ``Key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")``.

    * ``pk`` and ``sk`` are tuples for an index with several attributes on that side.
    * ``on`` names the index; without it, the key is the table's.
    * ``when`` makes an index sparse: field -> the value, or the values, with which an item is in
      it. An item whose key lacks a component is never in it.
    * ``raw`` adopts keys that others made: values stand in them as they are stored, neither escaped
      nor padded. Ranges then go by the text alone.
    """

    pk: str | tuple[str, ...]
    sk: str | tuple[str, ...] | None = None
    on: str | None = None
    when: Mapping[str, object] | None = None
    raw: bool = False


@dataclass(frozen=True)
class KeyCondition:
    """What a query asks of a key, ready for a KeyConditionExpression."""

    #: Attributes with one value: the partition, and sort attributes that are given in full.
    equal: tuple[tuple[str, AttributeValue], ...]
    sort: SortTerm | None = None
    #: Whether the bounds leave nothing: the query need not be sent.
    empty: bool = False


@dataclass(frozen=True)
class BoundKey:
    """A key bound to an entity's fields and a table."""

    name: str
    key: Key
    #: None is the table itself.
    index: Index | None
    partition: tuple[KeyPart, ...]
    sort: tuple[KeyPart, ...]
    #: All component fields in order of first appearance, the partition's first.
    fields: tuple[str, ...]
    when: Mapping[str, frozenset[object]]
    #: Entity and key, for error texts.
    where: str = field(repr=False, compare=False)
    #: Partition and sort.
    parts: tuple[KeyPart, ...] = field(init=False, repr=False, compare=False)
    #: All attributes of the key for these fields; KeyValueError.
    encode: Callable[[Values], Item] = field(init=False, repr=False, compare=False)
    #: Whether an item with these fields is in the index: nothing is None, and ``when`` holds.
    present: Callable[[Values], bool] = field(init=False, repr=False, compare=False)
    #: The fields of the partition: what every query needs.
    _needed: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        needed = dict.fromkeys(name for part in self.partition for name in part.fields)
        object.__setattr__(self, "_needed", tuple(needed))
        object.__setattr__(self, "parts", (*self.partition, *self.sort))
        object.__setattr__(self, "encode", compile_encode(self.parts))
        object.__setattr__(self, "present", _compile_present(self.fields, self.when))

    def decode(self, item: Item) -> dict[str, object]:
        """The component fields in the key attributes of ``item``; DataError."""
        values: dict[str, object] = {}
        for part in self.parts:
            av = item.get(part.attribute.name)
            if av is None:
                raise DataError(
                    f"{self.where}: the item has no key attribute {part.attribute.name}"
                )
            for name, value in part.decode(av).items():
                if values.setdefault(name, value) != value:
                    raise DataError(
                        f"{self.where}: the item's key attributes disagree on {name}: "
                        f"{values[name]!r} and {value!r}"
                    )
        return values

    def matches(self, item: Item) -> bool:
        """Whether the key attributes of ``item`` could be of this key."""
        for part in self.parts:  # noqa: SIM110 - it is asked of every item that is read
            if not part.fits(item.get(part.attribute.name)):
                return False
        return True

    def condition(self, values: Values, bounds: Bounds | None = None) -> KeyCondition:
        """The condition of a query.

        ``values`` has all fields of the partition and any number of the sort key's, from the left;
        None is a value not given, and names that are not of the key are ignored. ``bounds`` are on
        the first sort field that has no value.
        """
        equal = self._partition(values)
        asked = bounds is not None and check_bounds(bounds, self.where)
        for part in self.sort:
            prefix, stop = part.lead(values)
            if stop is None:
                part.measure(prefix)
                equal.append((part.attribute.name, {part.attribute.type: prefix}))
                continue
            self._check_order(values, stop.field)
            if bounds is not None and bounds.field != stop.field:
                break
            if bounds is None or not asked:
                return KeyCondition(tuple(equal), _begins(part, prefix))
            line = part.line(prefix, stop)
            try:
                term = sort_term(part.attribute.name, line, stop.encoder, bounds, self.where)
            except EmptyRange:
                return KeyCondition(tuple(equal), empty=True)
            return KeyCondition(tuple(equal), term)
        if bounds is not None:
            raise self._misplaced(bounds, values)
        return KeyCondition(tuple(equal))

    def _partition(self, values: Values) -> list[tuple[str, AttributeValue]]:
        missing = [name for name in self._needed if values.get(name) is None]
        if missing:
            raise RequestError(
                f"{self.where}: a query needs the whole partition key; {', '.join(missing)} "
                f"{'is' if len(missing) == 1 else 'are'} missing"
            )
        return [(part.attribute.name, part.encode(values)) for part in self.partition]

    def _check_order(self, values: Values, stop: str) -> None:
        """RequestError if a field is given that comes only after ``stop``, which is not."""
        for name in self.fields[self.fields.index(stop) + 1 :]:
            if values.get(name) is not None:
                raise RequestError(
                    f"{self.where}: {name} is given without {stop}, which comes before it in the "
                    f"sort key; give both, or leave {name} to a filter"
                )

    def _misplaced(self, bounds: Bounds, values: Values) -> RequestError:
        free = [name for part in self.sort for name in part.fields if values.get(name) is None]
        hint = f"the next sort field is {free[0]}" if free else "no sort field is left for a range"
        return RequestError(f"{self.where}: a range of {bounds.field} is not possible; {hint}")


def _begins(part: KeyPart, prefix: str) -> SortTerm | None:
    if not prefix:
        return None
    return SortTerm(part.attribute.name, "begins_with", ({"S": prefix},))


def _compile_present(
    fields: tuple[str, ...], when: Mapping[str, frozenset[object]]
) -> Callable[[Values], bool]:
    names: dict[str, Any] = {}
    tests = [f"values.get({name!r}) is not None" for name in fields]
    for number, (name, allowed) in enumerate(when.items()):
        names[f"w{number}"] = allowed
        tests.append(f"values.get({name!r}) in w{number}")
    present: Callable[[Values], bool] = eval(f"lambda values: {' and '.join(tests) or True}", names)
    return present


# --- binding -----------------------------------------------------------------------------


def bind(
    name: str,
    key: Key,
    table: Table,
    fields: Mapping[str, FieldDef],
    entity: str,
    primary: BoundKey | None = None,
) -> BoundKey:
    """Check ``key`` against the fields of an entity and compile it; ModelError.

    ``primary`` is the entity's own key in the table: its templates stand in for what an index key
    leaves out, where the index has the same attribute.
    """
    where = f"{entity}, key {name!r}"
    index = _index(key, table, where)
    if index is None:
        partition_attributes, sort_attributes = table.primary()[:1], table.primary()[1:]
    else:
        partition_attributes, sort_attributes = index.partition, index.sort

    def compiled(
        given: str | tuple[str, ...] | None, attributes: tuple[KeyAttribute, ...], sort: bool
    ) -> tuple[KeyPart, ...]:
        texts = _templates(given, attributes, primary, "sk" if sort else "pk", where)
        return tuple(
            make_part(each, text, fields, table.delimiter, raw=key.raw, sort=sort, where=where)
            for each, text in zip(attributes, texts, strict=True)
        )

    partition = compiled(key.pk, partition_attributes, sort=False)
    sort = compiled(key.sk, sort_attributes, sort=True)
    names = dict.fromkeys(name for part in (*partition, *sort) for name in part.fields)
    return BoundKey(
        name, key, index, partition, sort, tuple(names), _when(key, fields, where), where
    )


def _index(key: Key, table: Table, where: str) -> Index | None:
    if key.on is None:
        return None
    try:
        return table.indexes[key.on]
    except KeyError:
        known = ", ".join(table.indexes) or "none"
        raise ModelError(
            f"{where}: table {table.name} has no index {key.on}; its indexes: {known}"
        ) from None


def _templates(
    given: str | tuple[str, ...] | None,
    attributes: tuple[KeyAttribute, ...],
    primary: BoundKey | None,
    side: str,
    where: str,
) -> tuple[str, ...]:
    if given is None:
        known = {} if primary is None else {p.attribute: p.template.text for p in primary.parts}
        missing = [attribute.name for attribute in attributes if attribute not in known]
        if missing:
            raise ModelError(f"{where}: give {side}=, the template of {', '.join(missing)}")
        return tuple(known[attribute] for attribute in attributes)
    texts = (given,) if isinstance(given, str) else tuple(given)
    if len(texts) != len(attributes):
        listed = ", ".join(attribute.name for attribute in attributes) or "none"
        raise ModelError(
            f"{where}: {side} has {len(texts)} templates, one is needed for each of its "
            f"attributes: {listed}"
        )
    return texts


def _when(key: Key, fields: Mapping[str, FieldDef], where: str) -> dict[str, frozenset[object]]:
    if not key.when:
        return {}
    if key.on is None:
        raise ModelError(f"{where}: when= is for index keys; every item is in the table")
    found: dict[str, frozenset[object]] = {}
    for name, wanted in key.when.items():
        if name not in fields:
            raise ModelError(
                f"{where}: when= names {name}, which is no field; the fields are "
                f"{', '.join(fields)}"
            )
        several = isinstance(wanted, set | frozenset | tuple | list)
        values = wanted if several else (wanted,)
        found[name] = frozenset(
            _possible(value, fields[name], f"{where}, when=")
            for value in values  # type: ignore[attr-defined]
        )
        if not found[name]:
            raise ModelError(f"{where}: when= gives no value for {name}: nothing would be in it")
    return found


def _possible(value: object, known: FieldDef, where: str) -> object:
    """``value`` as the field would have it."""
    core = known.annotation
    if value is None:
        return None
    if isinstance(core, type) and issubclass(core, Enum):
        try:
            return core(value)
        except ValueError:
            pass
    elif get_origin(core) is Literal:
        if value in get_args(core):
            return value
    elif core in (str, int, bool):
        if type(value) is core:
            return value
    else:
        raise ModelError(
            f"{where}: {known.name} is not of a type with values to list: an enumeration, a "
            "Literal, str, int or bool"
        )
    raise ModelError(f"{where}: {known.name} is never {value!r}")
