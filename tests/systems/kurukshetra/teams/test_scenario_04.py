"""One slot, and everybody wants it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.systems.kurukshetra.support import (
    EVENT,
    Made,
    caller,
    event_made,
    festival_on,
    refused,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend, over_http

JOINS = 10


@pytest.mark.parametrize("processes", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_scenario_04_one_slot_ten_joins_one_wins(
    tmp_path: Path, clock: ManualClock, processes: int
) -> None:
    """One slot, 10 joins: one wins. Leader leaves: 409 until hand-over."""
    names = [f"joiner-{number}" for number in range(JOINS)]

    async def prepared(backend: Backend) -> Made:
        async with festival_on(backend, clock, data=tmp_path / "data") as festival:
            await event_made(festival)
            team = await team_made(festival, size=3)
            for name in names:
                await registered(festival, EVENT, name)
            return team

    async def checked(backend: Backend, made: Made) -> None:
        async with festival_on(backend, clock, data=tmp_path / "data") as festival:
            page = await festival.db.require(m.team_page(EVENT, made.team_id))
            assert (page.team.member_count, len(page.members)) == (4, 4)
            in_it = [
                each.participant_id
                async for each in festival.db.iterate(m.every_participant())
                if each.team_id == made.team_id
            ]
            assert sorted(in_it) == sorted(each.participant_id for each in page.members)
            await leader_leaves(festival, made)

    with Engine(tmp_path / "store", clock=clock) as engine, over_http(engine) as backend:
        made = run(prepared(backend))
        assert backend.url is not None
        share = JOINS // processes
        groups = [names[place : place + share] for place in range(0, JOINS, share)]
        started = [_started(backend.url, tmp_path / "data", made.code, group) for group in groups]
        outcomes = Counter(each for process in _set_off(started) for each in process)
        assert outcomes == {"joined": 1, "TEAM_FULL": JOINS - 1}
        run(checked(backend, made))


async def leader_leaves(festival: Festival, made: Made) -> None:
    leader, other = made.members[:2]
    assert other.participant_id is not None
    problem = await refused(festival.teams.leave(leader, made.team_id))
    assert (problem.status, problem.code) == (409, "LEADER_MUST_HAND_OVER")
    handed = await festival.teams.hand_over(leader, made.team_id, other.participant_id)
    assert handed.leader_participant_id == other.participant_id
    await festival.teams.leave(leader, made.team_id)
    after = await festival.db.require(m.team_page(EVENT, made.team_id))
    assert after.team.member_count == len(after.members) == 3
    assert leader.participant_id not in [each.participant_id for each in after.members]
    assert (await caller(festival, leader.principal)).team_id is None


def _started(url: str, data: Path, code: str, names: list[str]) -> subprocess.Popen[str]:
    program = "tests.systems.kurukshetra.teams.joining"
    return subprocess.Popen(
        [sys.executable, "-m", program, url, str(data), code, *names],
        cwd=Path(__file__).parents[4],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _set_off(processes: list[subprocess.Popen[str]]) -> list[list[str]]:
    """All at once, when all are ready; what their people were told."""
    try:
        for each in processes:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in processes:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        return [json.loads(each.communicate(timeout=60)[0]) for each in processes]
    finally:
        for each in processes:
            each.kill()
            each.wait()
