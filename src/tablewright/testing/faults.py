"""Faults for the length of a ``with`` block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.engine import Engine
    from tablewright.engine.realism import Fault


@contextmanager
def injected(engine: Engine, *faults: Fault) -> Iterator[None]:
    """Add ``faults`` to the ones the engine has, and take them away again at the end::

    with injected(engine, Fault("PutItem", error="InternalServerError", times=2)):
        save_with_retries(...)
    """
    before = engine.realism
    engine.realism = replace(before, faults=(*before.faults, *faults))
    try:
        yield
    finally:
        engine.realism = replace(engine.realism, faults=before.faults)
