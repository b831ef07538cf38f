"""What the handler of an operation is given, and what it answers.

A handler is called with the engine, the request and a *shape*, which turns a stored item into what
the caller wants to have: a dict, or a piece of JSON text that is spliced into the response as it
is. It returns the response, or, if the operation writes, a work that returns it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Request: TypeAlias = dict[str, Any]
Response: TypeAlias = dict[str, Any]
Shape: TypeAlias = Callable[[bytes], Any]
