"""Write units of a submission, from being handed in to its scorecard, beside the planner's.

Everything is counted that a job and its submissions write, in the table, its indexes and the kit's
table. The planner is given the same operations in the same order, and says what they should use.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.vibejudge.court import MODELS, courtroom_on, entered, readable
from benchmarks.vibejudge.repositories import repositories
from benchmarks.written import Written
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.service.kit import kit_model
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.stand_in import StandIn, serving

LINES, STATIC, WITH_MODELS = 5_000, 90.0, 140.0
BOARD, BOARD_UNITS = 50, 3.0


@dataclass(frozen=True)
class Counted:
    """What a job has written, for each of its submissions."""

    table: float
    indexes: float
    kit: float
    planned: float
    board: Sequence[RequestEvent]
    ranked: int

    @property
    def all(self) -> float:
        return self.table + self.indexes + self.kit


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    made = repositories(BOARD, LINES)
    stand_in = StandIn()
    with tempfile.TemporaryDirectory(dir=folder) as place, serving(stand_in) as url:
        asking = {"openai_url": f"{url}/v1", "openai_key": stand_in.key}
        few = made[: 2 if quick else 10]
        static = asyncio.run(_counted(Path(place) / "static", few if quick else made, {}, {}))
        said: dict[str, Any] = {
            "agent_provider": "openai",
            "agent_models": MODELS,
            "budget_limit_usd": "1000",
        }
        models = asyncio.run(_counted(Path(place) / "models", few, asking, said))
    return [
        *_lines("by rules", static, STATIC),
        *_lines("with models", models, WITH_MODELS),
        exactly(f"requests for a leaderboard of {static.ranked}", len(static.board), 1),
        at_most("its read units", sum(each.read_units for each in static.board), BOARD_UNITS),
    ]


async def _counted(
    folder: Path, made: Sequence[Path], options: dict[str, Any], said: dict[str, Any]
) -> Counted:
    heard: list[RequestEvent] = []
    with Engine(None) as engine, Written({**model.tables, **kit_model.tables}) as written:
        async with courtroom_on(
            engine, data=folder, heard=heard, processes=1, concurrent=1, **readable(made), **options
        ) as courtroom:
            hackathon = await entered(courtroom, made, "units", **said)
            job = await courtroom.jobs.start(hackathon.caller, hackathon.hackathon.hack_id)
            # One after the other, so that none is in the way of another.
            await courtroom.analyst.work_once()
            used, done = (
                list(heard),
                (
                    await courtroom.jobs.read(hackathon.caller, job.hack_id, job.job_id)
                ).job.completed_submissions,
            )
            if done != len(made):
                raise RuntimeError(f"{done} of {len(made)} submissions were analysed")
            heard.clear()
            board = await courtroom.standings.leaderboard(hackathon.hackathon, BOARD)
    # What comes before the submissions is not theirs.
    first = next(at for at, each in enumerate(used) if each.pattern.startswith("submit"))
    own = [part for each in used[first:] for part in each.consumed]
    table = model.tables
    return Counted(
        _sum(own, lambda each: each.table in table and each.index is None) / done,
        _sum(own, lambda each: each.table in table and each.index is not None) / done,
        _sum(own, lambda each: each.table not in table) / done,
        written.planned("submit") / done,
        list(heard),
        len(board),
    )


def _sum(used: Sequence[Any], which: Any) -> float:
    return float(sum(each.write_units for each in used if which(each)))


def _lines(how: str, counted: Counted, wanted: float) -> list[Finding]:
    parts = f"the table {counted.table:.1f}, its indexes {counted.indexes:.1f}"
    note = f"{parts}, the kit {counted.kit:.1f}"
    return [
        at_most(f"write units, {how}", counted.all, wanted, note=note),
        exactly("the planner says", round(counted.planned, 6), round(counted.all, 6)),
    ]
