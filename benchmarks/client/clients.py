"""The shape of a client under test, with and without ``await``."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from benchmarks.client.workload import Kind, Place


class Client:
    """One library. ``get``, ``put``, ``query`` and ``batch`` are its everyday calls.

    ``prepare`` makes what they are given, outside of what is measured; ``plain`` shows an answer
    as a dict of the item's attributes, to be compared with what the others say.
    """

    name = ""
    version = ""

    def prepare(self, kind: Kind, place: Place) -> Any:
        """The argument of one operation."""
        if kind == "put":
            return self.thing(place)
        if kind == "batch":
            return [self.thing(each) for each in place.neighbours()]
        return place

    def thing(self, place: Place) -> Any:
        """What is written: an object of the library's own kind."""
        raise NotImplementedError

    def plain(self, answer: Any) -> dict[str, Any]:
        raise NotImplementedError

    def one(self, kind: Kind, argument: Any) -> Any:
        """One operation, for checks."""
        return getattr(self, kind)(argument)

    def run(self, kind: Kind, arguments: Sequence[Any]) -> None:
        """Many operations, one after the other."""
        operation = getattr(self, kind)
        for argument in arguments:
            operation(argument)

    def close(self) -> None: ...


class AsyncClient(Client):
    """A library of coroutines, on one event loop from beginning to end."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()

    def one(self, kind: Kind, argument: Any) -> Any:
        return self._runner.run(getattr(self, kind)(argument))

    def run(self, kind: Kind, arguments: Sequence[Any]) -> None:
        operation = getattr(self, kind)

        async def all_of_them() -> None:
            for argument in arguments:
                await operation(argument)

        self._runner.run(all_of_them())

    async def close_now(self) -> None: ...

    def close(self) -> None:
        self._runner.run(self.close_now())
        self._runner.close()
