"""Modules that a run of pytest inside of pytest imports first, kept for the tests after it.

Pytester forgets them. Imported once more they are others, and what is written in Rust or C still
knows the first ones: cryptography takes no hash for a hash any more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


class Remembering:
    """A plugin of the inner run, which sees what it has imported."""

    def __init__(self) -> None:
        self._seen: dict[str, ModuleType] = {}

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """All but the modules of the run's own folder, whose names come again."""
        own = config.invocation_params.dir
        for name, module in sys.modules.items():
            file = getattr(module, "__file__", None)
            if module is not None and (file is None or own not in Path(file).parents):
                self._seen[name] = module

    def put_back(self) -> None:
        for name, module in self._seen.items():
            sys.modules.setdefault(name, module)


@pytest.fixture
def remembering() -> Iterator[Remembering]:
    """To be asked for before ``pytester``, which forgets once more when its test is over."""
    plugin = Remembering()
    yield plugin
    plugin.put_back()
