"""Others in the way, and answers that are lost: nothing happens twice, and nothing by half."""

from __future__ import annotations

import pytest
from tests.systems.kurukshetra.support import (
    EVENT,
    caller,
    event_made,
    festival_on,
    refused,
    registered,
    run,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.service import conflicts
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.testing import injected
from tablewright.testing.backends import Backend

TEAM = TeamIn(name="Code Warriors", track="ai-ml")


def in_the_way(times: int | None = None) -> Fault:
    return Fault(
        "TransactWriteItems",
        error="TransactionCanceledException",
        reason="TransactionConflict",
        times=times,
    )


def test_others_in_the_way_are_waited_for_and_then_told(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conflicts, "_LONGEST_SECS", 0.01)

    async def go() -> None:
        async with festival_on(engine_backend, clock, quick=True) as festival:
            await event_made(festival)
            leader = await registered(festival, EVENT, "leader")
            asha = await registered(festival, EVENT, "asha")
            with injected(tablewright_engine, in_the_way(5)):
                team = await festival.teams.found(leader, TEAM)
            leader = await caller(festival, leader.principal)
            code = await festival.teams.rotate(leader, team.team_id)
            with injected(tablewright_engine, in_the_way()):
                problem = await refused(festival.teams.join(asha, code))
                assert (problem.status, problem.code) == (503, "BUSY")
                assert "retry-after" in {name.lower() for name in problem.headers}
            stored = await festival.db.require(m.team_page(EVENT, team.team_id))
            assert stored.team.member_count == len(stored.members) == 1
            with injected(tablewright_engine, in_the_way(5)):
                assert (await festival.teams.join(asha, code)).member_count == 2

    run(go())


def test_an_answer_that_is_lost_is_found_again(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    lost = Fault("TransactWriteItems", drop=True, after=True, times=1)

    async def go() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            leader = await registered(festival, EVENT, "leader")
            with injected(tablewright_engine, lost):
                team = await festival.teams.found(leader, TEAM)
            leader = await caller(festival, leader.principal)
            code = await festival.teams.rotate(leader, team.team_id)
            asha = await registered(festival, EVENT, "asha")
            with injected(tablewright_engine, lost):
                assert (await festival.teams.join(asha, code)).member_count == 2
            with injected(tablewright_engine, lost):
                await festival.teams.leave(asha, team.team_id)
            with injected(tablewright_engine, lost):
                await festival.teams.disband(leader, team.team_id)
            ended = await festival.db.require(m.team_page(EVENT, team.team_id))
            assert (ended.team.payment_status, ended.members) == ("cancelled", ())
            assert await festival.db.run(m.team_name(EVENT, "code warriors")) is None

    run(go())
