"""People sign in: the first time, when a user who was invited is found and linked, and later."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.clients import Asked, asked
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.ladders.growth import grown
from benchmarks.ladders.running import Place, places, sent

CLIENTS, WANTED_MS = 8, 1000.0
#: So many make the process warm.
WARM = 20


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    with places(quick, folder) as both:
        times = both[1].extent.times // both[0].extent.times
        for each in both:
            asyncio.run(_signed_in(each, slice(WARM)))
        first, later = (
            [asyncio.run(_signed_in(each, slice(WARM, None))) for each in both] for _ in range(2)
        )
    wrong = sum(each.status != 200 for done in (*first, *later) for each in done.answers)
    found = [
        Finding("people", len(first[1].answers), note=f"{CLIENTS} at a time"),
        exactly("that were refused", wrong, 0),
    ]
    for what, (small, large) in (("first sign-in", first), ("later", later)):
        before, after = _times(small), _times(large)
        note = f"p50 {part_of(after, 0.5):.1f}"
        found += [
            at_most(f"{what}, p95", part_of(after, 0.95), WANTED_MS, "ms", note),
            grown(f"{what}, growth", before, after, times),
        ]
    return found


async def _signed_in(place: Place, who: slice) -> Asked:
    shown = place.tokens(place.extent.newcomers[who])
    return await asked(place.service.port, [sent("GET", "/me", each) for each in shown], CLIENTS)


def _times(done: Asked) -> list[float]:
    return [each.secs * 1000 for each in done.answers]
