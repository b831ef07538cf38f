"""Requests that go wrong: as a test says, or as the seed has it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.systems.kurukshetra.sandbox.chance import Chance
from tablewright.systems.kurukshetra.sandbox.refusals import SERVER, error

#: Before anything is done: ``throttled``, ``failed``, ``cut`` (the connection ends).
#: After it was done: ``failed_after``, ``cut_after``, ``garbled`` (half of the answer).
FaultKind: TypeAlias = Literal["throttled", "failed", "cut", "failed_after", "cut_after", "garbled"]
_BEFORE: tuple[FaultKind, ...] = ("throttled", "failed", "cut")
_AFTER: tuple[FaultKind, ...] = ("failed_after", "cut_after", "garbled")


@dataclass(frozen=True, slots=True)
class Fault:
    kind: FaultKind | None = None
    #: Seconds before the answer.
    slow: float = 0.0
    retry_after: str | None = None

    @property
    def before(self) -> bool:
        """Whether nothing is done."""
        return self.kind in _BEFORE


class Faults:
    """What happens to the next requests. It may be used by many threads."""

    def __init__(self, chance: Chance, share: float) -> None:
        #: For the next requests, one after the other; then it is as the seed has it.
        self.next: list[Fault] = []
        self._chance = chance
        self._share = share
        self._asked = 0
        self._lock = threading.Lock()

    def draw(self) -> Fault:
        with self._lock:
            if self.next:
                return self.next.pop(0)
            self._asked += 1
            name = f"fail/{self._asked}"
        if not self._chance.happens(name, self._share):
            return Fault()
        return Fault(self._chance.draw(f"kind/{name}").choice((*_BEFORE, *_AFTER)))


def told(fault: Fault) -> tuple[int, dict[str, Any]]:
    """The status and the document of a fault that has some."""
    if fault.kind == "throttled":
        return 429, error("Too many requests", reason="NA")
    text = "We are facing some trouble completing your request at the moment."
    return 500, error(f"{text} Please try again shortly.", code=SERVER, reason="server_error")
