"""Real processes on one durable store, killed while they erase somebody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.systems.kurukshetra.erasing.support import dump, issued, kinds, paying, team_of
from tests.systems.kurukshetra.support import (
    ORGANIZER,
    START,
    Made,
    caller,
    event_made,
    festival_on,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend, in_process

#: Begin, payer, certificate, person and team, end.
STEPS = 5
ALL = [(step, when) for step in range(1, STEPS + 1) for when in ("before", "after")]


@pytest.mark.parametrize(
    "deaths",
    [
        pytest.param([(1, "after"), (4, "before"), (4, "after")], id="reduced"),
        pytest.param(ALL, id="full", marks=pytest.mark.slow),
    ],
)
def test_scenario_14_a_killed_process_leaves_nobody_half_erased(
    tmp_path: Path, deaths: list[tuple[int, str]]
) -> None:
    """Erase paid leader: email reusable, revenue same. Killed in between, another goes on."""
    data, clock = tmp_path / "data", ManualClock(START)
    with (
        Engine(tmp_path / "store", clock=clock) as engine,
        ServerThread(engine) as server,
        in_process(engine) as backend,
    ):
        teams = run(prepared(backend, data, len(deaths)))
        lines = [
            f"{made.leader.participant()} {step} {when}"
            for made, (step, when) in zip(teams, deaths, strict=True)
        ]
        done = subprocess.run(
            [sys.executable, "-m", "tests.systems.kurukshetra.erasing.killed", server.url, data],
            input="\n".join(lines),
            stdout=subprocess.PIPE,
            text=True,
            timeout=120,
            check=True,
        )
        # Who was killed before anything was written has begun nothing; the person asks again. Who
        # was killed at the very end has left nothing.
        nothing_left = sum(each in ((1, "before"), (STEPS, "after")) for each in deaths)
        assert json.loads(done.stdout) == len(deaths) - nothing_left
        run(check(backend, data, engine, teams))


async def prepared(backend: Backend, data: Path, count: int) -> list[Made]:
    async with festival_on(backend, ManualClock(START), data=data) as festival:
        await event_made(festival)
        teams = [await team_made(festival, size=2) for _ in range(count)]
        for made in teams:
            await paying(festival, made)
            await issued(festival, made)
        return teams


async def check(backend: Backend, data: Path, engine: Engine, teams: list[Made]) -> None:
    async with festival_on(backend, ManualClock(START), data=data) as festival:
        organizer = await caller(festival, ORGANIZER)
        for made in teams:
            await festival.erasing.erase(organizer, made.leader.participant())
        await festival.erasing.retention.sweep()
        sums = (await festival.statistics.of(organizer.event_id)).sums
        fee = (await festival.events.config(organizer.event_id)).team_fee
        assert (sums.paid, sums.revenue) == (len(teams), len(teams) * fee)
        told = dump(engine)
        for made in teams:
            page = await team_of(festival, made)
            assert page.team.leader_participant_id == made.members[1].participant_id
            assert page.team.member_count == len(page.members) == 1
            assert kinds(engine, made.leader.participant()) == ["participant"]
            assert made.leader.uid_hash not in told
            again = m.email_lock(organizer.event_id, email_hash(festival, made))
            assert await festival.db.run(again) is None, "the address can register again"


def email_hash(festival: Festival, made: Made) -> str:
    return festival.privacy.blind.email(made.leader.address())
