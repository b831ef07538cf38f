"""Which modules Python takes: compiled ones, or the sources beside them.

The modules that every request passes through can be compiled (`requirements/native.py`). An
extension module goes before a source of the same name, which is right for an installed package. In
a checkout somebody may have changed a source since: then, and wherever ``TABLEWRIGHT_PURE`` is set,
:func:`settle` has Python look for sources alone. It runs before any other module of the package is
imported, and what it decides holds for all of them: compiled modules know each other's insides.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType

_HERE = os.path.dirname(__file__)


class Sources:
    """Finds the modules of this package by their sources."""

    def __init__(self) -> None:
        self._finders: dict[str, FileFinder] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """What Python asks for each module that is imported."""
        if not name.startswith("tablewright."):
            return None
        for folder in path or ():
            finder = self._finders.get(folder)
            if finder is None:
                finder = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))
                self._finders[folder] = finder
            found = finder.find_spec(name)
            if found is not None:
                return found
        return None


def settle() -> None:
    """Have sources taken if the compiled modules are not wanted, or not of these sources."""
    if os.environ.get("TABLEWRIGHT_PURE") or _changed():
        sys.meta_path.insert(0, Sources())


def compiled() -> bool:
    """Whether this process has imported compiled modules."""
    return "tablewright__mypyc" in sys.modules


def _changed() -> bool:
    """Whether a source is not what was compiled. Installed packages do not say: there they are."""
    manifest = os.path.join(_HERE, "native.json")
    if not os.path.exists(manifest):
        return False
    try:
        with open(manifest, "rb") as file:
            sources = json.load(file)["sources"]
        for name, (modified, size) in sources.items():
            now = os.stat(os.path.join(_HERE, name))
            if (now.st_mtime_ns, now.st_size) != (modified, size):
                return True
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return True
    return False
