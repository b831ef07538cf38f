"""Short ways to write the attributes of the documents' tables."""

from __future__ import annotations

from typing import Any

from tablewright.review.design import Attribute


def texts(*names: str, **rest: Any) -> tuple[Attribute, ...]:
    """Required texts."""
    return tuple(Attribute(name, "S", **rest) for name in names)


def numbers(*names: str, **rest: Any) -> tuple[Attribute, ...]:
    """Required numbers."""
    return tuple(Attribute(name, "N", **rest) for name in names)


def booleans(*names: str, **rest: Any) -> tuple[Attribute, ...]:
    """Required truth values."""
    return tuple(Attribute(name, "BOOL", **rest) for name in names)
