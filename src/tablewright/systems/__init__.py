"""Five complete systems, each built from a data-model document.

A system is a package of its own, and none imports another: ``model`` reads like the document,
``demo`` has items and calls to try it with, and ``system`` is what runs.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.service.system import System

#: In the order they were built.
NAMES = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")


def available() -> tuple[str, ...]:
    """The systems that can be run, and not only designed; nothing of them is loaded."""
    return tuple(name for name in NAMES if find_spec(f"{__name__}.{name}.system") is not None)


def load(name: str) -> System:
    """A system that is available."""
    system: System = import_module(f"{__name__}.{name}.system").system
    return system
