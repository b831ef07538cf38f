"""How values stand in keys: one :class:`Encoder` for each kind of value.

An encoder turns values into text whose order (that of its UTF-8 bytes, which is the order of code
points) is the order of the values, and back. Here are the encoder itself and those for text,
bytes, identifiers and closed sets; numbers are in :mod:`tablewright.model.keys.digits`, times in
:mod:`tablewright.model.keys.moments`.

Encoders raise ValueError or TypeError; the key adds where it happened.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias
from uuid import UUID

from tablewright.model.keys.escapes import LAST_CHARACTER, TextCode
from tablewright.model.types import Shaped


class Spot(NamedTuple):
    """Where a value lies among the texts: at ``text``, or between ``text`` and the next one."""

    text: str
    exact: bool = True


class Outside(Enum):
    """A value that no text can reach: everything is above it, or below it."""

    BELOW = "below"
    ABOVE = "above"


Place: TypeAlias = Spot | Outside


@dataclass(frozen=True, eq=False)
class Encoder:
    """One way to write values of one kind into a key."""

    #: What it takes, for error texts: "a whole number".
    what: str
    encode: Callable[[object], str]
    decode: Callable[[str], object]
    #: The texts it gives, as a regular expression without capturing groups.
    pattern: str
    #: The length of every text, if they are all equally long.
    width: int | None = None
    #: The characters that occur; None is any but the delimiter.
    alphabet: frozenset[str] | None = None
    #: Whether the order of texts is the order of values, as far as the encoder knows.
    ordered: bool = True
    #: Whether its own pattern says where it ends.
    shaped: bool = False
    #: Whether the values are numbers that may lie between two whole ones.
    fractions: bool = False
    #: Where a bound lies that need not itself be a value; None if only values can be bounds.
    locate: Callable[[object], Place] | None = None
    #: The text that a beginning has; None for values that are not read from left to right.
    begin: Callable[[str], str] | None = None

    def place(self, value: object) -> Place:
        return Spot(self.encode(value)) if self.locate is None else self.locate(value)


# --- text --------------------------------------------------------------------------------


def text_encoder(code: TextCode) -> Encoder:
    """Text, escaped by ``code``."""
    write = code.write
    spares_letters = code.spares_letters

    def encode(value: object) -> str:
        text = value if value.__class__ is str else _text(value)
        if not text:
            raise ValueError("an empty text cannot stand in a key")
        # Most identifiers are letters and digits: those need no look at each character.
        if text.isascii():
            return text if spares_letters and text.isalnum() else write(text)
        return write(_utf8(text))

    return Encoder(
        "a text",
        encode,
        code.read,
        code.pattern,
        ordered=code.ordered,
        locate=_locate_text(encode),
        begin=encode,
    )


def stored_text_encoder() -> Encoder:
    """Text as it is, for attributes that are the field itself and for raw templates."""

    def encode(value: object) -> str:
        text = value if value.__class__ is str else _text(value)
        if not text:
            raise ValueError("an empty text cannot stand in a key")
        if not text.isascii() and LAST_CHARACTER in _utf8(text):
            raise ValueError("U+10FFFF cannot stand in a key: it is the upper end of ranges")
        return text

    return Encoder("a text", encode, str, ".+", locate=_locate_text(encode), begin=encode)


def shaped_encoder(shape: Shaped) -> Encoder:
    """Text as it is, because its shape leaves no way to forge anything."""

    def encode(value: object) -> str:
        return shape.checked(_text(value))

    return Encoder(
        "a text of a given shape", encode, str, f"(?:{shape.pattern})", shaped=True, begin=_text
    )


def _locate_text(encode: Callable[[object], str]) -> Callable[[object], Place]:
    return lambda value: Outside.BELOW if value == "" else Spot(encode(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"a text is expected, not {value!r}")
    # The bare text of a subclass, such as an enumeration with its own idea of str().
    return str.__str__(value)


def _utf8(text: str) -> str:
    text.encode()  # a lone surrogate is a ValueError
    return text


# --- bytes -------------------------------------------------------------------------------


def _octets(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"bytes are expected, not {value!r}")
    if not value:
        raise ValueError("empty bytes cannot stand in a key")
    return value


def _to_base64(value: object) -> str:
    return b64encode(_octets(value)).decode()


#: Two lower-case hexadecimal digits for each byte.
HEX = Encoder(
    "bytes",
    lambda value: _octets(value).hex(),
    bytes.fromhex,
    "(?:[0-9a-f]{2})++",
    alphabet=frozenset("0123456789abcdef"),
)
#: The wire form of a binary attribute.
BASE64 = Encoder(
    "bytes",
    _to_base64,
    lambda text: b64decode(text, validate=True),
    "[A-Za-z0-9+/=]+",
    ordered=False,
)


# --- identifiers -------------------------------------------------------------------------

_ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_is_ulid = re.compile(_ULID).fullmatch
_is_uuid = re.compile(_UUID).fullmatch


def _ulid(value: object) -> str:
    text = value if value.__class__ is str else _text(value)
    if _is_ulid(text):
        return text
    if _is_ulid(text.upper()):
        return text.upper()
    raise ValueError(f"{text!r} is not a ULID")


def _uuid(value: object) -> str:
    text = str(value) if isinstance(value, UUID) else _text(value)
    if _is_uuid(text):
        return text
    if _is_uuid(text.lower()):
        return text.lower()
    raise ValueError(f"{text!r} is not a UUID")


def _beginning(alphabet: str, fold: Callable[[str], str]) -> Callable[[str], str]:
    allowed = frozenset(alphabet)

    def begin(text: str) -> str:
        if strange := set(fold(text)) - allowed:
            raise ValueError(f"no value begins with {text!r}: it never has {min(strange)!r}")
        return fold(text)

    return begin


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_HEX_GROUPS = "0123456789abcdef-"

ULID = Encoder(
    "a ULID", _ulid, str, _ULID, 26, frozenset(_CROCKFORD), begin=_beginning(_CROCKFORD, str.upper)
)
UUID_TEXT = Encoder(
    "a UUID",
    _uuid,
    str,
    _UUID,
    36,
    frozenset(_HEX_GROUPS),
    begin=_beginning(_HEX_GROUPS, str.lower),
)
UUID_OBJECT = Encoder(
    "a UUID",
    _uuid,
    UUID,
    _UUID,
    36,
    frozenset(_HEX_GROUPS),
    begin=_beginning(_HEX_GROUPS, str.lower),
)


# --- closed sets -------------------------------------------------------------------------


def closed_encoder(
    texts: Mapping[object, str], begin: Callable[[str], str] | None = None, ordered: bool = True
) -> Encoder:
    """The members of an enumeration or a ``Literal``, each with its text.

    A member of an enumeration may also be given as its value.
    """
    members = {text: member for member, text in texts.items()}
    known = dict(texts)
    for member, text in texts.items():
        if isinstance(member, Enum):
            known.setdefault(member.value, text)

    def encode(value: object) -> str:
        try:
            return known[value]
        except (KeyError, TypeError):
            shown = ", ".join(repr(getattr(member, "value", member)) for member in texts)
            raise ValueError(f"{value!r} is not one of {shown}") from None

    widths = {len(text) for text in members}
    return Encoder(
        "a member of a closed set",
        encode,
        members.__getitem__,
        # The longest first: the expression takes the first that fits.
        "(?:" + "|".join(map(re.escape, sorted(members, reverse=True))) + ")",
        widths.pop() if len(widths) == 1 else None,
        frozenset("".join(members)),
        ordered,
        begin=begin,
    )
