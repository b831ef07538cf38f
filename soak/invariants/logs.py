"""What processes wrote, and what callers were answered: nothing unforeseen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from soak.invariants.finding import invariant, unless
from soak.journal import Journal


@invariant("no traceback in a log")
def tracebacks(lines: Iterable[str]) -> Iterator[str | None]:
    for line in lines:
        yield unless("Traceback (most recent call last)" not in line, line[:4000])


@invariant("no answer is a 500, and none contradicts another")
def answers(journal: Journal) -> Iterator[str | None]:
    for outcomes in journal.requests.values():
        yield from (None for _ in range(outcomes.total()))
    yield from journal.complaints


@invariant("processes end when they are told to, and leave nobody behind")
def endings(ends: int, complaints: Iterable[str]) -> Iterator[str | None]:
    yield from (None for _ in range(ends))
    yield from complaints
