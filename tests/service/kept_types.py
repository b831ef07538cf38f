"""What the framework makes of types is kept, for all apps of a run.

Every test that has an app of its own builds all routes anew, and a third of that time goes into
validators for the same few types. The framework has no way to share them that is public; where it
does it otherwise one day, nothing is lost but time.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from pydantic import TypeAdapter

#: By type, what is said about it, and the number of its configuration, which is kept for that.
_kept: dict[tuple[Any, str, int], tuple[TypeAdapter[Any], Any]] = {}


def keep_types() -> None:
    with suppress(ImportError, AttributeError):
        fields: Any = import_module("fastapi._compat.v2")
        if fields.TypeAdapter is TypeAdapter:
            fields.TypeAdapter = _adapter


def _adapter(kind: Any, *, config: Any = None) -> TypeAdapter[Any]:
    try:
        key = (kind.__origin__, repr(kind.__metadata__), id(config))
        found = _kept.get(key)
    except (AttributeError, TypeError):  # it is not annotated, or cannot be a key
        return TypeAdapter(kind, config=config)
    if "default_factory" in key[1]:  # of which only the name is told
        return TypeAdapter(kind, config=config)
    if found is None:
        found = _kept[key] = (TypeAdapter(kind, config=config), config)
    return found[0]
