"""Separate data per access key and region: one engine each, made when first asked for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Protocol

from tablewright.engine.errors import AwsError
from tablewright.server.wire import Wire

_PLAIN = re.compile(r"[A-Z0-9]{1,64}_[a-z0-9-]{1,32}")
_ODD = re.compile(r"[^A-Za-z0-9_-]")


class ClosableWire(Wire, Protocol):
    """An engine that belongs to us, and that we close."""

    def close(self) -> None: ...


class SeparateEngines:
    """Finds the engine of an access key and region; closes them all at the end.

    `make` is given a name that is safe for a folder, and the region.
    """

    def __init__(self, make: Callable[[str, str], ClosableWire], limit: int = 256) -> None:
        self._make = make
        self._limit = limit
        self._engines: dict[tuple[str, str], ClosableWire] = {}

    def __call__(self, access_key: str, region: str) -> Wire:
        engine = self._engines.get((access_key, region))
        if engine is None:
            if len(self._engines) >= self._limit:
                raise AwsError(
                    "LimitExceededException",
                    f"This server keeps apart at most {self._limit} access keys and regions.",
                )
            engine = self._make(folder_name(access_key, region), region)
            self._engines[access_key, region] = engine
        return engine

    def close(self) -> None:
        """Close all engines that were opened."""
        for engine in self._engines.values():
            engine.close()
        self._engines.clear()


def folder_name(access_key: str, region: str) -> str:
    """A folder's name that no other pair shares, on any file system, whatever is in the key."""
    name = f"{access_key}_{region}"
    if _PLAIN.fullmatch(name):
        return name
    digest = hashlib.sha256(f"{access_key}\0{region}".encode()).hexdigest()
    return f"{_ODD.sub('-', name)[:64]}-{digest[:16]}"
