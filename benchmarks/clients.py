"""Clients that each ask one thing after the other, until everything is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.asking import Answer, calling


@dataclass(frozen=True)
class Asked:
    """All answers, in the order of what was asked, and how long it took."""

    answers: Sequence[Answer]
    secs: float

    @property
    def per_second(self) -> float:
        return len(self.answers) / self.secs


async def asked(port: int, requests: Sequence[bytes], clients: int) -> Asked:
    """Every request once, by so many clients at a time."""
    answers: list[Answer | None] = [None] * len(requests)
    waiting = iter(range(len(requests)))
    async with calling(port, "") as caller:

        async def client() -> None:
            for number in waiting:
                answers[number] = await caller.send(requests[number])

        began = time.perf_counter()
        await asyncio.gather(*(client() for _ in range(clients)))
        secs = time.perf_counter() - began
    return Asked([each for each in answers if each is not None], secs)
