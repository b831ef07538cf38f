"""Sets, lists, tuples and dicts, and values that may be None inside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from tablewright.model.storage.base import Names, Storage, Unfit, found, shown
from tablewright.model.storage.scalars import Scalar
from tablewright.values import AttributeValue, sorted_members

_EMPTY_INSIDE = "an empty set cannot stand inside a list or dict: DynamoDB has none"
_EMPTY_NAME = "a dict cannot have an empty text as a key: DynamoDB refuses empty names"


class Maybe(Storage):
    """None inside a list or dict, where it has to be written down: as NULL."""

    def __init__(self, inner: Storage) -> None:
        self.inner = inner
        self.kind = inner.kind
        self.empties = inner.empties
        self.python = (*inner.python, type(None))

    def pack(self, value: object) -> AttributeValue | None:
        return {"NULL": True} if value is None else self.inner.pack(value)

    def unpack(self, av: AttributeValue) -> object:
        return None if "NULL" in av else self.inner.unpack(av)

    def member(self, name: str) -> tuple[str, Storage]:
        return self.inner.at(self.where).member(name)

    def element(self, position: int = 0) -> Storage:
        return self.inner.at(self.where).element(position)

    def write(self, value: str, names: Names) -> str:
        if self.inner.empties:
            return super().write(value, names)
        return f'({{"NULL": True}} if {value} is None else {self.inner.write(value, names)})'

    def read(self, av: str, names: Names) -> str:
        return f'(None if "NULL" in {av} else {self.inner.read(av, names)})'


class SetOf(Storage):
    """A set of texts, numbers or binaries. An empty one is stored as no attribute."""

    empties = True

    def __init__(self, inner: Scalar, build: type[set[object]] | type[frozenset[object]]) -> None:
        self.inner = inner
        self.kind = f"{inner.kind}S"
        self.build = build
        self.python = (set, frozenset)
        #: Numbers and binaries by their values, as they are stored and returned.
        self.sort = sorted if inner.kind == "S" else partial(sorted_members, self.kind)

    def pack(self, value: object) -> AttributeValue | None:
        if not isinstance(value, AbstractSet):
            raise Unfit(f"a set is expected, not {shown(value)}")
        # In order, so that equal requests are equal; and once each, as two may be stored alike.
        wires = self.sort({_packed(self.inner, each)[self.inner.kind] for each in value})
        return {self.kind: wires} if wires else None

    def unpack(self, av: AttributeValue) -> object:
        wires = av.get(self.kind)
        if wires is None:
            raise Unfit(f"a set ({self.kind}) is expected, but the item holds {found(av)}")
        return self.build(self.inner.unpack({self.inner.kind: wire}) for wire in wires)

    def element(self, position: int = 0) -> Storage:
        return self.inner.at(self.where)

    def write(self, value: str, names: Names) -> str:
        each, other = names.fresh(), names.of(self.pack)
        wires = f"{{{self.inner.write_wire(each, names)} for {each} in {value}}}"
        quick = f"{value}.__class__ is {names.of(self.build)}"
        return (
            f"({{{self.kind!r}: {names.of(self.sort)}({wires})}} if {quick} else {other}({value}))"
        )

    def read(self, av: str, names: Names) -> str:
        each = names.fresh()
        wires = f"{av}[{self.kind!r}]"
        value = self.inner.read_wire(each, names)
        values = wires if value == each else f"[{value} for {each} in {wires}]"
        return f"{names.of(self.build)}({values})"


class ListOf(Storage):
    """A list, or a tuple of any length."""

    kind = "L"

    def __init__(
        self, inner: Storage, build: type[list[object]] | type[tuple[object, ...]]
    ) -> None:
        self.inner = inner
        self.build = build
        self.python = (list, tuple)

    def pack(self, value: object) -> AttributeValue | None:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            raise Unfit(f"a list is expected, not {shown(value)}")
        return {"L": _positions(lambda each: _packed(self.inner, each), value)}

    def unpack(self, av: AttributeValue) -> object:
        return self.build(_positions(self.inner.unpack, _listed(av)))

    def element(self, position: int = 0) -> Storage:
        return self.inner.at(f"{self.where}[{position}]")

    def write(self, value: str, names: Names) -> str:
        if self.inner.empties:
            return super().write(value, names)
        each, other = names.fresh(), names.of(self.pack)
        packed = f'{{"L": [{self.inner.write(each, names)} for {each} in {value}]}}'
        return f"({packed} if {value}.__class__ is {names.of(self.build)} else {other}({value}))"

    def read(self, av: str, names: Names) -> str:
        each = names.fresh()
        values = f'[{self.inner.read(each, names)} for {each} in {av}["L"]]'
        return values if self.build is list else f"{names.of(self.build)}({values})"


class TupleOf(Storage):
    """A tuple whose every place has its own type."""

    kind = "L"

    def __init__(self, places: Sequence[Storage]) -> None:
        self.places = tuple(places)
        self.python = (tuple, list)

    def pack(self, value: object) -> AttributeValue | None:
        if not isinstance(value, tuple | list) or len(value) != len(self.places):
            raise Unfit(f"a tuple of {len(self.places)} is expected, not {shown(value)}")
        pairs = list(zip(self.places, value, strict=True))
        return {"L": _positions(lambda pair: _packed(*pair), pairs)}

    def unpack(self, av: AttributeValue) -> object:
        avs = _listed(av)
        if len(avs) != len(self.places):
            raise Unfit(f"a list of {len(self.places)} is expected, but the item holds {found(av)}")
        pairs = list(zip(self.places, avs, strict=True))
        return tuple(_positions(lambda pair: pair[0].unpack(pair[1]), pairs))

    def element(self, position: int = 0) -> Storage:
        if not 0 <= position < len(self.places):
            return super().element(position)
        return self.places[position].at(f"{self.where}[{position}]")


class DictOf(Storage):
    """A dict; its keys are stored as texts."""

    kind = "M"

    def __init__(self, key: Scalar, inner: Storage) -> None:
        self.key = key
        self.inner = inner
        self.python = (dict,)

    def pack(self, value: object) -> AttributeValue | None:
        if not isinstance(value, Mapping):
            raise Unfit(f"a dict is expected, not {shown(value)}")
        packed: dict[str, AttributeValue] = {}
        for key, each in value.items():
            try:
                packed[_packed(self.key, key)["S"]] = _packed(self.inner, each)
            except Unfit as unfit:
                raise unfit.under(f"[{key!r}]") from None
        if "" in packed:
            raise Unfit(_EMPTY_NAME)
        return {"M": packed}

    def unpack(self, av: AttributeValue) -> object:
        if "M" not in av:
            raise Unfit(f"a map (M) is expected, but the item holds {found(av)}")
        values: dict[object, object] = {}
        for key, each in av["M"].items():
            try:
                values[self.key.unpack({"S": key})] = self.inner.unpack(each)
            except Unfit as unfit:
                raise unfit.under(f"[{key!r}]") from None
        return values

    def member(self, name: str) -> tuple[str, Storage]:
        where = f"{self.where}[{name!r}]"
        attribute = self.key.at(where).encode(name)
        assert attribute is not None
        return attribute["S"], self.inner.at(where)

    def write(self, value: str, names: Names) -> str:
        if self.inner.empties:
            return super().write(value, names)
        key, each = names.fresh(), names.fresh()
        pairs = f"({self.key.write_wire(key, names)}): {self.inner.write(each, names)}"
        packed, other = names.fresh(), names.of(self.pack)
        members = f"{packed} := {{{pairs} for {key}, {each} in {value}.items()}}"
        return f'({{"M": {packed}}} if "" not in ({members}) else {other}({value}))'

    def read(self, av: str, names: Names) -> str:
        key, each = names.fresh(), names.fresh()
        pairs = f"{self.key.read_wire(key, names)}: {self.inner.read(each, names)}"
        return f'{{{pairs} for {key}, {each} in {av}["M"].items()}}'


def _packed(storage: Storage, value: object) -> AttributeValue:
    packed = storage.pack(value)
    if packed is None:
        raise Unfit(_EMPTY_INSIDE)
    return packed


def _listed(av: AttributeValue) -> Sequence[AttributeValue]:
    if "L" not in av:
        raise Unfit(f"a list (L) is expected, but the item holds {found(av)}")
    avs: Sequence[AttributeValue] = av["L"]
    return avs


def _positions(turn: Callable[..., object], values: Iterable[object]) -> list[object]:
    turned = []
    for position, each in enumerate(values):
        try:
            turned.append(turn(each))
        except Unfit as unfit:
            raise unfit.under(f"[{position}]") from None
    return turned
