"""A hundred questions a second, of all kinds: none goes wrong, and all are answered soon.

The service has a month of news, and goes on getting some. Questions are those of people who look at
different things: other topics, publishers, times and articles.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TypeAlias
from urllib.parse import urlencode

import orjson

from benchmarks.asking import Answer, Caller, calling, paced
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.sentiment.running import API, Service, service

PER_SECOND, WANTED_MS = 100, 100.0
_TONES = ("positive", "neutral", "negative")
#: What pages offer.
_SPANS = tuple(timedelta(hours=hours) for hours in (1, 6, 24, 7 * 24, 30 * 24))

Question: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Known:
    """What can be asked about."""

    tags: Sequence[str]
    sources: Sequence[str]
    articles: Sequence[str]


def measure(seconds: float, folder: Path | None = None) -> list[Finding]:
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        service(Path(place), demo=True) as running,
    ):
        return asyncio.run(_read(running, seconds))


async def _read(running: Service, seconds: float) -> list[Finding]:
    async with calling(running.port, running.key("viewer")) as caller:
        questions = _Questions(await _known(caller), Random(7))
        # Warm: the first questions of a process are about what it has not loaded yet.
        await _asked(caller, questions, 2 * PER_SECOND)
        before, cpu = running.used(), running.cpu
        asked = await _asked(caller, questions, round(seconds * PER_SECOND))
        cpu, after = running.cpu - cpu, running.used()
    requests = sum((after.requests - before.requests).values())
    return _findings(asked, seconds, cpu, requests)


async def _known(caller: Caller) -> Known:
    listed = orjson.loads((await caller.ask("GET", f"{API}/items?limit=100")).body)["items"]
    shares = {
        by: [
            each["key"]
            for each in orjson.loads((await caller.ask("GET", f"{API}/share?by={by}")).body)[
                "items"
            ]
        ]
        for by in ("tag", "source")
    }
    return Known(shares["tag"], shares["source"], [each["id"] for each in listed])


async def _asked(caller: Caller, questions: _Questions, count: int) -> list[tuple[str, Answer]]:
    asked = [questions.next() for _ in range(count)]

    async def ask(number: int, due: float) -> Answer:
        return await caller.ask("GET", f"{API}{asked[number][1]}", due=due)

    # What this process collects would be counted as the service's delay.
    gc.collect()
    gc.freeze()
    answers = await paced(count, PER_SECOND, ask)
    gc.unfreeze()
    return [(kind, answer) for (kind, _), answer in zip(asked, answers, strict=True)]


class _Questions:
    """What readers ask, one after the other."""

    def __init__(self, known: Known, random: Random) -> None:
        self._known = known
        self._random = random
        self._kinds: list[Callable[[], Question]] = [
            *[self._overview] * 30,
            *[self._timeseries] * 25,
            *[self._share] * 10,
            *[self._items] * 25,
            *[self._item] * 10,
        ]

    def next(self) -> Question:
        return self._random.choice(self._kinds)()

    def _overview(self) -> Question:
        return "overview", f"/overview?{urlencode(self._times() | self._of())}"

    def _timeseries(self) -> Question:
        return "timeseries", f"/timeseries?{urlencode(self._times() | self._of())}"

    def _share(self) -> Question:
        by = self._random.choice(("tag", "source"))
        return "share", f"/share?{urlencode({'by': by} | self._times())}"

    def _items(self) -> Question:
        asked = {"limit": "20"} | self._of()
        if self._random.random() < 0.4:
            asked["sentiment"] = self._random.choice(_TONES)
        return "items", f"/items?{urlencode(asked)}"

    def _item(self) -> Question:
        return "item", f"/items/{self._random.choice(self._known.articles)}"

    def _times(self) -> dict[str, str]:
        """Half of them the default; the others up to a month, to the minute."""
        if self._random.random() < 0.5:
            return {}
        since = datetime.now(UTC) - self._random.choice(_SPANS)
        return {"from": since.isoformat(timespec="minutes").replace("+00:00", "Z")}

    def _of(self) -> dict[str, str]:
        chance = self._random.random()
        if chance < 0.5:
            return {}
        if chance < 0.8:
            return {"tag": self._random.choice(self._known.tags)}
        return {"source": self._random.choice(self._known.sources)}


def _findings(
    asked: Sequence[tuple[str, Answer]], seconds: float, cpu: float, requests: int
) -> list[Finding]:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, answer in asked:
        by_kind[kind].append(answer.secs * 1000)
    times = [answer.secs * 1000 for _, answer in asked]
    wrong = [answer for _, answer in asked if answer.status != 200]
    note = wrong[0].body[:200].decode(errors="replace") if wrong else ""
    return [
        Finding("questions", len(asked), note=f"{PER_SECOND} a second for {seconds:g} s"),
        exactly("errors", len(wrong), 0, note=note),
        at_most("p95 of all", part_of(times, 0.95), WANTED_MS, "ms"),
        Finding("p50 of all", part_of(times, 0.5), "ms"),
        Finding("p99 of all", part_of(times, 0.99), "ms"),
        *(
            Finding(f"p95 of {kind}", part_of(by_kind[kind], 0.95), "ms")
            for kind in sorted(by_kind)
        ),
        Finding("CPU of a question", cpu / len(asked) * 1000, "ms", note="all of it"),
        Finding("requests to the store for each", requests / len(asked)),
    ]
