"""Attribute values as DynamoDB defines them: checked, canonical, measured, ordered.

An attribute value is its wire form, ``{"S": "x"}``; an item maps names to attribute values.
:func:`normalize` is the one door: behind it every number is in canonical decimal text, every
binary in canonical base64, and sets have no duplicates, so that equality of two stored values
is (nearly always) equality of two dicts, and nothing has to be parsed twice.

The key encoding (:func:`key_bytes`) turns one S, N or B scalar into bytes whose byte order is
the value order DynamoDB promises for sort keys.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterable, Sized
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, TypeAlias

AttributeValue: TypeAlias = dict[str, Any]
Item: TypeAlias = dict[str, AttributeValue]

#: Levels of maps and lists, of which the attribute itself is the first.
MAX_NESTING = 32
MAX_DIGITS = 38
MAX_MAGNITUDE = 125
MIN_MAGNITUDE = -130

TYPES = frozenset({"S", "N", "B", "SS", "NS", "BS", "M", "L", "BOOL", "NULL"})

#: A name of so many characters is within all limits, however they are counted.
SURELY_SHORT_NAME = 65535 // 4

#: Arithmetic wide enough to be exact for two 38-digit operands of any magnitude.
EXACT = Context(prec=300)

_CANONICAL_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]{0,37})\Z").match
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z").match

_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_SEVERAL = (
    "Supplied AttributeValue has more than one datatypes set, "
    "must contain exactly one of the supported datatypes"
)
_INVALID = "One or more parameter values were invalid: "
TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)


class InvalidValue(Exception):
    """A value DynamoDB refuses; the text is AWS's own message.

    DynamoDB checks values in one of two layers, which word some faults differently. The text is
    that of the older layer; ``current`` is that of the one which has replaced it for requests about
    single items, or None where both give the same text in the same place.
    """

    def __init__(self, message: str, current: str | None = None) -> None:
        super().__init__(message)
        self.current = current


class EmptyName(InvalidValue):
    """An attribute, or a member of a map, without a name. Values that are too deep come first."""

    def __init__(self) -> None:
        super().__init__("Empty attribute name")


class Unclear(Exception):
    """A value that a glance is not enough for: wrong, not canonical, or of a rare kind."""


# --- numbers -----------------------------------------------------------------------------


#: Larger exponents do not fit the numbers that AWS's layers have for them.
_LARGEST_INT = 2**31 - 1
_LARGEST_LONG = 2**63 - 1
_NOT_NUMERIC = "The parameter cannot be converted to a numeric value"


def number(text: str) -> Decimal:
    """The exact number in ``text``, or :class:`InvalidValue` if AWS would not store it."""
    if not _NUMBER(text):
        raise _not_numeric(text)
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise _far_out(text) from None
    magnitude = value.adjusted()
    if MIN_MAGNITUDE <= magnitude <= MAX_MAGNITUDE:
        return check_number(value)
    if magnitude >= _LARGEST_INT or magnitude < -_LARGEST_INT:
        raise _far_out(text)
    # Zero is no exception: it has the magnitude that it is written with.
    raise _out_of_range(magnitude < 0)


def check_number(value: Decimal) -> Decimal:
    """``value`` unless its magnitude or precision is beyond what DynamoDB stores."""
    if not value:
        return Decimal(0)
    magnitude = value.adjusted()
    if not MIN_MAGNITUDE <= magnitude <= MAX_MAGNITUDE:
        raise _out_of_range(magnitude < 0)
    if significant_digits(value) > MAX_DIGITS:
        text = "Attempting to store more than 38 significant digits in a Number"
        raise InvalidValue(text, text)
    return value


def _not_numeric(text: str) -> InvalidValue:
    current = f"{_NOT_NUMERIC}: {text}"
    return InvalidValue(current if text else _NOT_NUMERIC, current)


def _far_out(text: str) -> InvalidValue:
    """The fault of a number with an exponent that is larger than 31 bits can hold.

    The current layer reads 64 bits. The older one reads 31, of which the largest wraps.
    """
    digits = text.lower().partition("e")[2]
    small = digits.startswith("-")
    distance = digits.lstrip("+-0")
    # Python refuses to convert thousands of digits, of which 20 are as good as all.
    exponent = int(distance[:20] or "0")
    if exponent > _LARGEST_LONG:
        return _not_numeric(text)
    current = _range_text(small)
    if exponent > _LARGEST_INT:
        return InvalidValue(f"{_NOT_NUMERIC}: {text}", current)
    return InvalidValue(_range_text(not small), current)


def _out_of_range(small: bool) -> InvalidValue:
    text = _range_text(small)
    return InvalidValue(text, text)


def _range_text(small: bool) -> str:
    if small:
        return (
            "Number underflow. "
            "Attempting to store a number with magnitude smaller than supported range"
        )
    return (
        "Number overflow. Attempting to store a number with magnitude larger than supported range"
    )


def significant_digits(value: Decimal) -> int:
    """How many digits remain without leading and trailing zeros."""
    digits = value.as_tuple().digits
    end = len(digits)
    while end > 1 and digits[end - 1] == 0:
        end -= 1
    return end


def format_number(value: Decimal) -> str:
    """Canonical text: plain digits, no exponent, no superfluous zeros."""
    if not value:
        return "0"
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text


def canonical_number(text: str) -> str:
    """The canonical text of the number written in ``text``."""
    if _CANONICAL_INTEGER(text):
        return text
    return format_number(number(text))


def _number_size(text: str) -> int:
    # DynamoDB keeps two decimal digits in a byte, paired from the decimal point, plus one byte
    # for the exponent and one for a minus sign.
    if text.isdigit():  # most numbers: whole, and not negative
        count = len(text.rstrip("0"))
        return 1 + (1 + count // 2 if len(text) % 2 else (count + 1) // 2) if count else 1
    negative = text[0] == "-"
    body = text[1:] if negative else text
    whole, _, fraction = body.partition(".")
    digits = (whole + fraction).strip("0")
    if not digits:
        return 1
    leading_zeros = len(fraction) - len(fraction.lstrip("0"))
    exponent = len(whole) - 1 if whole != "0" else -leading_zeros - 1
    count = len(digits)
    pairs = (count + 1) // 2 if exponent % 2 else 1 + count // 2
    return 1 + pairs + negative


# --- normalising -------------------------------------------------------------------------


def normalize(av: AttributeValue, depth: int = 0) -> tuple[AttributeValue, int]:
    """Check one attribute value; its canonical form and its size in bytes.

    ``depth`` is the number of maps and lists that it stands in.
    """
    if len(av) != 1:
        av = _single(av)
    ((kind, value),) = av.items()
    if kind == "S":
        return av, len(value) if value.isascii() else text_size(value)
    if kind == "N":
        text = canonical_number(value)
        return (av if text == value else {"N": text}), _number_size(text)
    if kind == "BOOL":
        return av, 1
    if kind == "M":
        return _normalize_map(value, depth + 1)
    if kind == "L":
        return _normalize_list(value, depth + 1)
    if kind == "B":
        text, size = _binary(value)
        return (av if text == value else {"B": text}), size
    if kind == "NULL":
        if value is not True:
            text = _INVALID + "Null attribute value types must have the value of true"
            raise InvalidValue(text, text)
        return av, 1
    if kind in _SETS and value is not None:
        return _normalize_set(kind, value)
    raise InvalidValue(_EMPTY)


def normalize_item(item: Item) -> tuple[Item, int]:
    """Check a whole item; its canonical form and its size in bytes, names included.

    Whoever made the item may go on and change it: what is in it is not shared with them.
    """
    try:
        size = canonical_size(item)
    except Unclear:
        return _normalize_carefully(item)
    return {name: _unshared(av) for name, av in item.items()}, size


def _unshared(av: AttributeValue) -> AttributeValue:
    ((kind, value),) = av.items()
    if kind == "M":
        return {kind: {name: _unshared(member) for name, member in value.items()}}
    if kind == "L":
        return {kind: [_unshared(member) for member in value]}
    return {kind: [*value]} if kind == "SS" else av


def _normalize_carefully(item: Item) -> tuple[Item, int]:
    if "" in item:
        raise EmptyName
    try:
        return _normalize_members(item)
    except EmptyName:
        # Whichever comes first in the item, AWS names a value that is too deep.
        if any(_is_too_deep(av, 0) for av in item.values()):
            raise InvalidValue(TOO_DEEP, TOO_DEEP) from None
        raise


def _is_too_deep(av: AttributeValue, depth: int) -> bool:
    members: list[AttributeValue] = [*(av.get("M") or {}).values(), *(av.get("L") or ())]
    if not members:
        return False
    return depth + 1 >= MAX_NESTING or any(_is_too_deep(each, depth + 1) for each in members)


def _normalize_members(item: Item) -> tuple[Item, int]:
    checked: Item = {}
    total = 0
    for name, av in item.items():
        # Most values are strings: they are checked here, without a call.
        if len(av) == 1 and (text := av.get("S")) is not None and text.isascii():
            checked[name] = av
            size = len(text)
        else:
            checked[name], size = normalize(av)
        total += size + (len(name) if name.isascii() else text_size(name))
    return checked, total


def canonical_size(item: Any) -> int:
    """The size of ``item`` if it is well-formed and canonical as it stands, else :class:`Unclear`.

    This is one walk for what otherwise takes two: one over the types, and one to normalise. It
    takes nothing for granted, and leaves all that is rare to the careful way.
    """
    if type(item) is not dict or "" in item:
        raise Unclear
    texts: list[str] = [*item]
    try:
        total = _gather(item.values(), texts, 0)
        # What is no text is found here as well, without a look at each.
        joined = "".join(texts)
    except TypeError:
        raise Unclear from None
    if len(joined) > SURELY_SHORT_NAME < max(map(len, item)):
        raise Unclear
    return total + text_size(joined)


def _gather(values: Iterable[Any], texts: list[str], depth: int) -> int:
    """Add all text in ``values`` to ``texts``; the size of everything else."""
    if depth >= MAX_NESTING:
        raise Unclear
    total = 0
    for av in values:
        if type(av) is not dict or len(av) != 1:
            raise Unclear
        if "S" in av:
            texts.append(av["S"])
            continue
        if "N" in av:
            total += _integer_size(av["N"])
            continue
        ((kind, value),) = av.items()
        given = type(value)
        if kind == "BOOL" and given is bool:
            total += 1
        elif kind == "M" and given is dict and "" not in value:
            texts.extend(value)
            total += 3 + len(value) + _gather(value.values(), texts, depth + 1)
        elif kind == "L" and given is list:
            total += 3 + len(value) + _gather(value, texts, depth + 1)
        elif kind == "SS" and given is list and value and _is_ordered_set(value):
            texts.extend(value)
        elif kind == "B" and given is str:
            total += _canonical_binary(value)
        elif kind == "NULL" and value is True:
            total += 1
        else:
            raise Unclear
    return total


def _is_ordered_set(members: list[Any]) -> bool:
    return len(set(members)) == len(members) and sorted(members) == members


# The same numbers come again and again: small counts, prices, the seconds of one batch.
@lru_cache(maxsize=4096, typed=True)
def _integer_size(text: Any) -> int:
    """The size of a whole number in canonical form."""
    if type(text) is not str or not _CANONICAL_INTEGER(text):
        raise Unclear
    return _number_size(text)


def _canonical_binary(text: str) -> int:
    try:
        raw = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        raise Unclear from None
    if b64encode(raw) != text.encode():
        raise Unclear
    return len(raw)


def _single(av: AttributeValue) -> AttributeValue:
    # Members AWS does not know, and members that are null, count as not given.
    present = {k: v for k, v in av.items() if k in TYPES and v is not None}
    if not present:
        raise InvalidValue(_EMPTY)
    if len(present) > 1:
        for kind, value in present.items():
            normalize({kind: value})
        raise InvalidValue(_SEVERAL)
    return present


def _normalize_map(value: dict[str, AttributeValue], depth: int) -> tuple[AttributeValue, int]:
    _check_depth(depth, value)
    total = 3
    checked = {}
    for name, member in value.items():
        checked[name], size = normalize(member, depth)
        total += size + text_size(name) + 1
    if "" in checked:
        raise EmptyName
    return {"M": checked}, total


def _normalize_list(value: list[AttributeValue], depth: int) -> tuple[AttributeValue, int]:
    _check_depth(depth, value)
    total = 3
    checked = []
    for member in value:
        element, size = normalize(member, depth)
        checked.append(element)
        total += size + 1
    return {"L": checked}, total


def _check_depth(depth: int, members: Sized) -> None:
    # What is in it stands one level deeper; an empty map or list is as good as a leaf.
    if depth >= MAX_NESTING and members:
        raise InvalidValue(TOO_DEEP, TOO_DEEP)


_SETS = {
    "SS": "An string set  may not be empty",
    "NS": "An number set  may not be empty",
    "BS": "Binary sets should not be empty",
}


def _normalize_set(kind: str, members: list[str]) -> tuple[AttributeValue, int]:
    if not members:
        raise InvalidValue(_INVALID + _SETS[kind])
    if kind == "NS":
        texts = [canonical_number(member) for member in members]
        sizes = sum(map(_number_size, texts))
    elif kind == "BS":
        pairs = [_binary(member) for member in members]
        texts = [text for text, _ in pairs]
        sizes = sum(size for _, size in pairs)
    else:
        texts = members
        sizes = sum(map(text_size, members))
    if len(set(texts)) != len(texts):
        raise _duplicates(kind, members, texts)
    return {kind: sorted_members(kind, texts)}, sizes


def sorted_members(kind: str, members: Iterable[str]) -> list[str]:
    """The members of a set in the order in which they are stored and returned.

    DynamoDB promises none. Clients that compare answers expect that of the values.
    """
    return sorted(members) if kind == "SS" else sorted(members, key=_ORDERED[kind[0]])


def _duplicates(kind: str, members: list[str], texts: list[str]) -> InvalidValue:
    if kind == "NS":
        text = "Input collection contains duplicates"
        return InvalidValue(text, f"{_INVALID}{text}.")
    suffix = "of type BS contains duplicates." if kind == "BS" else " contains duplicates."
    listed = ", ".join(members)
    # The current layer quotes the members and lists those before the first repeat in order.
    repeat = next(n for n, text in enumerate(texts) if text in texts[:n])
    ordered = sorted_members(kind, members[:repeat]) + members[repeat:]
    quoted = (", " if kind == "SS" else ",").join(f'"{member}"' for member in ordered)
    return InvalidValue(
        f"{_INVALID}Input collection [{listed}]{suffix}",
        f"{_INVALID}Input collection [{quoted}]{suffix}",
    )


def _binary(text: str) -> tuple[str, int]:
    try:
        raw = b64decode(text, validate=True)
    except (Base64Error, ValueError):
        raise InvalidValue("Invalid Base64 encoded string") from None
    return b64encode(raw).decode("ascii"), len(raw)


# --- sizes -------------------------------------------------------------------------------


def text_size(text: str) -> int:
    """Bytes of ``text`` in UTF-8."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        raise InvalidValue("A string holds a surrogate, which is not valid Unicode text") from None


def value_size(av: AttributeValue) -> int:
    """Size of one normalised attribute value as AWS counts it."""
    for kind, value in av.items():
        if kind == "S":
            return text_size(value)
        if kind == "N":
            return _number_size(value)
        if kind == "B":
            return binary_size(value)
        if kind == "M":
            return 3 + sum(1 + text_size(k) + value_size(v) for k, v in value.items())
        if kind == "L":
            return 3 + sum(1 + value_size(v) for v in value)
        if kind == "SS":
            return sum(map(text_size, value))
        if kind == "NS":
            return sum(map(_number_size, value))
        if kind == "BS":
            return sum(map(binary_size, value))
    return 1


def binary_size(text: str) -> int:
    """Bytes that canonical base64 ``text`` stands for."""
    return len(text) * 3 // 4 - (text.endswith("=") + text.endswith("=="))


def item_size(item: Item) -> int:
    """Size of one normalised item as AWS counts it: names and values."""
    return sum(text_size(name) + value_size(av) for name, av in item.items())


# --- comparing ---------------------------------------------------------------------------


def equal(a: AttributeValue, b: AttributeValue) -> bool:
    """Deep equality of two normalised values; sets are unordered."""
    if a == b:
        return True
    ((kind, left),) = a.items()
    ((other, right),) = b.items()
    if kind != other:
        return False
    if kind in _SETS:
        return len(left) == len(right) and set(left) == set(right)
    if kind == "L":
        return len(left) == len(right) and all(map(equal, left, right))
    if kind == "M":
        return left.keys() == right.keys() and all(equal(left[k], right[k]) for k in left)
    return False


def compare(a: AttributeValue, b: AttributeValue) -> int | None:
    """Order of two S, N or B values of one type; None where there is no order."""
    ((kind, left),) = a.items()
    if kind not in b or kind not in _ORDERED:
        return None
    x, y = _ORDERED[kind](left), _ORDERED[kind](b[kind])
    return int(x > y) - int(x < y)


#: The order of code points, which is Python's, is also that of their UTF-8 bytes.
_ORDERED: dict[str, Any] = {"S": str, "N": Decimal, "B": b64decode}


# --- keys --------------------------------------------------------------------------------


def key_bytes(kind: str, value: str) -> bytes:
    """Bytes of one key scalar; byte order is value order."""
    if kind == "S":
        return value.encode()
    if kind == "B":
        return b64decode(value)
    return number_bytes(Decimal(value))


def number_bytes(value: Decimal) -> bytes:
    """A number as sign, exponent and digit pairs; ends itself, so that no code is a prefix."""
    sign, digits, _ = value.as_tuple()
    if not value:
        return b"\x80"
    text = "".join(map(str, digits)).rstrip("0")
    if len(text) % 2:
        text += "0"
    code = bytes((value.adjusted() - MIN_MAGNITUDE, *_pairs(text), 0))
    if sign:
        return b"\x7f" + bytes(255 - byte for byte in code)
    return b"\x81" + code


def _pairs(text: str) -> Iterable[int]:
    return (int(text[i : i + 2]) + 1 for i in range(0, len(text), 2))


def joined_key_bytes(parts: Iterable[tuple[str, str]]) -> bytes:
    """Several key scalars as one byte string whose order is the order of the tuple."""
    return b"".join(_closed(kind, value) for kind, value in parts)


def _closed(kind: str, value: str) -> bytes:
    code = key_bytes(kind, value)
    if kind == "N":
        return code
    # 0x00 inside becomes 0x00 0xff, so that the closing 0x00 0x00 sorts before any longer text.
    return code.replace(b"\x00", b"\x00\xff") + b"\x00\x00"
