"""One request's placeholders, and the expressions of the request that use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from tablewright.expressions.condition import Condition
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.keycondition import KeyTerm
from tablewright.expressions.projection import Projection
from tablewright.expressions.syntax import (
    Syntax,
    condition_syntax,
    key_condition_syntax,
    projection_syntax,
    update_syntax,
)
from tablewright.expressions.update import Update
from tablewright.values import AttributeValue, InvalidValue, normalize

MAX_KEY = 255
MAX_NAME = 65535
MAX_VALUES = 2 * 1024 * 1024

_SURELY_SHORT = MAX_NAME // 4
#: A value may be one level deeper than what can be stored.
_ABOVE_VALUES = -1
_KEY = re.compile(r"[#:][A-Za-z0-9_]+\Z").match
_MAPS = {"#": "Names", ":": "Values"}


class Scope:
    """``ExpressionAttributeNames`` and ``-Values`` of one request, and what they are used in.

    Ask for each expression of the request, in AWS's order (update, condition, filter,
    projection, key condition), then :meth:`finish`.
    """

    __slots__ = ("_names", "_unused_names", "_unused_values", "_values", "_values_size")

    def __init__(
        self, names: dict[str, str] | None, values: dict[str, AttributeValue] | None
    ) -> None:
        self._names = {} if names is None else _checked_names(names)
        self._values: dict[str, AttributeValue] = {}
        self._values_size = 0
        if values is not None:
            self._values, self._values_size = _checked_values(values)
        self._unused_names = set(self._names)
        self._unused_values = set(self._values)

    @property
    def values(self) -> Mapping[str, AttributeValue]:
        """The values, in canonical form."""
        return self._values

    def condition(self, text: str, kind: str = "ConditionExpression") -> Condition:
        """The condition in ``text``; ``kind`` is the parameter's name in messages."""
        syntax = condition_syntax(kind, text)
        self._use(syntax)
        return Condition(syntax.bind(self._names, self._values), self._values)

    def update(self, text: str) -> Update:
        """The update in ``text``."""
        syntax = update_syntax(text)
        self._use(syntax)
        bound = syntax.bind(self._names, self._values)
        return Update(bound, self._values, self._values_size)

    def projection(self, text: str) -> Projection:
        """The projection in ``text``."""
        syntax = projection_syntax(text)
        self._use(syntax)
        return syntax.bind(self._names, self._values)

    def key_condition(self, text: str) -> list[KeyTerm]:
        """The terms of the key condition in ``text``."""
        syntax = key_condition_syntax(text)
        self._use(syntax)
        return [term.bind(self._values) for term in syntax.bind(self._names, self._values)]

    def check_key_condition(self, text: str) -> None:
        """As :meth:`key_condition`, short of asking whether a key can answer it.

        AWS asks that only after all other expressions have been found valid.
        """
        syntax = key_condition_syntax(text)
        self._use(syntax)
        if syntax.recall(self._names, self._values) is None:
            syntax.verify(self._names, self._values)

    def finish(self) -> None:
        """Complain about placeholders that no expression has used."""
        if self._unused_names:
            raise _unused("Names", self._unused_names)
        if self._unused_values:
            raise _unused("Values", self._unused_values)

    def _use(self, syntax: Syntax[Any]) -> None:
        if syntax.name_refs:
            self._unused_names.difference_update(syntax.name_refs)
        if syntax.value_refs:
            self._unused_values.difference_update(syntax.value_refs)


class KeptQuery:
    """A query's key condition and filter, which were in order with values of some types.

    With others of the same types they are, unless a rule looks at the values themselves.
    """

    __slots__ = ("_filter", "_key", "_names")

    def __init__(self, key_text: str, filter_text: str | None, names: dict[str, str]) -> None:
        self._names = names.copy()
        self._key = key_condition_syntax(key_text)
        self._filter = None
        if filter_text is not None:
            self._filter = condition_syntax("FilterExpression", filter_text)

    def bind(self, values: dict[str, AttributeValue]) -> tuple[list[KeyTerm], Condition | None]:
        """Both with the values of one request, in canonical form."""
        key, condition = self._key, self._filter
        if condition is not None and key.by_value:
            key.verify(self._names, values)
        bound = None
        if condition is not None:
            bound = Condition(condition.bind(self._names, values), values)
        return [term.bind(values) for term in key.bind(self._names, values)], bound


def _checked_names(names: dict[str, str]) -> dict[str, str]:
    if not names:
        raise ExpressionError("ExpressionAttributeNames must not be empty")
    for key in names:
        _check_key("#", key)
    for key, name in names.items():
        if not 0 < len(name) <= _SURELY_SHORT:
            _check_name(key, name)
    return names


def _check_name(key: str, name: str) -> None:
    if not name:
        raise _invalid_value("Names", key, "Empty attribute name")
    if len(name.encode("utf-8", "surrogatepass")) > MAX_NAME:
        raise _invalid_value(
            "Names", key, "Attribute name is too large, must be less than 65536 bytes"
        )


def _checked_values(
    values: dict[str, AttributeValue],
) -> tuple[dict[str, AttributeValue], int]:
    """The values in canonical form, and their size together."""
    if not values:
        raise ExpressionError("ExpressionAttributeValues must not be empty")
    for key in values:
        _check_key(":", key)
    checked = {}
    total = 0
    for key, value in values.items():
        try:
            checked[key], size = normalize(value, _ABOVE_VALUES)
        except InvalidValue as error:
            raise _invalid_value("Values", key, str(error), error.current) from None
        total += size
    if total > MAX_VALUES:
        raise ExpressionError("ExpressionAttributeValues exceeds max size")
    return checked, total


@lru_cache(4096)  # requests use the same few placeholders again and again
def _check_key(sign: str, key: str) -> None:
    start = f"ExpressionAttribute{_MAPS[sign]} contains invalid key: "
    if not (_KEY(key) and key[0] == sign):
        raise ExpressionError(f'{start}Syntax error; key: "{key}"')
    if len(key) > MAX_KEY:
        raise ExpressionError(
            f"{start}The expression attribute map contains a key that is too long; "
            f"size of key: {len(key)}"
        )


def _invalid_value(
    which: str, key: str, reason: str, current: str | None = None
) -> ExpressionError:
    return ExpressionError(
        f"ExpressionAttribute{which} contains invalid value: {reason} for key {key}", current
    )


def _unused(which: str, keys: Iterable[str]) -> ExpressionError:
    listed = ", ".join(_hash_order(keys))
    return ExpressionError(
        f"Value provided in ExpressionAttribute{which} unused in expressions: keys: {{{listed}}}"
    )


def _hash_order(keys: Iterable[str]) -> list[str]:
    """``keys`` in the order in which AWS's hash sets list them."""
    listed = sorted(keys)
    buckets = 16
    while len(listed) > buckets * 3 // 4:
        buckets *= 2
    return sorted(listed, key=lambda key: _hash(key) & (buckets - 1))


def _hash(text: str) -> int:
    code = 0
    for character in text:
        code = (code * 31 + ord(character)) & 0xFFFFFFFF
    return code ^ code >> 16
