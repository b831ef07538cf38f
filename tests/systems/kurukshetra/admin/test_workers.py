"""Workers of upkeep: each runs, and does what it is there for."""

from __future__ import annotations

from pathlib import Path

from tests.systems.kurukshetra.erasing.support import TABLE
from tests.systems.kurukshetra.support import EVENT, NOW, event_made, festival_on, registered, run

from tablewright.cli.models import find_access
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.workers import Leases, run_once
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.workers import workers
from tablewright.testing import Backend

UPKEEP = {"backup", "erase", "retention", "reseal", "stats-audit"}


def test_upkeep_runs_under_leases(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock, data=tmp_path) as festival:
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            # Begun by a process that died at once.
            person = await festival.db.require(m.participant(EVENT, asha.participant()))
            await festival.erasing.begin(person)
            own = {each.name: each for each in workers(festival) if each.name in UPKEEP}
            assert own.keys() == UPKEEP
            leases = Leases(festival.db, clock, "this")
            for name in ("erase", "retention", "reseal", "stats-audit", "backup"):
                assert await run_once(own[name], leases) == ("",)
            gone = await festival.db.require(m.participant(EVENT, asha.participant()))
            assert gone.erased_at == NOW
            assert len(await festival.db.run(m.erasures())) == 0
            for table in (TABLE, "kurukshetra-kit"):
                found = tablewright_engine.call("ListBackups", {"TableName": table})
                assert [each["BackupName"] for each in found["BackupSummaries"]] == [
                    "daily-2026-11-15"
                ]

    run(main())


def test_what_workers_may_do_names_patterns_that_exist() -> None:
    found = find_access("kurukshetra")
    assert found.backups["backup"] == (TABLE, "kit")
    from tablewright.service.kit import kit_model

    known = {*m.model.patterns, *kit_model.patterns}
    assert {each for some in found.beside.values() for each in some} <= known
