"""Models that take a second to answer: eight submissions at a time against one.

The repositories are small, since what is measured is the waiting.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding, at_least, exactly
from benchmarks.vibejudge.court import MODELS, Ran, courtroom_on, entered, ran, readable
from benchmarks.vibejudge.repositories import repositories
from tablewright.engine import Engine
from tablewright.systems.vibejudge.stand_in import Manner, StandIn, serving

LINES, MODEL_SECS, AT_ONCE, WANTED = 300, 1.0, 8, 6.0


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    made = repositories(16 if quick else 64, LINES)
    # One at a time is steady: fewer of them tell as much.
    alone = made[: 4 if quick else 16]
    stand_in = StandIn(Manner(slow=MODEL_SECS))
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        serving(stand_in) as url,
        Engine(Path(place) / "db") as engine,
    ):
        options = {
            "openai_url": f"{url}/v1",
            "openai_key": stand_in.key,
            "data": Path(place) / "data",
            **readable(made),
        }
        one = asyncio.run(_ran(engine, alone, 1, options))
        many = asyncio.run(_ran(engine, made, AT_ONCE, options))
    return _findings(one, len(alone), many, len(made), len(stand_in.asked))


async def _ran(
    engine: Engine, made: Sequence[Path], concurrent: int, options: dict[str, Any]
) -> Ran:
    data = Path(str(options["data"]))
    own = {name: each for name, each in options.items() if name != "data"}
    async with courtroom_on(engine, data=data, concurrent=concurrent, **own) as courtroom:
        said: dict[str, Any] = {
            "agent_provider": "openai",
            "agent_models": MODELS,
            "budget_limit_usd": "1000",
        }
        return await ran(courtroom, await entered(courtroom, made, f"n{concurrent}", **said))


def _findings(one: Ran, alone: int, many: Ran, count: int, asked: int) -> list[Finding]:
    before, after = one.secs / alone, many.secs / count
    done = one.job.completed_submissions + many.job.completed_submissions
    cpu = f"{many.child_secs / count:.2f} s of CPU, and {many.parent_secs / count:.3f} s"
    gain = before / after
    return [
        exactly("analysed", done, alone + count),
        exactly("questions", asked, 4 * (alone + count), note="of four agents each"),
        Finding("for each, 1 at a time", before, "s", note=f"{MODEL_SECS:g} s of it the model's"),
        Finding(
            f"for each, {AT_ONCE} at a time", after, "s", note=f"{cpu} of the service, for each"
        ),
        at_least(f"{AT_ONCE} against 1", gain, WANTED, "x", f"on {os.cpu_count()} cores"),
    ]
