"""The one error of this package: an expression DynamoDB refuses, in AWS's own words."""

from __future__ import annotations


class ExpressionError(Exception):
    """An expression, its placeholders or its evaluation is not valid.

    ``str(error)`` is AWS's complete message; whoever serves a request turns it into a
    ``ValidationException``. ``current`` is the message of AWS's current layer of validation, where
    that is another one (see :class:`tablewright.values.InvalidValue`).
    """

    def __init__(self, message: str = "", current: str | None = None) -> None:
        super().__init__(message)
        self.current = current
