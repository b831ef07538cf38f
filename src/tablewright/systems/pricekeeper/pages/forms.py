"""Amounts and limits as people type them into forms, in the notation of their language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING

from tablewright.service.amounts import accepted_locale, format_amount, parse_amount
from tablewright.service.problems import FieldError, Problem

if TYPE_CHECKING:
    from starlette.requests import Request

_GROUPED = re.compile(r"[-+\u2212]?[0-9]{1,3}(?:(?:,[0-9]{3})+|(?:\.[0-9]{3})+)")
_MICROS = Decimal(1_000_000)
_MOST_DOLLARS = 10**9
#: How people write that there is no limit.
UNLIMITED = ("unlimited", "none", "∞")


def locale_of(request: Request) -> str | None:
    """Return the locale in which the reader of a page writes amounts."""
    return accepted_locale(request.headers.get("accept-language"))


def parse_dollars(text: str, locale: str | None = None, *, signed: bool = False) -> int:
    """Parse dollars as micro-USD.

    Raises:
        ValueError: Says what is wrong, for people.
    """
    amount = parse_amount(text, locale=locale, decimals=6, currency="USD", signed=signed)
    if abs(amount) > _MOST_DOLLARS:
        raise ValueError("Enter at most 1 billion dollars.")
    return int(amount * _MICROS)


def parse_limit(text: str, locale: str | None = None) -> int | None:
    """Parse a limit as micro-USD; None for "unlimited".

    Raises:
        ValueError: Says what is wrong, for people.
    """
    return None if text.lower() in UNLIMITED else parse_dollars(text, locale)


def parse_count(text: str, locale: str | None = None) -> int:
    """Parse a whole number, which may be negative and have thousands separators.

    Raises:
        ValueError: Says what is wrong, for people.
    """
    if _GROUPED.fullmatch(text):
        # A point or comma before three digits cannot be a decimal separator here.
        text = text.replace(",", "").replace(".", "")
    return int(parse_amount(text, locale=locale, decimals=0, signed=True))


def format_dollars(micros: int | None, locale: str | None = None) -> str:
    """Format micro-USD so that :func:`parse_limit` reads the same amount in the same locale."""
    if micros is None:
        return UNLIMITED[0]
    return format_amount(Decimal(micros) / _MICROS, locale=locale, decimals=6)


def without_prefix(problem: Problem, names: Mapping[str, str]) -> Problem:
    """The problem with other names for some fields: of the form, and not of the body."""
    errors = [
        FieldError(names.get(each.field, each.field), each.message) for each in problem.errors
    ]
    return Problem(
        problem.status,
        problem.code,
        problem.detail,
        errors=errors,
        headers=problem.headers,
        extra=problem.extra,
    )
