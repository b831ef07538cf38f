"""What all storages share: the public methods, and the two ways a value is turned.

Every storage can work in two ways. :meth:`Storage.pack` and :meth:`Storage.unpack` are careful:
they look at everything and raise :class:`Unfit` with the path to what was wrong.
:meth:`Storage.write` and :meth:`Storage.read` give the source of an expression that does the same
for values as they should be, and fails in any way at all for others. A codec runs the source
first, and takes the careful way only after it failed, to succeed after all (a subclass of ``str``,
a NULL) or to say exactly what is wrong.
"""

from __future__ import annotations

import copy
from typing import Self

from tablewright.model.errors import DataError, RequestError
from tablewright.values import AttributeValue

_KINDS = {
    "S": "the text",
    "N": "the number",
    "B": "the binary",
    "BOOL": "the boolean",
    "SS": "the set of texts",
    "NS": "the set of numbers",
    "BS": "the set of binaries",
    "M": "the map",
    "L": "the list",
}
_LONGEST = 60


class Unfit(Exception):
    """A value that does not fit, and the path to it from where the search began.

    It never leaves the package: callers see a RequestError or a DataError with the whole path.
    """

    def __init__(self, problem: str, path: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = path

    def under(self, step: str) -> Unfit:
        return Unfit(self.problem, step + self.path)

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


class Names:
    """The names that a piece of generated source uses, and what they stand for."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self._locals = 0

    def of(self, value: object) -> str:
        """A name for ``value``, the same one for the same object."""
        for name, known in self.values.items():
            if known is value:
                return name
        name = f"x{len(self.values)}"
        self.values[name] = value
        return name

    def fresh(self) -> str:
        """A name for a local variable."""
        self._locals += 1
        return f"v{self._locals}"


class Storage:
    """How one type is stored.

    ``kind`` is the type of the attribute value, or ANY where the value decides.
    """

    kind: str = "ANY"
    #: The place in the model, for errors: ``Order.address``.
    where: str = ""
    #: The Python types that are stored so; a union finds its member by them.
    python: tuple[type, ...] = ()
    #: Whether some value beside None is stored as no attribute: an empty set.
    empties: bool = False

    def encode(self, value: object) -> AttributeValue | None:
        """The attribute value, or None for what is stored as no attribute: None, empty sets."""
        if value is None:
            return None
        try:
            return self.pack(value)
        except Unfit as unfit:
            raise RequestError(f"{self.where}{unfit}") from None

    def decode(self, av: AttributeValue) -> object:
        """The Python value, or DataError if something else is stored."""
        try:
            return self.unpack(av)
        except Unfit as unfit:
            raise DataError(f"{self.where}{unfit}") from None

    def member(self, name: str) -> tuple[str, Storage]:
        """Attribute name and storage of a field of a nested model, or of a key of a dict."""
        raise RequestError(f"{self.where}: it has no members, so there is no {name!r} in it")

    def element(self, position: int = 0) -> Storage:
        """The storage of the elements of a list or set; ``position`` tells those of a tuple."""
        raise RequestError(f"{self.where}: it is no list, so it has no element {position}")

    def at(self, where: str) -> Self:
        """The same storage at another place."""
        moved = copy.copy(self)
        moved.where = where
        return moved

    def pack(self, value: object) -> AttributeValue | None:
        raise NotImplementedError

    def unpack(self, av: AttributeValue) -> object:
        raise NotImplementedError

    def write(self, value: str, names: Names) -> str:
        """Source that encodes the value in the variable ``value``, neither None nor empty."""
        return f"{names.of(self.pack)}({value})"

    def read(self, av: str, names: Names) -> str:
        """Source that decodes the attribute value that the expression ``av`` gives.

        ``av`` may be evaluated more than once.
        """
        return f"{names.of(self.unpack)}({av})"


def shown(value: object) -> str:
    """A Python value in an error: its type and its beginning."""
    if value is None:
        return "None"
    return f"{_cut(repr(value))} ({type(value).__name__})"


def found(av: AttributeValue) -> str:
    """A stored value in an error."""
    if "NULL" in av:
        return "NULL"
    for kind, value in av.items():
        if kind in _KINDS:
            return f"{_KINDS[kind]} {_cut(repr(value))} ({kind})"
    return f"{_cut(repr(av))}, which is no attribute value"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
