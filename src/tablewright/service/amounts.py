"""Amounts of money as people write them: one parser for pages, commands and APIs.

``1,50`` is one and a half in German and nothing in particular in English, where commas separate
thousands. Guessing wrong multiplies an amount by 100 or 1,000, so this parser reads a text only
where it has one meaning:

* With two kinds of separators, the last one is the decimal separator: ``1.000,50``, ``1,000.50``.
* A separator that repeats separates groups: ``1.000.000``, ``12,50,000`` (Indian), ``1 000 000``.
* A single separator that is not followed by exactly three digits is the decimal separator, in every
  locale: a group always has three.
* A single separator followed by exactly three digits is read as the locale says. Without a locale a
  point is a decimal point, as in programs, and a comma is refused.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from babel import Locale

__all__ = ["AmountError", "accepted_locale", "format_amount", "parse_amount"]

#: Whole digits of an amount; more would be a mistake in any currency.
_MOST_DIGITS = 15
_MOST_CHARACTERS = 100
_SPACES = " \u00a0\u2009\u202f"
#: Separators of groups that never separate decimals: spaces, Swiss apostrophes, the Arabic one.
_GROUPS_ONLY = f"{_SPACES}'\u2019\u066c"
#: Arabic digits come with their own decimal separator.
_DECIMALS_ONLY = "\u066b"
_NUMBER = re.compile(rf"[0-9][0-9.,{re.escape(_GROUPS_ONLY)}{_DECIMALS_ONLY}]*|[.,][0-9]+")
_CODE = re.compile(r"[A-Za-z]{3}")
#: How people write currencies beside their code and symbol.
_SPELLINGS = {"INR": ("Rs", "Rs."), "USD": ("US$", "$")}


class AmountError(ValueError):
    """A text that is not an amount, for a reason that may be shown."""


def parse_amount(
    text: str,
    *,
    locale: str | None = None,
    decimals: int = 2,
    currency: str | None = None,
    signed: bool = False,
) -> Decimal:
    """Parse an amount in the major unit of its currency.

    Args:
        text: What was typed, with or without a currency sign.
        locale: The reader's locale, such as ``de`` or ``en-IN``; None for programs.
        decimals: The most decimal places; further ones may only be zeros.
        currency: The code of the currency, such as ``USD``; another one in the text is refused.
        signed: Whether amounts below zero are allowed.

    Raises:
        AmountError: Says what is wrong and gives an example.
    """
    if len(text) > _MOST_CHARACTERS:
        raise AmountError(f"Enter an amount such as {_example(locale, decimals)}.")
    number, negative = _split_sign(_without_currency(_ascii_digits(text), currency))
    if not _NUMBER.fullmatch(number):
        raise AmountError(f"Enter an amount such as {_example(locale, decimals)}.")
    whole, fraction = _split_decimals(number, locale)
    if len(whole.lstrip("0")) > _MOST_DIGITS:
        raise AmountError("The amount is too large.")
    if len(fraction.rstrip("0")) > decimals:
        places = "1 decimal place" if decimals == 1 else f"{decimals} decimal places"
        raise AmountError(f"Use at most {places}." if decimals else "Use a whole number.")
    amount = Decimal(f"{whole or '0'}.{fraction or '0'}")
    if negative and amount and not signed:
        raise AmountError("The amount cannot be negative.")
    exact = amount.quantize(Decimal(1).scaleb(-decimals))
    return -exact if negative and amount else exact


def format_amount(amount: Decimal, *, locale: str | None = None, decimals: int = 2) -> str:
    """Format an amount so that :func:`parse_amount` reads the same one in the same locale."""
    fraction = max(0, -int(amount.normalize().as_tuple().exponent)) if amount else 0
    places = max(fraction, min(decimals, 2)) if fraction else 0
    plain = f"{amount:.{places}f}"
    return plain.replace(".", _symbols(locale).decimal)


def accepted_locale(accept_language: str | None) -> str | None:
    """Choose the locale of a request from its ``Accept-Language`` header; None if it names none."""
    weighted: list[tuple[float, str]] = []
    for part in (accept_language or "")[:500].split(","):
        name, _, weight = part.strip().partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if quality > 0 and _locale(name.strip()) is not None:
            weighted.append((quality, name.strip()))
    return max(weighted, key=lambda each: each[0], default=(0.0, None))[1]


# --- separators ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Symbols:
    """The separators of a locale."""

    decimal: str
    #: None: a lone separator before three digits has no known meaning unless it is ``decimal``.
    group: str | None


@lru_cache(maxsize=256)
def _locale(name: str) -> Locale | None:
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(name, sep="-" if "-" in name else "_") if name else None
    except (UnknownLocaleError, ValueError, TypeError):
        return None


@lru_cache(maxsize=256)
def _symbols(name: str | None) -> _Symbols:
    locale = _locale(name) if name else None
    if locale is None:
        return _Symbols(".", None)
    from babel.numbers import get_decimal_symbol, get_group_symbol

    decimal, group = get_decimal_symbol(locale), get_group_symbol(locale)
    return _Symbols(
        "," if decimal in (",", _DECIMALS_ONLY) else ".",
        group if group in (",", ".") else None,
    )


def _split_decimals(number: str, locale: str | None) -> tuple[str, str]:
    """Split a number into its whole digits and its decimals, both without separators."""
    position = _decimal_position(number, locale)
    whole = number if position is None else number[:position]
    fraction = "" if position is None else number[position + 1 :]
    if fraction and not fraction.isdigit():
        raise AmountError(f"Enter an amount such as {_example(locale, 2)}.")
    return _ungrouped(whole, locale), fraction


def _decimal_position(number: str, locale: str | None) -> int | None:
    """Find the decimal separator; None if there are only groups."""
    if _DECIMALS_ONLY in number:
        return number.index(_DECIMALS_ONLY)
    last = max(number.rfind("."), number.rfind(","))
    if last < 0:
        return None
    separator = number[last]
    if number.count(separator) > 1:
        return None
    others = [each for each in number[:last] if not each.isdigit()]
    if others or not _could_be_group(number, last):
        return last
    symbols = _symbols(locale)
    if separator == symbols.decimal:
        return last
    if separator == symbols.group:
        return None
    digits = number[:last] + number[last + 1 :]
    raise AmountError(
        f"{number} could mean {number[:last]}.{number[last + 1 :].rstrip('0') or '0'} or {digits}. "
        f"Write it without a thousands separator, for example {_example(locale, 2)}."
    )


def _could_be_group(number: str, position: int) -> bool:
    """Tell whether a lone separator may separate thousands: 1 to 3 digits, then exactly three."""
    before, after = number[:position], number[position + 1 :]
    return len(after) == 3 and 1 <= len(before) <= 3 and not before.startswith("0")


def _ungrouped(whole: str, locale: str | None) -> str:
    """Remove the separators of groups, which must all be the same and stand where groups end."""
    separators = {each for each in whole if not each.isdigit()}
    if not separators:
        return whole
    separator = separators.pop()
    first, *groups = whole.split(separator)
    western = 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups)
    indian = (
        1 <= len(first) <= 2
        and len(groups) > 1
        and len(groups[-1]) == 3
        and all(len(group) == 2 for group in groups[:-1])
    )
    if separators or not (western or indian):
        raise AmountError(
            f"The separators in {whole} do not separate thousands. "
            f"Enter an amount such as {_example(locale, 2)}."
        )
    return first + "".join(groups)


# --- around the number ---------------------------------------------------------------------------


def _ascii_digits(text: str) -> str:
    """Replace the digits of other scripts by ASCII ones, and remove invisible characters."""
    return "".join(
        str(unicodedata.decimal(each)) if each.isdecimal() else each
        for each in text.strip()
        if unicodedata.category(each) != "Cf"
    )


def _split_sign(text: str) -> tuple[str, bool]:
    number = text.strip()
    if number[:1] in ("-", "\u2212", "+"):
        return number[1:].lstrip(), number[0] != "+"
    return number, False


def _without_currency(text: str, currency: str | None) -> str:
    """Remove a currency sign or code, which must be that of ``currency`` if there is one."""
    sign, rest = "", text
    if rest[:1] in ("-", "\u2212", "+"):
        sign, rest = rest[0], rest[1:].lstrip()
    match = re.match(r"[^\d.,+\u2212-]+", rest)
    if match:
        _check_currency(match[0].strip(), currency)
        rest = rest[match.end() :]
    match = re.search(rf"[^\d.,{re.escape(_GROUPS_ONLY)}]+\Z", rest.rstrip())
    if match:
        _check_currency(match[0].strip(), currency)
        rest = rest.rstrip()[: match.start()]
    return sign + rest.strip()


def _check_currency(mark: str, currency: str | None) -> None:
    if currency is None:
        if _CODE.fullmatch(mark) or all(unicodedata.category(each) == "Sc" for each in mark):
            return
        raise AmountError(f"{mark[:20]!r} is not part of an amount. Enter digits only.")
    if mark.casefold() not in {each.casefold() for each in _marks_of(currency)}:
        raise AmountError(f"Enter the amount in {currency}, without {mark[:20]!r}.")


@lru_cache(maxsize=64)
def _marks_of(currency: str) -> tuple[str, ...]:
    from babel.numbers import get_currency_symbol

    symbol = get_currency_symbol(currency, "en_US")
    return (currency, symbol, *_SPELLINGS.get(currency, ()))


def _example(locale: str | None, decimals: int) -> str:
    if not decimals:
        return "20"
    return f"20 or 0{_symbols(locale).decimal}50"
