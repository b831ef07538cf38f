"""The first stage of AWS's request validation, before anything is looked up.

:func:`check` answers as AWS does to a request that does not fit the service model: with a
SerializationException for JSON of the wrong type, or a ValidationException that lists the
members which are missing, too long, too small, misspelt.

How it works: ``model`` holds the shapes. Nearly all requests are in order, and ``accept`` has a
compiled function per operation that recognises them in a microsecond or two. Only a request
that it doesn't recognise is taken apart: ``decoding`` finds wrong JSON types, ``precedence``
what AWS words in its own way, ``constraints`` everything else but values that are too deep, which
``nesting`` finds. ``current`` has what AWS has changed of this in 2026.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.shapes import constraints, current, decoding, nesting, precedence
from tablewright.engine.shapes.accept import Accepts, compiled
from tablewright.engine.shapes.model import (
    OPERATIONS,
    STREAM_OPERATIONS,
    input_of,
)

__all__ = ["OPERATIONS", "STREAM_OPERATIONS", "Wording", "accepted", "check"]

#: The words of validation errors: AWS's of today, or those of May 2026 and before.
Wording: TypeAlias = Literal["current", "older"]

_accepts: dict[str, Accepts] = {}


def check(operation: str, request: Any, wording: Wording = "current") -> None:
    """Raise what AWS answers unless ``request`` fits the shape of ``operation``.

    Where AWS reads something else than was written (a null or unknown member, the text "true" for
    a boolean), the request is changed in place to what AWS reads.
    """
    if not accepted(operation, request):
        _explain(operation, request, wording)


def accepted(operation: str, request: Any) -> bool:
    """Whether ``request`` fits the shape of ``operation`` as it stands."""
    return (_accepts.get(operation) or _compile(operation))(request)


def _compile(operation: str) -> Accepts:
    if operation not in OPERATIONS and operation not in STREAM_OPERATIONS:
        raise AwsError("UnknownOperationException", "")
    accepts = _accepts[operation] = compiled(input_of(operation))
    return accepts


def _explain(operation: str, request: Any, wording: Wording) -> None:
    shape = input_of(operation)
    decoding.decode(shape, request)
    message = current.complaint(operation, shape, request) if wording == "current" else None
    message = message or precedence.complaint(operation, shape, request)
    message = message or constraints.complaint(shape, request)
    message = message or nesting.complaint(operation, request)
    if message:
        raise validation(message)
