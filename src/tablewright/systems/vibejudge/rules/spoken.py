"""Names of sub-scores and dimensions, as people say them."""

from __future__ import annotations

_CAPITALS = {"ai": "AI", "api": "API", "readme": "README"}


def spoken(name: str) -> str:
    """``code_quality`` as people say it: code quality."""
    return " ".join(_CAPITALS.get(word, word) for word in name.split("_"))


def titled(name: str) -> str:
    """The same where it stands alone: Code quality."""
    said = spoken(name)
    return said[:1].upper() + said[1:]
