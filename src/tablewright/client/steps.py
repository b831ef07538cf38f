"""Flows: protocols as generators, without I/O.

A flow yields what it wants done, a :class:`Request` to send or a :class:`Pause`, gets the answer
back, and returns its result. Failures of the transport are thrown into it. Paging, batching,
retrying: all of it is flows, so that ``Db`` and ``AsyncDb`` are two small drivers.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tablewright.client.transports.wire import Request, Response

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, then go on; the answer is None."""

    seconds: float


Step: TypeAlias = Request | Pause
Flow: TypeAlias = Generator[Step, Response | None, R]
