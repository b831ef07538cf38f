"""Writers' slots: whose numbers they are, and what happens to those who lose one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from tests.systems.pricekeeper.recording.support import (
    ORG,
    WEB,
    check_books,
    record,
    recording,
    results,
    usage,
)

from tablewright.clock import ManualClock
from tablewright.model import definition, delete
from tablewright.service.kit.entities import Lease
from tablewright.service.workers import Leases
from tablewright.systems.pricekeeper.reads import usage_shards
from tablewright.systems.pricekeeper.samples import RECORDS, counter_of
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording.slot import (
    LEASE_SECS,
    NoSlot,
    Writer,
    WriterSlot,
)
from tablewright.systems.pricekeeper.shapes import UsageKey
from tablewright.systems.pricekeeper.spend import WRITER_FIELDS, WRITERS
from tablewright.testing.backends import Backend
from tablewright.values import item_size

PREMIUM = UsageKey(ORG, WEB, "premium", "20261120", 8)
Case = Callable[[Keeper], Coroutine[Any, Any, None]]


def run(backend: Backend, clock: ManualClock, case: Case) -> None:
    async def go() -> None:
        async with recording(backend, clock) as keeper:
            await case(keeper)

    asyncio.run(go())


async def stamps(keeper: Keeper) -> dict[str, int]:
    """The number of each writer's last flush."""
    shards = [shard for shard in await keeper.db.run(usage_shards(PREMIUM)) if shard is not None]
    found = {name: max(getattr(shard, name) or 0 for shard in shards) for name in WRITER_FIELDS}
    return {name: number for name, number in found.items() if number}


def slot_of(keeper: Keeper) -> WriterSlot:
    return keeper.recorder._flushing.slot


def test_a_flush_leaves_its_number(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        (first,) = (await stamps(keeper)).items()
        await record(keeper, usage())
        (second,) = (await stamps(keeper)).items()
        assert first[0] == second[0] == f"w_{keeper.recorder.writer}"
        assert second[1] == first[1] + 1

    run(tablewright_backend, clock, case)


def test_numbers_rise_from_owner_to_owner(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has a slot next goes on above all who had it before."""
    module = "tablewright.systems.pricekeeper.service.recording.slot._NAMES"
    monkeypatch.setattr(module, ("writer-05",))
    numbers: list[int] = []

    async def case(keeper: Keeper) -> None:
        for _ in range(3):
            await record(keeper, usage())
            numbers.append((await stamps(keeper))["w_05"])

    for _ in range(3):
        run(tablewright_backend, clock, case)
    assert numbers == sorted(set(numbers))


def test_a_process_that_lost_its_slot_takes_another(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """It does not know that its lease has ended: the counter refuses it, then it asks."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        mine = slot_of(keeper).current
        assert mine is not None
        clock.advance(LEASE_SECS + 1)
        # Another process gets the slot, and writes to the same counter.
        name = f"writer-{mine.slot:02d}"
        taken = await Leases(keeper.db, clock, "another").acquire(name, LEASE_SECS)
        assert taken is not None
        assert taken.fence > mine.fence
        other = WriterSlot(keeper.db, clock)
        theirs = Writer(mine.slot, taken.fence)
        other._writer, other._last = theirs, taken.fence << 32
        await _write_as(keeper, theirs, (taken.fence << 32) + 1)

        assert results(await record(keeper, usage())) == ["recorded"]
        now = slot_of(keeper).current
        assert now is not None
        assert now.slot != mine.slot
        assert (await stamps(keeper))[theirs.field] == (taken.fence << 32) + 1
        assert (await stamps(keeper))[now.field] > 0

    run(tablewright_backend, clock, case)


async def _write_as(keeper: Keeper, writer: Writer, number: int) -> None:
    """A flush of another process to the shard of that slot."""
    from tablewright.systems.pricekeeper.recording import flush

    row = RECORDS[0].model_copy(update={"request_id": usage().request_id, "org_id": ORG})
    count = counter_of([row]).model_copy(
        update={"w_07": None, writer.field: number, "shard": writer.shard(8)}
    )
    await keeper.db.run(flush([row], [count]))


def test_leases_that_start_anew(tablewright_backend: Backend, clock: ManualClock) -> None:
    """The leases are gone, after a restore say, and the counters are not: numbers go on above."""
    lost: list[int] = []

    async def first(keeper: Keeper) -> None:
        for _ in range(3):
            await record(keeper, usage())
        mine = slot_of(keeper).current
        assert mine is not None
        lost.append(mine.slot)
        lost.append((await stamps(keeper))[mine.field])

    async def second(keeper: Keeper) -> None:
        slots = slot_of(keeper)
        await slots.release()
        await keeper.db.run(delete(Lease, f"writer-{lost[0]:02d}"))
        names = [f"writer-{slot:02d}" for slot in range(WRITERS) if slot != lost[0]]
        leases = Leases(keeper.db, clock, "others")
        for name in names:
            await leases.acquire(name, LEASE_SECS)
        assert results(await record(keeper, usage())) == ["recorded"]
        assert (await stamps(keeper))[f"w_{lost[0]:02d}"] > lost[1]

    run(tablewright_backend, clock, first)
    run(tablewright_backend, clock, second)


def test_no_slot_is_free(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def case(keeper: Keeper) -> None:
        await slot_of(keeper).release()
        others = Leases(keeper.db, clock, "others")
        held = [await others.acquire(f"writer-{n:02d}", LEASE_SECS) for n in range(WRITERS)]
        with pytest.raises(NoSlot):
            await slot_of(keeper).writer()
        assert results(await record(keeper, usage())) == ["STORE_UNAVAILABLE"]
        assert held[9] is not None
        await others.release(held[9])
        assert results(await record(keeper, usage())) == ["recorded"]
        assert keeper.recorder.writer == "09"

    run(tablewright_backend, clock, case)


def test_the_slot_is_given_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with recording(tablewright_backend, clock) as keeper:
            writer = keeper.recorder.writer
            assert writer is not None
            leases = Leases(keeper.db, clock)
            assert not leases.free(await leases.look(f"writer-{writer}"))
            await keeper.recorder.close()
            assert leases.free(await leases.look(f"writer-{writer}"))

    asyncio.run(go())


def test_the_clock_goes_back(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Numbers do not depend on it."""

    async def case(keeper: Keeper) -> None:
        await record(keeper, usage())
        before = await stamps(keeper)
        clock.advance(-3600)
        assert results(await record(keeper, usage(timestamp=int(clock.now())))) == ["recorded"]
        after = await stamps(keeper)
        assert after.keys() == before.keys()
        assert all(after[name] > before[name] for name in before)
        await check_books(keeper)

    run(tablewright_backend, clock, case)


def test_counters_of_all_writers_are_one_unit_each() -> None:
    """With eight shards, the longest names, and slots that changed hands a million times."""
    number = (10**6 << 32) + 10**6 + 1
    for shard in range(8):
        stamped = {
            Writer(slot, 1).field: number
            for slot in range(WRITERS)
            if Writer(slot, 1).shard(8) == shard
        }
        names = {"app_id": "a" * 63, "label": "l" * 63}
        full = counter_of(RECORDS[:1]).model_copy(update={"w_07": None, **names, **stamped})
        assert item_size(definition(full).encode(full)) <= 1024
