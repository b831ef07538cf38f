"""What is asked of the database, of a small company and of a large one: the same.

By the use cases of one process, where no worker asks for anything beside them. Who the caller is
takes two more reads, and is not counted here.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.ladders.questions import questions
from benchmarks.ladders.stage import QUICK_TIMES, TIMES, Filled, caller, company_on, filled
from benchmarks.service import DATA
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.company import Company

#: Of a board.
_MOST = 4


@dataclass(frozen=True)
class Asked:
    """What one question has used."""

    requests: int
    read_units: float


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    sizes = [filled(times, folder) for times in (QUICK_TIMES if quick else TIMES)]
    small, large = (asyncio.run(_asked(each, folder)) for each in sizes)
    found: list[Finding] = []
    for name, used in large.items():
        note = f"{used.read_units:g} read units"
        if name.startswith("board"):
            found.append(at_most(name, used.requests, _MOST, note=note))
        else:
            found.append(Finding(name, used.requests, note=note))
    others = [name for name, used in large.items() if used != small[name]]
    larger = sizes[1].extent.times // sizes[0].extent.times
    note = ", ".join(others) or f"a company {larger} times as large: the same requests and units"
    return [*found, exactly("other than in the small one", len(others), 0, note=note)]


async def _asked(company_of: Filled, folder: Path | None) -> dict[str, Asked]:
    heard: list[RequestEvent] = []
    found = {}
    with tempfile.TemporaryDirectory(dir=folder) as name:
        company_of.copied(Path(name))
        with Engine(Path(name) / DATA, durability="relaxed") as engine:
            async with company_on(engine, heard=heard) as company:
                # A process reads the ladder once.
                await company.configs.ladder(await _plan(company, company_of))
                for each in questions(company_of.extent, 1):
                    by = await caller(company, each.who)
                    heard.clear()
                    await each.ask(company, by)
                    units = sum(one.read_units for one in heard)
                    found[each.name] = Asked(len(heard), units)
    return found


async def _plan(company: Company, company_of: Filled) -> m.Plan:
    return await company.db.require(m.plan(company_of.extent.crowd.plan_id()))
