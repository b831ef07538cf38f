"""How much of what could be tried is tried.

A short run tries a part of the examples of property tests, other ones each time; all of them are
tried where ``ALL_TESTS`` is set, as `make test-all` does.
"""

from __future__ import annotations

import os

from hypothesis import settings

ALL = bool(os.environ.get("ALL_TESTS"))


def many(examples: int) -> int:
    """As many examples in a run of everything, an eighth of them otherwise."""
    return examples if ALL else max(1, examples // 8)


def unhurried() -> None:
    """Machines are busy: how long an example takes says nothing about what is tested."""
    settings.register_profile("unhurried", deadline=None, max_examples=100 if ALL else 20)
    settings.load_profile("unhurried")
