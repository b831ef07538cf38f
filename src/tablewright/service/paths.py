"""Paths of pages."""

from __future__ import annotations

from urllib.parse import urlencode


def with_query(path: str, **values: str | int | None) -> str:
    """A path with what was chosen; what is None or empty is left out."""
    given = {name: value for name, value in values.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path
