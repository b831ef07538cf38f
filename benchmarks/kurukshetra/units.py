"""Write units of a team of four, from its first registration to its payment, beside the planner's.

Everything is counted that it writes. What is wanted is said of the table and its indexes; mails are
in the kit's table, which stands beside it. The planner is given the same operations in the same
order, and says what they should use.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.kurukshetra.gateway import gateway
from benchmarks.kurukshetra.stage import festival_on, planned, registered
from benchmarks.kurukshetra.webhooks import FEE, capture_of
from benchmarks.written import Written
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.service.kit import kit_model
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.model import model
from tablewright.systems.kurukshetra.service.festival import Festival

EVENT, SIZE, TEAMS, WANTED = "units", 4, 5, 160.0


@dataclass(frozen=True)
class Counted:
    """What the teams have written, for each of them."""

    table: float
    indexes: float
    kit: float
    planned: float
    #: By pattern.
    patterns: dict[str, float]

    @property
    def own(self) -> float:
        """Without mails."""
        return self.table + self.indexes


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    with tempfile.TemporaryDirectory(dir=folder) as place, gateway() as address:
        counted = asyncio.run(_counted(Path(place), address, 1 if quick else TEAMS))
    note = f"the table {counted.table:.1f}, its indexes {counted.indexes:.1f}"
    what, all_of_it = f"write units, a paid team of {SIZE}", counted.own + counted.kit
    return [
        at_most(what, counted.own, WANTED, note=note),
        Finding("and of the kit", counted.kit, note="the mails: a welcome each, and one for all"),
        exactly("the planner says, of both", round(counted.planned, 6), round(all_of_it, 6)),
        *(
            Finding(f"of which {name.replace('_', ' ')}", units)
            for name, units in sorted(counted.patterns.items(), key=lambda each: -each[1])
        ),
    ]


async def _counted(folder: Path, address: str, teams: int) -> Counted:
    heard: list[RequestEvent] = []
    tables = {**model.tables, **kit_model.tables}
    with Engine(None) as engine, Written(tables) as written:
        async with festival_on(engine, data=folder, heard=heard, sandbox_url=address) as festival:
            await planned(festival, EVENT, teams, team_fee=FEE)
            heard.clear()
            for number in range(teams):
                await _paid(festival, number)
    used = [(part, each.pattern) for each in heard for part in each.consumed]
    patterns: Counter[str] = Counter()
    for part, pattern in used:
        patterns[pattern] += part.write_units
    own = [part for part, _ in used]
    return Counted(
        _sum(own, lambda each: each.table in model.tables and each.index is None) / teams,
        _sum(own, lambda each: each.table in model.tables and each.index is not None) / teams,
        _sum(own, lambda each: each.table not in model.tables) / teams,
        written.planned("register") / teams,
        {name: units / teams for name, units in patterns.items() if units},
    )


async def _paid(festival: Festival, number: int) -> None:
    """Four register, one founds a team, the others join, and it pays."""
    names = [f"member-{number}-{place}" for place in range(SIZE)]
    people = [
        await registered(festival, EVENT, name, phone=f"+9198765{number:02d}{place:03d}")
        for place, name in enumerate(names)
    ]
    team = TeamIn(name=f"Team {number}", track="ai-ml")
    made = await festival.teams.found(people[0], team)
    leader = await festival.access.now(people[0].principal, EVENT)
    code = (await festival.teams.read(leader, made.team_id)).invite_code
    assert code is not None
    for each in people[1:]:
        await festival.teams.join(each, code)
    started = await festival.checkout.start(leader, made.team_id, CheckoutIn())
    assert started.order_id is not None
    told = await festival.payments.webhook(*capture_of(started.order_id))
    if told.result != "paid":
        raise RuntimeError(f"the capture is {told.result}")


def _sum(used: Sequence[Any], which: Any) -> float:
    return float(sum(each.write_units for each in used if which(each)))
