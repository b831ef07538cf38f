"""What those who use the systems know: acknowledged, refused, or not known."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

#: ``unavailable`` is an answer that says so, and leaves open whether it was done after all.
Outcome = Literal["acknowledged", "refused", "unavailable", "unknown", "broken"]


def outcome_of(status: int) -> Outcome:
    """0 is no answer at all."""
    if 200 <= status < 400:
        return "acknowledged"
    if status in (503, 504):
        return "unavailable"
    if status >= 500:
        return "broken"
    return "refused" if status else "unknown"


@dataclass(frozen=True)
class Deed:
    """Something that somebody wanted to be done, and what they know of it."""

    system: str
    kind: str
    key: str
    outcome: Outcome
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def sure(self) -> bool:
        return self.outcome == "acknowledged"

    @property
    def open(self) -> bool:
        """Nobody can tell from the answer."""
        return self.outcome in ("unavailable", "unknown", "broken")


class Journal:
    """All of it. A file beside it has the same, for who looks into a violation."""

    def __init__(self, file: Path | None = None) -> None:
        self.deeds: list[Deed] = []
        #: By system, then by outcome.
        self.requests: dict[str, Counter[Outcome]] = defaultdict(Counter)
        #: Codes of refusals, for who wonders whether the load is a good one.
        self.codes: Counter[str] = Counter()
        #: What a user of the systems saw that must not be.
        self.complaints: list[str] = []
        #: When each system last acknowledged a write, on the monotonic clock.
        self.wrote: dict[str, float] = {}
        self._file = None if file is None else file.open("ab")

    def asked(self, system: str, status: int, *, write: bool, code: str = "") -> None:
        outcome = outcome_of(status)
        if code:
            self.codes[f"{system} {code}"] += 1
        self.requests[system][outcome] += 1
        if write and outcome == "acknowledged":
            self.wrote[system] = time.monotonic()

    def add(self, deed: Deed) -> None:
        self.deeds.append(deed)
        self._keep(
            {
                "kind": deed.kind,
                "system": deed.system,
                "key": deed.key,
                "outcome": deed.outcome,
                "at": time.time(),
                **deed.facts,
            }
        )

    def complain(self, system: str, text: str) -> None:
        self.complaints.append(f"{system}: {text}")
        self._keep({"system": system, "complaint": text, "at": time.time()})

    def of(self, system: str, kind: str) -> Iterator[Deed]:
        return (each for each in self.deeds if (each.system, each.kind) == (system, kind))

    def sure(self, system: str, kind: str) -> list[Deed]:
        return [each for each in self.of(system, kind) if each.sure]

    def _keep(self, said: dict[str, Any]) -> None:
        if self._file is not None:
            self._file.write(orjson.dumps(said, default=str) + b"\n")
            self._file.flush()
