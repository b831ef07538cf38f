"""The first thing AWS does with a request: turn its JSON into objects of the service's classes.

JSON of another type than the shape asks for ends here, as a SerializationException, and the
first such place in the order of the document decides the text. The texts are those of AWS's
Java framework, which depend on where the value stands as much as on what it is.

Like AWS, :func:`decode` is lenient in a few places, and then leaves in the request what AWS
would go on with: a null or unknown member is as good as absent, "yes" and "0" are booleans, a
fraction given for an integer is cut off.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from typing import Any

from tablewright.engine.errors import serialization, validation
from tablewright.engine.shapes.model import JAVA, PACKAGE, Shape

#: Attribute values nested deeper than this are not looked into. They are refused where values are
#: normalised, at the depth DynamoDB documents (32), after errors that AWS reports earlier.
MAX_DEPTH = 64

_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_STRUCTURE = "Start of structure or map found where not expected"
_FIELD = "Unexpected field type"
_ELEMENT = "Unexpected value type in payload"
_TOKEN = "Unexpected token received from parser"
_CAST = (
    "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class "
    "java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
    "java.lang.Class are in module java.base of loader 'bootstrap')"
)

_BOOLEANS = {"TRUE": True, "1": True, "YES": True, "FALSE": False, "0": False, "NO": False}
#: The largest numbers that fit; a timestamp is seconds, up to the year 9999.
LARGEST = {"integer": 2**31 - 1, "long": 2**63 - 1, "timestamp": 253402300799}
_WHOLE = frozenset({"integer", "long"})

# What may stand in an attribute value: a scalar, or a list of scalars.
_SCALARS = {"S": "string", "N": "string", "B": "blob", "BOOL": "boolean", "NULL": "boolean"}
_SETS = {"SS": "string", "NS": "string", "BS": "blob"}


def decode(shape: Shape, request: object) -> None:
    """Raise SerializationException unless ``request`` has the JSON types of ``shape``."""
    if isinstance(request, list):
        raise serialization(f"Unrecognized collection type class {shape.java}")
    if not isinstance(request, dict):
        raise serialization(_ELEMENT)
    _structure(shape, request)


def _structure(shape: Shape, value: dict[str, Any]) -> None:
    for name, given in list(value.items()):
        member = shape.members.get(name)
        if member is None or given is None:
            # Nobody has checked what an unknown member holds, so nobody may come across it.
            del value[name]
            continue
        kept = _read(member, given, inside=False)
        if kept is not given:
            value[name] = kept


def _read(shape: Shape, given: Any, inside: bool) -> Any:
    """What AWS reads from ``given``; ``inside`` a list or map, as opposed to in a structure."""
    match shape.kind:
        case "structure":
            _expect_object(given, PACKAGE + shape.name, inside)
            _structure(shape, given)
        case "value":
            _attribute_value(given, inside, 0)
        case "list":
            _list(shape, given, inside)
        case "map":
            _map(shape, given, inside)
        case kind:
            return _scalar(kind, given)
    return given


def _expect_object(given: Any, java: str, inside: bool) -> None:
    if isinstance(given, dict):
        return
    if isinstance(given, list):
        raise serialization(f"Unrecognized collection type class {java}")
    raise serialization(_ELEMENT if inside else _FIELD)


def _list(shape: Shape, given: Any, inside: bool) -> None:
    _expect_list(given, inside)
    member = shape.member
    assert member is not None
    for index, element in enumerate(given):
        if element is None:
            if member.kind == "value":
                given[index] = {}
            continue
        kept = _read(member, element, inside=True)
        if kept is not element:
            given[index] = kept


def _expect_list(given: Any, inside: bool = False) -> None:
    if isinstance(given, list):
        return
    if isinstance(given, dict):
        raise serialization(_STRUCTURE)
    raise serialization(_CAST if inside else _FIELD)


def _map(shape: Shape, given: Any, inside: bool) -> None:
    member = shape.member
    assert member is not None
    _expect_map(given, member.java, inside)
    for name, element in given.items():
        if element is None:
            if member.kind == "value":
                given[name] = {}
            continue
        kept = _read(member, element, inside=True)
        if kept is not element:
            given[name] = kept


def _expect_map(given: Any, java: str, inside: bool = False) -> None:
    if isinstance(given, dict):
        return
    if isinstance(given, list):
        raise serialization(f"Unrecognized collection type java.util.Map<java.lang.String, {java}>")
    raise serialization(_CAST if inside else _FIELD)


# --- attribute values --------------------------------------------------------------------


def _attribute_value(value: Any, inside: bool, depth: int) -> None:
    _expect_object(value, PACKAGE + "AttributeValue", inside)
    if depth > MAX_DEPTH:
        return
    for kind, given in list(value.items()):
        if given is None:
            del value[kind]
        elif kind in _SCALARS:
            value[kind] = _scalar(_SCALARS[kind], given)
        elif kind in _SETS:
            _set(_SETS[kind], given)
        elif kind == "L":
            _expect_list(given)
            _members(given, enumerate(given), depth)
        elif kind == "M":
            _expect_map(given, PACKAGE + "AttributeValue")
            _members(given, given.items(), depth)


def _members(container: Any, members: Any, depth: int) -> None:
    for key, member in members:
        if member is None:
            container[key] = {}
        else:
            _attribute_value(member, True, depth + 1)


def _set(kind: str, given: Any) -> None:
    _expect_list(given)
    for index, element in enumerate(given):
        if element is None:
            raise validation(_EMPTY)
        given[index] = _scalar(kind, element)


# --- scalars -----------------------------------------------------------------------------


def _scalar(kind: str, given: Any) -> Any:
    if isinstance(given, dict):
        raise serialization(_STRUCTURE)
    if kind == "blob":
        return _blob(given)
    if isinstance(given, list):
        raise serialization(f"Unrecognized collection type class {JAVA[kind]}")
    if kind == "string":
        return _string(given)
    if kind == "boolean":
        return _boolean(given)
    return _number(kind, given)


def _string(given: Any) -> str:
    if isinstance(given, str):
        return given
    raise serialization(f"{_token(given)} cannot be converted to String")


def _boolean(given: Any) -> bool:
    if isinstance(given, bool):
        return given
    if isinstance(given, str):
        read = _BOOLEANS.get(given.upper())
        if read is None:
            raise serialization(_TOKEN)
        return read
    raise serialization(f"{_token(given)} cannot be converted to Boolean")


def _number(kind: str, given: Any) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        if kind == "timestamp":
            raise serialization(f"{_token(given)} can not be converted to milliseconds since epoch")
        raise serialization(f"{_token(given)} cannot be converted to {kind.capitalize()}")
    largest = LARGEST.get(kind)
    if largest is not None and not -largest <= given <= largest:
        return largest if given > 0 else -largest
    return int(given) if kind in _WHOLE else given


def _blob(given: Any) -> str:
    if isinstance(given, list):
        raise serialization("Unrecognized collection type class java.nio.ByteBuffer")
    if not isinstance(given, str):
        raise serialization("only base-64-encoded strings are convertible to bytes")
    if len(given) % 4:
        raise serialization(
            f"Base64 encoded length is expected a multiple of 4 bytes but found: {len(given)}"
        )
    if not is_base64(given):
        raise serialization("Invalid last non-pad Base64 character dectected")
    return given


def is_base64(text: str) -> bool:
    """Whether ``text`` is what a strict encoder writes: padded, and no stray bits at the end."""
    try:
        a2b_base64(text, strict_mode=True)
    except (Base64Error, ValueError):
        return False
    if text[-1:] != "=":
        return True
    return text[-3] in "AQgw" if text[-2] == "=" else text[-2] in "AEIMQUYcgkosw048"


def _token(given: Any) -> str:
    """The name AWS's JSON parser has for ``given``."""
    if given is True:
        return "TRUE_VALUE"
    if given is False:
        return "FALSE_VALUE"
    if isinstance(given, str):
        return "STRING_VALUE"
    if isinstance(given, int):
        return "NUMBER_VALUE"
    if isinstance(given, float):
        # An integer too large for the decoder arrives as a float.
        return "NUMBER_VALUE" if abs(given) >= 2**63 else "DECIMAL_VALUE"
    raise serialization(_TOKEN)
