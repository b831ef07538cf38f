"""What people look at, over HTTP: tasks, assessments, reports, boards and heat maps.

One question after the other, about people and teams that differ; the small company and the large
one are asked in turn.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.asking import Answer, calling
from benchmarks.findings import Finding, exactly, part_of
from benchmarks.ladders.growth import grown
from benchmarks.ladders.questions import questions
from benchmarks.ladders.running import Place, places, sent

ROUNDS = 40


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    with places(quick, folder) as both:
        asked = asyncio.run(_asked(both, 5 if quick else ROUNDS))
    return _findings(asked, both[1].extent.times // both[0].extent.times)


async def _asked(
    both: Sequence[Place], rounds: int
) -> dict[str, tuple[list[Answer], list[Answer]]]:
    found: dict[str, tuple[list[Answer], list[Answer]]] = defaultdict(lambda: ([], []))
    async with AsyncExitStack() as stack:
        callers = [await stack.enter_async_context(calling(each.service.port, "")) for each in both]
        for number in range(rounds + 1):
            asking = [_prepared(each, number) for each in both]
            for each in zip(*asking, strict=True):
                for turn, (name, request) in enumerate(each):
                    answer = await callers[turn].send(request)
                    # The first round is to make it warm.
                    if number:
                        found[name][turn].append(answer)
    return found


def _prepared(place: Place, number: int) -> list[tuple[str, bytes]]:
    every = questions(place.extent, number)
    shown = place.tokens([each.who for each in every])
    return [
        (each.name, sent("GET", each.path, token)) for each, token in zip(every, shown, strict=True)
    ]


def _findings(asked: dict[str, tuple[list[Answer], list[Answer]]], larger: int) -> list[Finding]:
    every = [answer for both in asked.values() for answers in both for answer in answers]
    wrong = [each for each in every if each.status != 200]
    note = wrong[0].body[:200].decode(errors="replace") if wrong else ""
    lines = [
        Finding("questions", len(every), note="one after the other"),
        exactly("errors", len(wrong), 0, note=note),
    ]
    for name, both in asked.items():
        small, large = ([each.secs * 1000 for each in answers] for answers in both)
        lines.append(Finding(f"p95 of {name}", part_of(large, 0.95), "ms"))
        lines.append(grown(f"growth of {name}", small, large, larger))
    return lines
