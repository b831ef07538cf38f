"""Metrics: what happened, by what was written; and where writers meet."""

from __future__ import annotations

from tests.systems.kurukshetra.erasing.support import paying
from tests.systems.kurukshetra.support import (
    EVENT,
    caller,
    event_made,
    festival_on,
    person,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend, injected


def value(festival: Festival, name: str, **labels: str) -> float:
    found = festival.runtime.metrics.registry.get_sample_value(name, labels)
    return 0.0 if found is None else found


def test_metrics_tell_what_was_written(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=2)
            await paying(festival, made)
            # A second time is no registration.
            await registered(festival, EVENT, made.leader.principal.name.lower())
            assert value(festival, "kurukshetra_registrations_total") == 2
            assert value(festival, "kurukshetra_payments_total", outcome="paid") == 1
            # Two people and the administrator who made the event.
            assert value(festival, "kurukshetra_active_users") == 3
            clock.advance(1000)
            await caller(festival, person("asha"))
            assert value(festival, "kurukshetra_active_users") == 1

    run(main())


def test_conflicts_are_told_by_the_family_of_the_key(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival)
            # The first member of a checkout is the seats, the third the payment, which is put.
            conflict = Fault(
                {"TransactWriteItems"},
                error="TransactionCanceledException",
                reason="TransactionConflict",
                members=[0, 2],
                times=2,
            )
            with injected(tablewright_engine, conflict):
                await paying(festival, made)
            text = festival.runtime.metrics.text().decode()
            for family in ("CONFIG/SEATS", "PAYMENT/TRANSACTION"):
                assert value(festival, "kurukshetra_conflicts_total", family=family) == 2
            assert made.team_id not in text

    run(main())
