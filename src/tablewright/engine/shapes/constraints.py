"""The second thing AWS does with a request: check it against the constraints of its shape.

All violations are collected (up to ten) and told in one ValidationException:
``2 validation errors detected: Value 'x' at 'a.1.member.b' failed to satisfy constraint: ...``.
Attribute values have no constraints here; they are checked where they are normalised.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from zlib import crc32

from tablewright.engine.shapes.model import TABLE_ARN, Shape

_LIMIT = 10
#: A longer text is not matched against a pattern: it is too long anyway, and patterns cost time.
_LONGEST_MATCHED = 2048

_NULL = "Member must not be null"


class Violation(NamedTuple):
    text: str
    late: bool


class Place(NamedTuple):
    """Where a value stands, in the two ways AWS writes it."""

    camel: str = ""
    plain: str = ""

    def member(self, name: str) -> Place:
        return self._step(name[0].lower() + name[1:], name)

    def element(self, key: str | int) -> Place:
        return self._step(f"{key}.member", f"{key}.member")

    def _step(self, camel: str, plain: str) -> Place:
        if not self.camel:
            return Place(camel, plain)
        return Place(f"{self.camel}.{camel}", f"{self.plain}.{plain}")


def complaint(shape: Shape, request: dict[str, Any]) -> str | None:
    """The message AWS answers with if ``request`` violates its shape, else None."""
    found = list(_structure(shape, request, Place()))
    return told([v.text for v in found if not v.late] or [v.text for v in found])


def told(violations: list[str]) -> str | None:
    """Several violations as one message; None if there are none."""
    count = min(len(violations), _LIMIT)
    if not count:
        return None
    noun = "error" if count == 1 else "errors"
    return f"{count} validation {noun} detected: " + "; ".join(violations[:count])


def member_violations(shape: Shape, name: str, value: Any) -> list[str]:
    """What is wrong with the top-level member ``name`` alone."""
    place = Place().member(name)
    if value is None:
        return [_null(place).text]
    return [violation.text for violation in _check(shape.members[name], value, place)]


def _structure(shape: Shape, value: dict[str, Any], at: Place) -> Iterator[Violation]:
    for name, member in shape.members.items():
        given = value.get(name)
        if given is not None:
            yield from _check(member, given, at.member(name))
        elif name in shape.required:
            yield _null(at.member(name))


def _null(at: Place) -> Violation:
    return Violation(f"Value null at '{at.camel}' failed to satisfy constraint: {_NULL}", False)


def _check(shape: Shape, value: Any, at: Place) -> Iterator[Violation]:
    if shape.constrained:
        for broken in _broken(shape, value):
            yield _violation(shape, value, at, broken)
    match shape.kind:
        case "structure":
            yield from _structure(shape, value, at)
        case "list":
            yield from _elements(shape, value, at)
        case "map":
            yield from _map(shape, value, at)


def _violation(shape: Shape, value: Any, at: Place, broken: str) -> Violation:
    if shape.late:
        return Violation(f"Value at '{at.plain}' failed to satisfy constraint: {broken}", True)
    text = f"Value '{shown(shape, value)}' at '{at.camel}' failed to satisfy constraint: {broken}"
    return Violation(text, False)


def _elements(shape: Shape, value: list[Any], at: Place) -> Iterator[Violation]:
    member = shape.member
    assert member is not None
    if member.kind == "value" or (member.kind == "map" and not _interesting(member)):
        return
    for index, element in enumerate(value, 1):
        place = at.element(index)
        if element is None:
            yield _null(place)
        else:
            yield from _check(member, element, place)


def _interesting(shape: Shape) -> bool:
    assert shape.member is not None
    return shape.member.kind != "value" or bool(shape.key and shape.key.constrained)


def _map(shape: Shape, value: dict[str, Any], at: Place) -> Iterator[Violation]:
    key, member = shape.key, shape.member
    assert key is not None
    assert member is not None
    if key.constrained and any(True for name in value for _ in _broken(key, name)):
        yield _violation(shape, value, at, f"Map keys must satisfy constraint: {_listed(key)}")
    if member.kind == "value":
        return
    bounded = member.constrained and member.kind != "structure"
    given = [element for element in value.values() if element is not None]
    if bounded and any(True for element in given for _ in _broken(member, element)):
        yield _violation(shape, value, at, f"Map value must satisfy constraint: {_listed(member)}")
    for name, element in value.items():
        place = at.element(name)
        if element is None:
            yield _null(place)
        elif member.kind == "structure":
            yield from _structure(member, element, place)
        elif member.kind == "list":
            yield from _elements(member, element, place)


# --- single constraints ------------------------------------------------------------------


def _broken(shape: Shape, value: Any) -> Iterator[str]:
    """The constraints of ``shape`` that ``value`` itself does not satisfy."""
    if shape.enum and value not in shape.enum:
        yield _enum(shape)
    if shape.arn and TABLE_ARN.match(value):
        return
    if shape.matches and len(value) <= _LONGEST_MATCHED and not shape.matches(value):
        yield _pattern(shape)
    size = value if shape.kind in _NUMBERS else _length(value)
    if shape.min is not None and size < shape.min:
        yield _minimum(shape)
    if shape.max is not None and size > shape.max:
        yield _maximum(shape)


_NUMBERS = frozenset({"integer", "long", "double"})


def _length(value: Any) -> int:
    if isinstance(value, str) and not value.isascii():
        # Java counts UTF-16 units.
        return len(value.encode("utf-16-le", "surrogatepass")) // 2
    return len(value)


def _listed(shape: Shape) -> str:
    """All constraints on a map's keys or values: AWS lists them whichever was broken."""
    parts = []
    if shape.max is not None:
        parts.append(_maximum(shape))
    if shape.min is not None:
        parts.append(_minimum(shape))
    if shape.pattern:
        parts.append(_pattern(shape))
    if shape.enum:
        parts.append(_enum(shape))
    return f"[{', '.join(parts)}]"


def _enum(shape: Shape) -> str:
    return f"Member must satisfy enum value set: [{', '.join(shape.enum)}]"


def _pattern(shape: Shape) -> str:
    return f"Member must satisfy regular expression pattern: {shape.pattern}"


def _minimum(shape: Shape) -> str:
    what = "value" if shape.kind in _NUMBERS else "length"
    return f"Member must have {what} greater than or equal to {shape.min}"


def _maximum(shape: Shape) -> str:
    what = "value" if shape.kind in _NUMBERS else "length"
    return f"Member must have {what} less than or equal to {shape.max}"


# --- values in messages ------------------------------------------------------------------


def shown(shape: Shape, value: Any) -> str:
    """``value`` as Java prints it: AWS's structures have no text form but class and hash."""
    if value is None:
        return "null"
    match shape.kind:
        case "structure" | "value":
            return f"{shape.java}@{crc32(repr(sorted(value)).encode()):x}"
        case "list":
            assert shape.member is not None
            return "[" + ", ".join(shown(shape.member, element) for element in value) + "]"
        case "map":
            assert shape.member is not None
            pairs = (f"{name}={shown(shape.member, of)}" for name, of in value.items())
            return "{" + ", ".join(pairs) + "}"
        case "boolean":
            return "true" if value else "false"
    return str(value)
