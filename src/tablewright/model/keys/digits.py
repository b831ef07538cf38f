"""Numbers in keys, as digits whose order is the order of the numbers.

* Whole numbers with known bounds, or with a width (``{n:012d}``), are padded with zeros.
* Any whole number is a sign digit and 19 digits; below zero, what is left up to 10**19.
* ``{price:09.2f}`` is a decimal with a fixed point, padded with zeros to that width.
* Any decimal is a sign digit, three digits of exponent and the significant digits: 15 is
  ``113215``. Below zero the digits are complemented and closed by ``~``, which is above them all,
  because there the longer number is the lower one.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TypeVar

from tablewright.model.keys.encoders import Encoder, Outside, Place, Spot
from tablewright.values import EXACT, InvalidValue, check_number, format_number

DIGITS = frozenset("0123456789")
_SIGNED_DIGITS = 19
_SIGNED_LIMIT = 10**_SIGNED_DIGITS

T = TypeVar("T", int, Decimal)


def whole(value: object) -> int:
    """``value`` if it is a whole number; True and False are none."""
    if type(value) is int:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    raise TypeError(f"a whole number is expected, not {value!r}")


def exact(value: object) -> Decimal:
    """``value`` if it is a number that DynamoDB can hold."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError(f"a Decimal or a whole number is expected, not {value!r}")
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError(f"{value} cannot stand in a key")
    try:
        return check_number(number)
    except InvalidValue as error:
        raise ValueError(str(error)) from None


# --- whole numbers -----------------------------------------------------------------------


def padded_encoder(width: int) -> Encoder:
    """Whole numbers from 0 with at most ``width`` digits."""
    limit = 10**width
    form = f"%0{width}d"

    def encode(value: object) -> str:
        number = whole(value)
        if 0 <= number < limit:
            return form % number
        raise ValueError(f"{value} is not from 0 to {limit - 1}, for which the key has room")

    locate = _clamped(encode, whole, 0, limit - 1)
    return Encoder("a whole number", encode, int, f"[0-9]{{{width}}}", width, DIGITS, locate=locate)


def _signed(value: object) -> str:
    number = whole(value)
    if not -_SIGNED_LIMIT < number < _SIGNED_LIMIT:
        raise ValueError(f"{number} has more than {_SIGNED_DIGITS} digits; the key has no room")
    return f"1{number:019d}" if number >= 0 else f"0{number + _SIGNED_LIMIT:019d}"


def _unsigned(text: str) -> int:
    number = int(text[1:])
    if text[0] == "0" and not number:
        raise ValueError(f"{text} is no number")
    return number if text[0] == "1" else number - _SIGNED_LIMIT


def _clamped(
    encode: Callable[[object], str], check: Callable[[object], T], lowest: T, highest: T
) -> Callable[[object], Place]:
    def locate(value: object) -> Place:
        number = check(value)
        if number < lowest:
            return Outside.BELOW
        return Outside.ABOVE if number > highest else Spot(encode(number))

    return locate


#: Any whole number below 10**19, on both sides of zero.
SIGNED = Encoder(
    "a whole number",
    _signed,
    _unsigned,
    "[01][0-9]{19}",
    1 + _SIGNED_DIGITS,
    DIGITS,
    locate=_clamped(_signed, whole, 1 - _SIGNED_LIMIT, _SIGNED_LIMIT - 1),
)


# --- decimals ----------------------------------------------------------------------------


def fixed_point_encoder(width: int, places: int, whole_only: bool) -> Encoder:
    """Numbers from 0 with ``places`` decimal places in ``width`` characters, the point included."""
    before = width - places - 1 if places else width
    limit = 10 ** (before + places)

    def scaled(value: object) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise TypeError(f"a Decimal or a whole number is expected, not {value!r}")
        number = Decimal(value)
        if not number.is_finite():
            raise ValueError(f"{value} cannot stand in a key")
        return number.scaleb(places, EXACT)

    def write(number: Decimal) -> str:
        text = f"{int(number):0{before + places}d}"
        return f"{text[:before]}.{text[before:]}" if places else text

    def encode(value: object) -> str:
        number = scaled(value)
        if not 0 <= number < limit:
            raise ValueError(
                f"{value} is below 0 or has more than {before} digits before the point"
            )
        if number != number.to_integral_value():
            raise ValueError(f"{value} has more than {places} decimal places")
        return write(number)

    def locate(value: object) -> Place:
        number = scaled(value)
        if number < 0:
            return Outside.BELOW
        if number >= limit:
            return Outside.ABOVE
        floor = number.to_integral_value(ROUND_FLOOR)
        return Spot(write(floor), floor == number)

    def decode(text: str) -> object:
        number = Decimal(text)
        if not whole_only:
            return number
        if number != int(number):
            raise ValueError(f"{text} is not whole")
        return int(number)

    fraction = rf"\.[0-9]{{{places}}}" if places else ""
    pattern = f"[0-9]{{{before}}}{fraction}"
    alphabet = DIGITS | {"."} if places else DIGITS
    return Encoder("a decimal", encode, decode, pattern, width, alphabet, locate=locate)


#: Makes exponents positive: 000 is left for zero.
_BIAS = 131
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def _decimal(value: object) -> str:
    number = exact(value)
    if not number:
        return "1000"
    sign, digits, _ = number.as_tuple()
    text = f"{number.adjusted() + _BIAS:03d}{''.join(map(str, digits)).rstrip('0')}"
    return f"0{text.translate(_COMPLEMENT)}~" if sign else f"1{text}"


def _from_decimal(text: str) -> Decimal:
    if text == "1000":
        return Decimal(0)
    sign = "-" if text[0] == "0" else ""
    code = text[1:-1].translate(_COMPLEMENT) if sign else text[1:]
    if len(code) < 4:
        raise ValueError(f"{text} is no number")
    number = Decimal(f"{sign}{code[3]}.{code[4:]}E{int(code[:3]) - _BIAS}")
    if _decimal(number) != text:
        raise ValueError(f"{text} is no number")
    return number


DECIMAL = Encoder(
    "a decimal",
    _decimal,
    _from_decimal,
    "(?:1[0-9]{3}(?:[1-9](?:[0-9]*[1-9])?)?|0[0-9]{3}[0-8](?:[0-9]*[0-8])?~)",
    alphabet=DIGITS | {"~"},
)


# --- numbers as they are stored ----------------------------------------------------------

#: The text of a number attribute; as text, it has no order.
STORED_WHOLE = Encoder(
    "a whole number",
    lambda value: str(whole(value)),
    int,
    "-?[0-9]+",
    alphabet=DIGITS | {"-"},
    ordered=False,
)
STORED_DECIMAL = Encoder(
    "a decimal",
    lambda value: format_number(exact(value)),
    Decimal,
    r"-?[0-9]+(?:\.[0-9]+)?",
    alphabet=DIGITS | {"-", "."},
    ordered=False,
    fractions=True,
)

_WIDEST = Context(prec=38, Emin=-999999, Emax=999999)
_SMALLEST = Decimal("1E-130")


def next_below(number: Decimal) -> Decimal:
    """The greatest number below ``number`` that DynamoDB can hold; it may be out of range."""
    if not number:
        return -_SMALLEST
    if number == _SMALLEST:
        return Decimal(0)
    return number.next_minus(_WIDEST)


def next_above(number: Decimal) -> Decimal:
    """The lowest number above ``number`` that DynamoDB can hold; it may be out of range."""
    # Not with a minus sign: that would round to the precision of the thread's context.
    return next_below(number.copy_negate()).copy_negate()
