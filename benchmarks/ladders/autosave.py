"""Autosaves over HTTP: people who type, each at an assessment of 15 KB.

A client saves, and saves again as soon as it is answered, as nobody types. A team's plan is under
way for the whole time, and each of its members is at their own assessment.
"""

from __future__ import annotations

import asyncio
import gc
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import orjson

from benchmarks.asking import Answer, Caller, calling
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.ladders.extent import Someone
from benchmarks.ladders.growth import grown
from benchmarks.ladders.running import Place, places, sent
from benchmarks.ladders.texts import USUAL, text

FEW, MANY = 1, 8
WANTED_MS = 50.0
#: Saves of each client in a round; each size and number of clients has its turn in each.
SAVES, ROUNDS = 40, 5


@dataclass
class Author:
    """Somebody at their assessment."""

    token: str
    path: str
    revision: int
    #: Category, competency and level of everything that was said.
    places: Sequence[tuple[str, str, int]]
    chance: Random

    def request(self) -> bytes:
        """The next save: something else than there is."""
        category, competency, level = self.chance.choice(self.places)
        said = {
            "category": category,
            "competency": competency,
            "level": level,
            "evidence": text(self.chance, USUAL.evidence),
        }
        return sent("PATCH", self.path, self.token, {"changes": [said]}, self.revision)


@dataclass(frozen=True)
class Saved:
    answers: Sequence[Answer]
    secs: float
    cpu_secs: float


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    saves, rounds = (10, 2) if quick else (SAVES, ROUNDS)
    found: dict[tuple[int, int], list[Saved]] = defaultdict(list)
    with places(quick, folder) as both:
        authors = [asyncio.run(_authors(each)) for each in both]
        for number in range(rounds + 1):
            for clients in (FEW, MANY):
                for place, its in zip(both, authors, strict=True):
                    done = asyncio.run(_save(place, its[:clients], saves))
                    # The first ones are to make it warm.
                    if number:
                        found[place.extent.times, clients].append(done)
        small, large = (each.extent.times for each in both)
    return _findings(found, small, large)


async def _authors(place: Place) -> list[Author]:
    crew = place.extent.crowd
    members = crew.members[:MANY]
    async with calling(place.service.port, "") as caller:
        return [
            await _author(caller, f"/assessments/{crew.assessment_id(member)}", token, member)
            for member, token in zip(members, place.tokens(members), strict=True)
        ]


async def _author(caller: Caller, path: str, token: str, who: Someone) -> Author:
    answer = await caller.send(sent("GET", path, token))
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} {answer.body!r}")
    told = orjson.loads(answer.body)
    chosen = [
        (category, competency, level)
        for category, inside in told["selections"].items()
        for competency, level in inside.items()
    ]
    return Author(token, path, told["revision"], chosen, Random(who.name))


async def _save(place: Place, authors: Sequence[Author], saves: int) -> Saved:
    answers: list[Answer] = []
    async with calling(place.service.port, "") as caller:

        async def client(author: Author) -> None:
            for _ in range(saves):
                answer = await caller.send(author.request())
                author.revision += answer.status == 200
                answers.append(answer)

        # What this process collects would be counted as the service's delay.
        gc.collect()
        gc.freeze()
        began, cpu = asyncio.get_running_loop().time(), place.service.cpu
        await asyncio.gather(*map(client, authors))
        secs = asyncio.get_running_loop().time() - began
        gc.unfreeze()
    return Saved(answers, secs, place.service.cpu - cpu)


def _findings(found: dict[tuple[int, int], list[Saved]], small: int, large: int) -> list[Finding]:
    every = [answer for runs in found.values() for each in runs for answer in each.answers]
    wrong = [each for each in every if each.status != 200]
    note = wrong[0].body[:200].decode(errors="replace") if wrong else "one change each"
    lines = [
        Finding("saves", len(every), note=note),
        exactly("that were refused", len(wrong), 0),
    ]
    for clients in (FEW, MANY):
        runs = found[large, clients]
        times = _times(runs)
        rate = len(times) / sum(each.secs for each in runs)
        who = "1 client" if clients == 1 else f"{clients} clients"
        told = f"p50 {part_of(times, 0.5):.1f}; {rate:.0f} a second"
        lines += [
            at_most(f"p95, {who}", part_of(times, 0.95), WANTED_MS, "ms", told),
            grown(f"growth, {who}", _times(found[small, clients]), times, large // small),
        ]
    runs = found[large, FEW]
    cpu = sum(each.cpu_secs for each in runs) / sum(len(each.answers) for each in runs) * 1000
    return [*lines, Finding("CPU of a save", cpu, "ms", note="of the service, all of it")]


def _times(runs: Sequence[Saved]) -> list[float]:
    return [answer.secs * 1000 for each in runs for answer in each.answers]
