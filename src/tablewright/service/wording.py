"""Words for people at a terminal."""

from __future__ import annotations


def several(count: int, one: str, many: str | None = None) -> str:
    """``1 team``, ``2 teams``, ``1,200 entries``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def plain(text: str) -> str:
    """Without anything that a terminal would act upon: what people have typed is shown, no more."""
    return "".join(char if char.isprintable() else " " for char in text)
