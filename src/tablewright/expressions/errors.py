"""The one error of this package: an expression DynamoDB refuses, in AWS's own words."""

from __future__ import annotations


class ExpressionError(Exception):
    """An expression, its placeholders or its evaluation is not valid.

    ``str(error)`` is AWS's complete message; whoever serves a request turns it into a
    ``ValidationException``.
    """
