"""Write units of a team of four, from its first registration to its payment, beside the planner's.

Everything is counted that it writes, in the table, its indexes and the kit's table. The planner is
given the same operations in the same order, and says what they should use.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.kurukshetra.gateway import gateway
from benchmarks.kurukshetra.stage import festival_on, planned, registered
from benchmarks.sentiment.findings import Finding, at_most, exactly
from benchmarks.written import Written
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.service.kit import kit_model
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.payments import VerifyIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.model import model
from tablewright.systems.kurukshetra.service.festival import Festival

EVENT, SIZE, TEAMS, WANTED = "units", 4, 5, 160.0
_PROOF = ("razorpay_order_id", "razorpay_payment_id", "razorpay_signature")


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
    def all(self) -> float:
        return self.table + self.indexes + self.kit


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    with tempfile.TemporaryDirectory(dir=folder) as place, gateway() as address:
        counted = asyncio.run(_counted(Path(place), address, 1 if quick else TEAMS))
    parts = f"the table {counted.table:.1f}, its indexes {counted.indexes:.1f}"
    note = f"{parts}, the kit {counted.kit:.1f}"
    what = f"write units, a paid team of {SIZE}"
    return [
        at_most(what, counted.all, WANTED, note=note),
        exactly("the planner says", round(counted.planned, 6), round(counted.all, 6)),
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
            await planned(festival, EVENT, teams)
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
    _, told = await festival.gateway.pretend(started.order_id, "succeed")
    proof = VerifyIn.model_validate({name: told[name] for name in _PROOF})
    paid = await festival.payments.verify(leader, proof)
    if paid.status != "paid":
        raise RuntimeError(f"the team is {paid.status}")


def _sum(used: Sequence[Any], which: Any) -> float:
    return float(sum(each.write_units for each in used if which(each)))
