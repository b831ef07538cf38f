"""One request's placeholders, and the expressions of the request that use them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from tablewright.expressions.condition import Condition
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.keycondition import KeyTerm
from tablewright.expressions.paths import hash_order
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

_NAME_KEY = re.compile(r"#[A-Za-z0-9_]+\Z").match
_VALUE_KEY = re.compile(r":[A-Za-z0-9_]+\Z").match


class Scope:
    """``ExpressionAttributeNames`` and ``-Values`` of one request, and what they are used in.

    Ask for each expression of the request, in AWS's order (update, condition, key condition,
    filter, projection), then :meth:`finish`.
    """

    __slots__ = ("_names", "_unused_names", "_unused_values", "_values")

    def __init__(
        self, names: dict[str, str] | None, values: dict[str, AttributeValue] | None
    ) -> None:
        self._names = {} if names is None else _checked_names(names)
        self._values = {} if values is None else _checked_values(values)
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
        return Condition.bound(syntax.bind(self._names, self._values), self._values)

    def update(self, text: str) -> Update:
        """The update in ``text``."""
        syntax = update_syntax(text)
        self._use(syntax)
        return Update.bound(syntax.bind(self._names, self._values), self._values)

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


def _checked_names(names: dict[str, str]) -> dict[str, str]:
    if not names:
        raise ExpressionError("ExpressionAttributeNames must not be empty")
    for key in names:
        if not _NAME_KEY(key):
            raise _invalid_key("Names", key)
    return names


def _checked_values(values: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    if not values:
        raise ExpressionError("ExpressionAttributeValues must not be empty")
    for key in values:
        if not _VALUE_KEY(key):
            raise _invalid_key("Values", key)
    checked = {}
    for key, value in values.items():
        try:
            checked[key], _ = normalize(value)
        except InvalidValue as error:
            raise ExpressionError(
                f"ExpressionAttributeValues contains invalid value: {error} for key {key}"
            ) from None
    return checked


def _invalid_key(which: str, key: str) -> ExpressionError:
    return ExpressionError(
        f'ExpressionAttribute{which} contains invalid key: Syntax error; key: "{key}"'
    )


def _unused(which: str, keys: Iterable[str]) -> ExpressionError:
    listed = ", ".join(hash_order(sorted(keys)))
    return ExpressionError(
        f"Value provided in ExpressionAttribute{which} unused in expressions: keys: {{{listed}}}"
    )
