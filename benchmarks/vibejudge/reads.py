"""A hackathon of 600 submissions, read over HTTP: its leaderboard, scorecards, jobs and lists.

What there is to read was written as a job would have left it: real analyses of a few repositories,
with scores that differ from one submission to the next.
"""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import orjson

from benchmarks.asking import Answer, Caller, calling, paced
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.vibejudge.court import Entered, courtroom_on, entered, ran, readable
from benchmarks.vibejudge.repositories import repositories
from benchmarks.vibejudge.running import API, DATA, Service, service
from tablewright.engine import Engine
from tablewright.model import Entity, new_ulid, put
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysis import AgentScore, AnalysisJob, Fingerprint
from tablewright.systems.vibejudge.rules.minhash import minhash
from tablewright.systems.vibejudge.service.courtroom import Courtroom

COUNT, LINES, REAL = 600, 1_000, 4
PER_SECOND, WANTED_MS, SECONDS = 50, 50.0, 20.0


@dataclass(frozen=True)
class Known:
    """What can be asked about."""

    hack_id: str
    job_id: str
    submissions: Sequence[str]


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    with tempfile.TemporaryDirectory(dir=folder) as place:
        known = asyncio.run(_filled(Path(place)))
        with service(Path(place)) as running:
            return asyncio.run(_read(running, known, 3.0 if quick else SECONDS))


# --- what there is -------------------------------------------------------------------------------


async def _filled(folder: Path) -> Known:
    """A few submissions by a real job, and copies of these."""
    made = repositories(REAL, LINES)
    # Durability is for what is measured; this is what there was before.
    with Engine(folder / DATA, durability="relaxed") as engine:
        async with courtroom_on(engine, **readable(made)) as courtroom:
            hackathon = await entered(courtroom, made, "reads")
            done = await ran(courtroom, hackathon)
            copies = await _copied(courtroom, hackathon, done.job)
    return Known(hackathon.hackathon.hack_id, done.job.job_id, copies)


async def _copied(courtroom: Courtroom, hackathon: Entered, job: AnalysisJob) -> list[str]:
    """The submissions, with others like them but for their teams and their scores."""
    chance, found = Random(3), list(hackathon.submissions)
    models = [await _stored(courtroom, job, each) for each in found]
    while len(found) < COUNT:
        score = Decimal(chance.randrange(2000, 9900)) / 100
        own = {
            "sub_id": new_ulid(),
            "run_id": new_ulid(),
            "team_name": f"Team {len(found)}",
            "overall_score": score,
            "rank_score": score,
        }
        for each in models[len(found) % len(models)]:
            own_to_it = {name: value for name, value in own.items() if hasattr(each, name)}
            if isinstance(each, AgentScore):
                del own_to_it["overall_score"]
            await courtroom.db.run(put(each.model_copy(update={**own_to_it, **_new(each)})))
        found.append(str(own["sub_id"]))
        code = minhash(chance.getrandbits(64) for _ in range(400))
        mark: dict[str, Any] = {
            "hack_id": job.hack_id,
            "sub_id": found[-1],
            "created_at": job.created_at,
        }
        await courtroom.db.run(put(Fingerprint(minhash=code, **mark)))
    return found


def _new(entity: Entity) -> dict[str, int]:
    return {"version": 0} if hasattr(entity, "version") else {}


async def _stored(courtroom: Courtroom, job: AnalysisJob, sub_id: str) -> list[Entity]:
    """All that is shown of a submission."""
    db = courtroom.db
    card = await db.require(reads.submission_summary(sub_id))
    tasks = [each async for each in db.iterate(job_reads.tasks_of_job(job.job_id))]
    return [
        await db.require(reads.submission(job.hack_id, sub_id)),
        card,
        *[each async for each in db.iterate(reads.runs_of_submission(sub_id))],
        *[each for each in tasks if each.sub_id == sub_id],
        *await db.run(reads.agent_scores(sub_id, card.run_id)),
    ]


# --- what is asked -------------------------------------------------------------------------------


async def _read(running: Service, known: Known, seconds: float) -> list[Finding]:
    async with calling(running.port, running.admin) as caller:
        questions = _Questions(caller, known, Random(7))
        await questions.learn()
        # Warm: the first questions of a process are about what it has not loaded yet.
        await _asked(caller, questions, 2 * PER_SECOND)
        cpu = running.cpu
        asked = await _asked(caller, questions, round(seconds * PER_SECOND))
        cpu = running.cpu - cpu
    return _findings(asked, seconds, cpu)


class _Questions:
    """What people who look at a hackathon ask, one after the other."""

    def __init__(self, caller: Caller, known: Known, chance: Random) -> None:
        self._caller = caller
        self._known = known
        self._chance = chance
        self._base = f"{API}/hackathons/{known.hack_id}"
        self._pages: dict[str, list[str]] = {}
        self._kinds: list[Callable[[], tuple[str, str]]] = [
            *[lambda: self._page("leaderboard")] * 35,
            *[self._scorecard] * 30,
            *[lambda: self._page("submissions")] * 20,
            *[self._job] * 15,
        ]

    async def learn(self) -> None:
        """The pages of lists, which follow each other."""
        for name in ("leaderboard", "submissions"):
            path, found = f"{self._base}/{name}?limit=50", []
            cursor: str | None = ""
            while cursor is not None:
                found.append(f"{path}&cursor={cursor}" if cursor else path)
                answer = await self._caller.ask("GET", found[-1])
                cursor = _body(answer)["next_cursor"]
            self._pages[name] = found

    def next(self) -> tuple[str, str]:
        return self._chance.choice(self._kinds)()

    def _page(self, name: str) -> tuple[str, str]:
        """The first one mostly."""
        pages = self._pages[name]
        first = self._chance.random() < 0.6
        return name, pages[0] if first else self._chance.choice(pages)

    def _scorecard(self) -> tuple[str, str]:
        sub_id = self._chance.choice(self._known.submissions)
        return "scorecard", f"{self._base}/submissions/{sub_id}/scorecard"

    def _job(self) -> tuple[str, str]:
        return "job", f"{self._base}/jobs/{self._known.job_id}"


def _body(answer: Answer) -> dict[str, str | None]:
    found: dict[str, str | None] = orjson.loads(answer.body)
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} {found}")
    return found


async def _asked(caller: Caller, questions: _Questions, count: int) -> list[tuple[str, Answer]]:
    asked = [questions.next() for _ in range(count)]

    async def ask(number: int, due: float) -> Answer:
        return await caller.ask("GET", asked[number][1], due=due)

    # What this process collects would be counted as the service's delay.
    gc.collect()
    gc.freeze()
    answers = await paced(count, PER_SECOND, ask)
    gc.unfreeze()
    return [(kind, answer) for (kind, _), answer in zip(asked, answers, strict=True)]


def _findings(asked: Sequence[tuple[str, Answer]], seconds: float, cpu: float) -> list[Finding]:
    by_kind: dict[str, list[float]] = defaultdict(list)
    for kind, answer in asked:
        by_kind[kind].append(answer.secs * 1000)
    wrong = [answer for _, answer in asked if answer.status != 200]
    note = wrong[0].body[:200].decode(errors="replace") if wrong else ""
    every = f"{COUNT} submissions, {PER_SECOND} a second for {seconds:g} s"
    return [
        Finding("questions", len(asked), note=every),
        exactly("errors", len(wrong), 0, note=note),
        *(
            at_most(
                f"p95 of {kind}",
                part_of(times, 0.95),
                WANTED_MS,
                "ms",
                f"p50 {part_of(times, 0.5):.1f}",
            )
            for kind, times in sorted(by_kind.items())
        ),
        Finding("CPU of a question", cpu / len(asked) * 1000, "ms", note="all of it"),
    ]
