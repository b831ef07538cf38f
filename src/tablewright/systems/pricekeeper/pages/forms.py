"""Amounts and limits as people type them into forms."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from tablewright.service.problems import FieldError, Problem

_MICROS = Decimal(1_000_000)
#: How people write that there is no limit.
UNLIMITED = ("unlimited", "none", "∞")
NO_AMOUNT = "An amount in dollars, such as 20 or 0.50."


def micro_usd(text: str) -> int:
    """Dollars, as people write them, in micro-USD; ValueError says what is wrong."""
    plain = text.removeprefix("$").replace(",", "").replace(" ", "")
    try:
        amount = Decimal(plain) * _MICROS
    except InvalidOperation:
        raise ValueError(NO_AMOUNT) from None
    if not amount.is_finite() or abs(amount) > 10**15:
        raise ValueError("At most a billion dollars.")
    if amount != amount.to_integral_value():
        raise ValueError("At most six digits after the point.")
    return int(amount)


def dollars(micros: int | None) -> str:
    """Micro-USD as one types them; what has no limit is so called."""
    if micros is None:
        return UNLIMITED[0]
    text = f"{Decimal(micros) / _MICROS:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def limit_of(text: str) -> int | None:
    """A limit: an amount, or none; ValueError says what is wrong."""
    if text.lower() in UNLIMITED:
        return None
    amount = micro_usd(text)
    if amount < 0:
        raise ValueError("Not less than nothing.")
    return amount


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
