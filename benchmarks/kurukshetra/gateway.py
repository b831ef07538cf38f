"""A sandbox in a process of its own: what it does must not count as the service's work."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from tablewright.systems.kurukshetra.sandbox import sandbox

_PATIENCE_SECS = 30.0


@contextmanager
def gateway() -> Iterator[str]:
    """Its address. Its books are in memory, and it delivers nothing by itself."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        if not ours.poll(_PATIENCE_SECS):
            raise RuntimeError("the sandbox did not start")
        yield str(ours.recv())
    finally:
        ours.send(None)
        process.join(_PATIENCE_SECS)


def _serve(told: Connection) -> None:
    with sandbox() as running:
        told.send(running.url)
        told.recv()
