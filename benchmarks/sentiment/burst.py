"""A thousand articles in ten seconds: none lost or doubled, all analysed soon, all counts right.

They go through the running service. What it has stored is read afterwards, when it has ended.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import orjson

from benchmarks.asking import Answer, Caller, calling, paced
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.sentiment.news import body, records
from benchmarks.sentiment.running import API, Service, Used, service
from benchmarks.sentiment.store import all_articles, opened
from tablewright.plan.calls import load, units_of
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.service.books import Recount

ARTICLES = 1_000
#: How many a second, how many to a request, and how soon all of them have to be analysed.
PER_SECOND, BATCH, WANTED_SECS = 100, 10, 60.0
#: How long it is waited for.
_PATIENCE_SECS = 180.0


@dataclass(frozen=True)
class Sent:
    """What was sent, and what became of it as far as the senders know."""

    #: When the first was sent, and how long it took to send them all.
    began: datetime
    secs: float
    answers: Sequence[Answer]
    #: The addresses of articles that were answered as taken.
    taken: list[str]
    used: Used
    cpu_secs: float


def measure(articles: int = ARTICLES, folder: Path | None = None) -> list[Finding]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        with service(Path(place)) as running:
            sent = asyncio.run(_burst(running, articles))
        return asyncio.run(_checked(Path(place), articles, sent))


async def _burst(running: Service, articles: int) -> Sent:
    news = list(islice(records(), articles))
    batches = [news[at : at + BATCH] for at in range(0, articles, BATCH)]
    # The service is warm once it has answered anything; articles are for the burst alone.
    running.ask("GET", "/overview")
    before, cpu = running.used(), running.cpu
    async with calling(running.port, running.key("ingest")) as caller:
        began, clock = datetime.now(UTC), time.perf_counter()

        async def send(number: int, due: float) -> Answer:
            return await caller.ask("POST", f"{API}/ingest", body(batches[number]), due=due)

        answers = await paced(len(batches), PER_SECOND / BATCH, send)
        secs = time.perf_counter() - clock
    async with calling(running.port, running.admin) as caller:
        await _analysed(caller, articles)
    taken = [
        record["url"]
        for batch, answer in zip(batches, answers, strict=True)
        for record, result in zip(batch, _results(answer), strict=False)
        if result == "ingested"
    ]
    used = running.used().since(before)
    return Sent(began, secs, answers, taken, used, running.cpu - cpu)


def _results(answer: Answer) -> list[str]:
    if answer.status != 207:
        return []
    return [each["result"] for each in orjson.loads(answer.body)["results"]]


async def _analysed(caller: Caller, articles: int) -> None:
    """Wait until nothing is pending."""
    ends = time.perf_counter() + _PATIENCE_SECS
    while time.perf_counter() < ends:
        answer = await caller.ask("GET", f"{API}/overview")
        found = orjson.loads(answer.body)
        if found["ingested"] >= articles and not found["pending"]:
            return
        await asyncio.sleep(0.5)


async def _checked(folder: Path, articles: int, sent: Sent) -> list[Finding]:
    async with opened(folder) as newsroom:
        stored = await all_articles(newsroom)
        now = newsroom.now()
        recount = await newsroom.books.recount(
            now - timedelta(hours=3), now + timedelta(hours=1), closed_only=False
        )
    return _findings(articles, sent, stored, recount)


def _findings(
    articles: int, sent: Sent, stored: Sequence[Article], recount: Recount
) -> list[Finding]:
    found = Counter(each.source_url for each in stored)
    done = [each.analyzed_at for each in stored if each.analyzed_at is not None]
    last = (max(done) - sent.began).total_seconds() if done else float("inf")
    waits = [
        (each.analyzed_at - each.timestamp).total_seconds() for each in stored if each.analyzed_at
    ]
    slow = part_of([each.secs for each in sent.answers], 0.95)
    drift = sum(abs(each.articles - each.counted) for each in recount.drift)
    return [
        Finding("articles sent", articles, note=f"in {sent.secs:.1f} s, {BATCH} to a request"),
        exactly("answered as taken", len(sent.taken), articles),
        exactly("lost", len(set(sent.taken) - set(found)), 0),
        exactly("doubled", sum(found.values()) - len(found), 0),
        exactly("analysed", len(done), articles),
        at_most("the last is analysed after", last, WANTED_SECS, "s"),
        exactly("recount drift", drift + len(recount.unsettled), 0),
        Finding("an answer, p95", slow * 1000, "ms"),
        Finding("from taken to analysed, p95", part_of(waits, 0.95), "s"),
        Finding("CPU of an article", sent.cpu_secs / articles * 1000, "ms", note="all of it"),
        *_capacity(sent, stored),
    ]


# --- capacity ------------------------------------------------------------------------------------


def _capacity(sent: Sent, stored: Sequence[Article]) -> list[Finding]:
    """Write units that were used, beside what the planner says of these very articles."""
    planned = [_planned(each) for each in _samples(stored)]
    numbers = Counter(len(each.matched_tags) for each in stored)
    by_tags = dict(zip(sorted(numbers), planned, strict=True))
    found = []
    for place, pattern in enumerate(("ingest", "analyse")):
        wanted = sum(by_tags[tags][place] * number for tags, number in numbers.items())
        used, each = sent.used.write_units[pattern], wanted / max(len(stored), 1)
        asked = sent.used.requests["TransactWriteItems", pattern]
        note = f"{each:.2f} for each; {asked - len(stored)} requests were refused"
        found.append(exactly(f"write units of {pattern}", used, wanted, note=note))
    return found


def _samples(stored: Sequence[Article]) -> list[Article]:
    """One article of each number of tags: they are all smaller than a unit."""
    by_tags = {len(each.matched_tags): each for each in stored if each.analyzed_at}
    return [by_tags[tags] for tags in sorted(by_tags)]


def _planned(article: Article) -> tuple[float, float]:
    """The write units of its ingest and of its analysis, by the planner."""
    now, said = article.timestamp, article.analysis
    pending = article.model_copy(
        update={
            "status": "pending",
            "version": 0,
            **dict.fromkeys(
                (
                    "sentiment",
                    "score",
                    "polarity",
                    "model_sentiment",
                    "model_version",
                    "analyzed_at",
                )
            ),
        }
    )
    empty = load(model, [], now=now.timestamp())
    taken = units_of(changes.ingest(pending, "0" * 64, now=now), empty, now=now.timestamp())
    waiting = pending.model_copy(update={"version": 1})
    done = units_of(changes.analyse(waiting, said, now=now), taken.after, now=now.timestamp())
    return taken.units.writes, done.units.writes
