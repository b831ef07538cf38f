"""Texts, numbers, booleans and binaries."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from decimal import Decimal
from typing import Any
from uuid import UUID

from tablewright.model.storage.base import Names, Storage, Unfit, found, shown
from tablewright.values import AttributeValue, InvalidValue, check_number, format_number

#: Up to here a number has neither too many digits nor too large a magnitude.
_PLAIN = 38
_LARGEST = 10**_PLAIN
#: Nearly all whole numbers are smaller, and comparing these costs least.
_QUICK = 10**18


class Scalar(Storage):
    """A storage whose wire form is one text (or boolean)."""

    #: What belongs here, for errors.
    label: str = ""

    def wire(self, value: Any) -> Any:
        """The text of ``value``; ValueError and its like if it does not belong here."""
        raise NotImplementedError

    def value(self, wire: Any) -> object:
        raise NotImplementedError

    def pack(self, value: object) -> AttributeValue | None:
        try:
            return {self.kind: self.wire(value)}
        except InvalidValue as error:
            raise Unfit(f"{shown(value)} cannot be stored: {error}") from None
        except _BAD as error:
            raise Unfit(f"{self.label} is expected, not {shown(value)}{_reason(error)}") from None

    def unpack(self, av: AttributeValue) -> object:
        wire = av.get(self.kind)
        if wire is None:
            raise Unfit(f"{self.label} ({self.kind}) is expected, but the item holds {found(av)}")
        try:
            return self.value(wire)
        except _BAD as error:
            raise Unfit(
                f"{self.label} is expected, but the item holds {found(av)}{_reason(error)}"
            ) from None

    def write(self, value: str, names: Names) -> str:
        return f"{{{self.kind!r}: {self.write_wire(value, names)}}}"

    def read(self, av: str, names: Names) -> str:
        return self.read_wire(f"{av}[{self.kind!r}]", names)

    def write_wire(self, value: str, names: Names) -> str:
        """Source of the bare text of the value in the variable ``value``."""
        return f"{names.of(self.wire)}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        """Source of the value of the bare text that ``wire`` gives."""
        return f"{names.of(self.value)}({wire})"


class Misplaced(Exception):
    """A value of another type, where there is nothing more to say about it."""


_BAD = (Misplaced, ValueError, TypeError, ArithmeticError, AttributeError)


def _reason(error: Exception) -> str:
    # The words of our own checks help; those of int() and the like do not.
    return (
        f": {error}" if type(error) is ValueError and not str(error).startswith("invalid") else ""
    )


class Text(Scalar):
    kind = "S"
    label = "a text"
    python = (str,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, str):
            raise Misplaced
        # Plain text even of an Enum, whose own str() is its name.
        return str.__str__(value)

    def value(self, wire: Any) -> object:
        return wire

    def write_wire(self, value: str, names: Names) -> str:
        text, other = names.of(str), names.of(self.wire)
        return f"{value} if {value}.__class__ is {text} else {other}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        return wire


class Integer(Scalar):
    kind = "N"
    label = "a whole number"
    python = (int,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, int) or isinstance(value, bool):
            raise Misplaced
        value = int(value)
        if -_LARGEST < value < _LARGEST:
            return str(value)
        return format_number(check_number(Decimal(value)))

    def value(self, wire: Any) -> object:
        try:
            return int(wire)
        except ValueError:
            # Written by others, perhaps with an exponent.
            number = Decimal(wire)
            if number != number.to_integral_value():
                raise Misplaced from None
            return int(number)

    def write_wire(self, value: str, names: Names) -> str:
        whole, text, other = names.of(int), names.of(str), names.of(self.wire)
        quick = f"{value}.__class__ is {whole} and -{_QUICK} < {value} < {_QUICK}"
        return f"{text}({value}) if {quick} else {other}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        return f"{names.of(int)}({wire})"


class Exact(Scalar):
    """Decimals, to the last of 38 digits."""

    kind = "N"
    label = "a decimal number"
    python = (Decimal, int)

    def wire(self, value: Any) -> str:
        if value.__class__ is not Decimal:
            if not isinstance(value, int | Decimal) or isinstance(value, bool):
                raise Misplaced
            value = Decimal(value)
        if not value.is_finite():
            raise Misplaced
        text = str(value)
        if len(text) > _PLAIN or "E" in text:
            return format_number(check_number(value))
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return text if value else "0"

    def value(self, wire: Any) -> object:
        return Decimal(wire)

    def read_wire(self, wire: str, names: Names) -> str:
        return f"{names.of(Decimal)}({wire})"


class Float(Scalar):
    """Floats by their shortest text, which reads back as the same float."""

    kind = "N"
    label = "a finite number"
    python = (float, int)

    def wire(self, value: Any) -> str:
        if value.__class__ is not float:
            if not isinstance(value, float | int) or isinstance(value, bool):
                raise Misplaced
            value = float(value)
        text: str = repr(value)
        # Of all that remain, only an exponent, nan and inf hold one of these.
        if "e" in text or "n" in text:
            number = Decimal(text)
            if not number.is_finite():
                raise Misplaced
            return format_number(check_number(number))
        if text.endswith(".0"):
            return text[:-2] if value else "0"
        return text

    def value(self, wire: Any) -> object:
        return float(wire)

    def read_wire(self, wire: str, names: Names) -> str:
        return f"{names.of(float)}({wire})"


class Boolean(Scalar):
    kind = "BOOL"
    label = "a boolean"
    python = (bool,)

    def wire(self, value: Any) -> bool:
        if value is True or value is False:
            return bool(value)
        raise Misplaced

    def value(self, wire: Any) -> object:
        return self.wire(wire)

    def write_wire(self, value: str, names: Names) -> str:
        boolean, other = names.of(bool), names.of(self.wire)
        return f"{value} if {value}.__class__ is {boolean} else {other}({value})"

    def read_wire(self, wire: str, names: Names) -> str:
        return wire


class Bytes(Scalar):
    kind = "B"
    label = "bytes"
    python = (bytes,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, bytes):
            raise Misplaced
        return b2a_base64(value, newline=False).decode("ascii")

    def value(self, wire: Any) -> object:
        return a2b_base64(wire, strict_mode=True)


class Uuid(Scalar):
    kind = "S"
    label = "a UUID"
    python = (UUID,)

    def wire(self, value: Any) -> str:
        if not isinstance(value, UUID):
            raise Misplaced
        return str(value)

    def value(self, wire: Any) -> object:
        return UUID(wire)
