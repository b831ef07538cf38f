"""What the server uses of an engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable


class Reply(Protocol):
    """What is used of an engine's future (a ``concurrent.futures.Future[bytes]``)."""

    def done(self) -> bool: ...

    def result(self) -> bytes: ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> None: ...


@runtime_checkable
class Wire(Protocol):
    """What is used of an engine: JSON in, a future of JSON out."""

    def submit_json(self, operation: str, body: bytes, /) -> Reply: ...


#: Finds the engine of an access key and region, where their data is kept apart.
EngineOf = Callable[[str, str], Wire]
