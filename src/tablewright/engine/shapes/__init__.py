"""The first stage of AWS's request validation, before anything is looked up.

:func:`check` answers as AWS does to a request that does not fit the service model: with a
SerializationException for JSON of the wrong type, or a ValidationException that lists the
members which are missing, too long, too small, misspelt.

How it works: ``model`` holds the shapes. Nearly all requests are in order, and ``accept`` has a
compiled function per operation that recognises them in a microsecond or two. Only a request
that it doesn't recognise is taken apart: ``decoding`` finds wrong JSON types, ``precedence``
what AWS words in its own way, ``constraints`` everything else but values that are too deep, which
``nesting`` finds.
"""

from __future__ import annotations

from typing import Any

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.shapes import constraints, decoding, nesting, precedence
from tablewright.engine.shapes.accept import Accepts, compiled
from tablewright.engine.shapes.model import (
    OPERATIONS,
    STREAM_OPERATIONS,
    input_of,
)

__all__ = ["OPERATIONS", "STREAM_OPERATIONS", "accepted", "check"]

_accepts: dict[str, Accepts] = {}


def check(operation: str, request: Any) -> None:
    """Raise what AWS answers unless ``request`` fits the shape of ``operation``.

    Where AWS reads something else than was written (a null or unknown member, the text "true" for
    a boolean), the request is changed in place to what AWS reads.
    """
    if not accepted(operation, request):
        _explain(operation, request)


def accepted(operation: str, request: Any) -> bool:
    """Whether ``request`` fits the shape of ``operation`` as it stands."""
    return (_accepts.get(operation) or _compile(operation))(request)


def _compile(operation: str) -> Accepts:
    if operation not in OPERATIONS and operation not in STREAM_OPERATIONS:
        raise AwsError("UnknownOperationException", "")
    accepts = _accepts[operation] = compiled(input_of(operation))
    return accepts


def _explain(operation: str, request: Any) -> None:
    shape = input_of(operation)
    decoding.decode(shape, request)
    message = precedence.complaint(operation, shape, request)
    message = message or constraints.complaint(shape, request)
    message = message or nesting.complaint(operation, request)
    if message:
        raise validation(message)
