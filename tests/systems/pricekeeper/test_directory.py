"""What a process keeps: for how long, who waits for whom, and what happens without a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest
from tests.systems.pricekeeper.access.support import keeping

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.model.errors import Unavailable
from tablewright.service.problems import Problem
from tablewright.service.remembered import Remembered
from tablewright.systems.pricekeeper import writes
from tablewright.systems.pricekeeper.samples import (
    NOW,
    ORG,
    PRICED_FROM,
    WEB,
    application,
    label_named,
    organisation,
    price_of,
)
from tablewright.systems.pricekeeper.service.directory import KEPT_SECS, STALE_SECS
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing import injected
from tablewright.testing.backends import in_process

Test = Callable[[Keeper], Coroutine[Any, Any, None]]


class Reads:
    """Counts what is asked of the database."""

    def __init__(self, keeper: Keeper) -> None:
        self.seen: list[str] = []
        context = keeper.db.context
        before = context.hook
        keeper.db.context = replace(context, hook=lambda event: self._note(before, event))

    def _note(self, before: Any, event: Any) -> None:
        self.seen.append(event.pattern)
        if before is not None:
            before(event)

    def taken(self) -> list[str]:
        found, self.seen = self.seen, []
        return found


@pytest.fixture
def run(tablewright_engine: Engine, tablewright_clock: ManualClock) -> Callable[[Test], None]:
    tablewright_clock.set(NOW.timestamp())

    async def running(test: Test) -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, tablewright_clock, quick=True) as keeper:
                for item in (organisation(), application(WEB), label_named("premium")):
                    await keeper.db.run(put(item))
                await keeper.db.run(put(price_of("premium", PRICED_FROM)))
                await test(keeper)

    return lambda test: asyncio.run(running(test))


Run = Callable[[Test], None]


# --- organisations and apps ----------------------------------------------------------------------


def test_an_account_is_read_once_and_kept(run: Run, tablewright_clock: ManualClock) -> None:
    async def test(keeper: Keeper) -> None:
        reads = Reads(keeper)
        account = await keeper.directory.account(ORG, WEB)
        assert sorted(reads.taken()) == ["app", "org"]
        tablewright_clock.advance(KEPT_SECS - 1)
        # The very same one: what it has worked out is kept, too.
        assert await keeper.directory.account(ORG, WEB) is account
        assert reads.taken() == []
        tablewright_clock.advance(1)
        assert (await keeper.directory.account(ORG, WEB)).org == account.org
        assert sorted(reads.taken()) == ["app", "org"]

    run(test)


def test_a_clock_that_is_set_back_keeps_nothing_for_ever(
    run: Run, tablewright_clock: ManualClock
) -> None:
    async def test(keeper: Keeper) -> None:
        await keeper.directory.account(ORG, WEB)
        reads = Reads(keeper)
        tablewright_clock.advance(-3600)
        await keeper.directory.account(ORG, WEB)
        assert sorted(reads.taken()) == ["app", "org"]

    run(test)


def test_all_who_ask_at_once_wait_for_one_read(run: Run) -> None:
    async def test(keeper: Keeper) -> None:
        reads = Reads(keeper)
        await asyncio.gather(*(keeper.directory.account(ORG, WEB) for _ in range(100)))
        assert sorted(reads.taken()) == ["app", "org"]

    run(test)


def test_what_is_not_there_is_asked_again_soon(run: Run, tablewright_clock: ManualClock) -> None:
    async def test(keeper: Keeper) -> None:
        reads = Reads(keeper)
        for _ in range(5):
            with pytest.raises(Problem) as caught:
                await keeper.directory.account(ORG, "new")
            assert caught.value.status == 404
        assert sorted(reads.taken()) == ["app", "org"]
        await keeper.db.run(put(application(WEB).model_copy(update={"app_id": "new"})))
        tablewright_clock.advance(1)
        assert (await keeper.directory.account(ORG, "new")).app_id == "new"

    run(test)


def test_own_changes_are_seen_at_once(run: Run) -> None:
    async def test(keeper: Keeper) -> None:
        account = await keeper.directory.account(ORG, WEB)
        changed = account.org.model_copy(update={"status": "DISABLED"})
        await keeper.db.run(writes.save_org(changed))
        assert (await keeper.directory.account(ORG, WEB)).org.status == "ACTIVE"
        keeper.directory.forget(ORG)
        with pytest.raises(Problem) as caught:
            await keeper.directory.account(ORG, WEB)
        assert (caught.value.status, caught.value.code) == (403, "ORG_DISABLED")
        found = await keeper.directory.account(ORG, WEB, even_disabled=True)
        assert found.org.status == "DISABLED"

    run(test)


@pytest.mark.parametrize(
    ("kind", "status", "problem"),
    [
        ("org", "DELETED", (404, "NOT_FOUND")),
        ("app", "DELETED", (404, "NOT_FOUND")),
        ("app", "DISABLED", (403, "APP_DISABLED")),
    ],
)
def test_who_is_not_let_in(run: Run, kind: str, status: str, problem: tuple[int, str]) -> None:
    async def test(keeper: Keeper) -> None:
        item = organisation(version=1) if kind == "org" else application(WEB, version=1)
        await keeper.db.run(put(item.model_copy(update={"status": status})))
        with pytest.raises(Problem) as caught:
            await keeper.directory.account(ORG, WEB)
        assert (caught.value.status, caught.value.code) == problem
        if status == "DELETED":
            with pytest.raises(Problem):
                await keeper.directory.account(ORG, WEB, even_disabled=True)

    run(test)


def test_what_cannot_be_an_id_is_not_looked_for(run: Run) -> None:
    async def test(keeper: Keeper) -> None:
        reads = Reads(keeper)
        for org_id, app_id in (("x", WEB), (ORG, "a#LABEL#b"), (f"{ORG}#APP#web", WEB)):
            with pytest.raises(Problem) as caught:
                await keeper.directory.account(org_id, app_id)
            assert caught.value.status == 400
        assert await keeper.directory.label("a#LABEL#b") is None
        assert await keeper.directory.org("x") is None
        assert await keeper.directory.app(ORG, "_all") is None
        assert set(reads.taken()) <= {"org"}
        upper = await keeper.directory.account(ORG.upper(), WEB)
        assert upper.org_id == ORG

    run(test)


# --- labels --------------------------------------------------------------------------------------


def test_labels_are_kept_and_forgotten(run: Run) -> None:
    async def test(keeper: Keeper) -> None:
        assert await keeper.directory.label("premium") == label_named("premium")
        assert await keeper.directory.labels() == (label_named("premium"),)
        assert await keeper.directory.label("economy") is None
        await keeper.db.run(writes.save_label(label_named("economy")))
        keeper.directory.forget_label("economy")
        assert await keeper.directory.label("economy") == label_named("economy")
        assert len(await keeper.directory.labels()) == 2

    run(test)


# --- without a store -----------------------------------------------------------------------------

_DOWN = [Fault(name, error="InternalServerError") for name in ("GetItem", "Query")]


def test_what_was_known_is_used_for_some_minutes(
    run: Run, tablewright_engine: Engine, tablewright_clock: ManualClock
) -> None:
    async def test(keeper: Keeper) -> None:
        account = await keeper.directory.account(ORG, WEB)
        with injected(tablewright_engine, *_DOWN):
            tablewright_clock.advance(STALE_SECS - 1)
            assert await keeper.directory.account(ORG, WEB) is account
            tablewright_clock.advance(1)
            with pytest.raises(Unavailable):
                await keeper.directory.account(ORG, WEB)
        assert (await keeper.directory.account(ORG, WEB)).org == account.org

    run(test)


def test_what_was_never_known_cannot_be_said(run: Run, tablewright_engine: Engine) -> None:
    async def test(keeper: Keeper) -> None:
        with injected(tablewright_engine, *_DOWN), pytest.raises(Unavailable):
            await keeper.directory.account(ORG, WEB)

    run(test)


# --- prices --------------------------------------------------------------------------------------


def test_scenario_18_both_sides_of_a_change_are_priced_right_while_a_timeline_is_kept(
    run: Run, tablewright_clock: ManualClock
) -> None:
    """Scenario 18: events on either side of 12:00, whenever they arrive."""
    model = label_named("premium").bedrock_model_id
    noon = int(NOW.timestamp()) + 200

    async def test(keeper: Keeper) -> None:
        later = price_of("premium", NOW, percent=110).model_copy(
            update={"effective_from": NOW.fromtimestamp(noon, NOW.tzinfo)}
        )
        await keeper.db.run(writes.set_price(later))
        reads = Reads(keeper)
        for advance in (0, 150, 149):
            tablewright_clock.advance(advance)
            at = keeper.prices.at
            before = await at(model, "region", "standard", noon - 1)
            after = await at(model, "region", "standard", noon)
            assert before == price_of("premium", PRICED_FROM)
            assert after == later
        assert reads.taken() == ["prices_of_model"]
        early = int(PRICED_FROM.timestamp()) - 1
        assert await keeper.prices.at(model, "region", "standard", early) is None
        assert await keeper.prices.at(model, "region", "batch", noon) is None

    run(test)


def test_a_profile_has_the_prices_of_its_model_unless_it_has_its_own(run: Run) -> None:
    model = label_named("premium").bedrock_model_id
    now = int(NOW.timestamp())

    async def test(keeper: Keeper) -> None:
        found = await keeper.prices.at(f"us.{model}", "region", "standard", now)
        assert found == price_of("premium", PRICED_FROM)
        own = price_of("premium", PRICED_FROM).model_copy(
            update={"bedrock_model_id": f"us.{model}", "region_class": "geo"}
        )
        await keeper.db.run(writes.set_price(own))
        keeper.prices.forget(f"us.{model}")
        assert await keeper.prices.at(f"us.{model}", "geo", "standard", now) == own
        # It is its own or its model's, never a mixture.
        assert await keeper.prices.at(f"us.{model}", "region", "standard", now) is None

    run(test)


def test_the_bundled_prices_are_stored_once(run: Run) -> None:
    async def test(keeper: Keeper) -> None:
        await asyncio.gather(keeper.prices.open(), keeper.prices.open())
        reads = Reads(keeper)
        await keeper.prices.open()
        assert set(reads.taken()) == {"prices_of_model"}
        await keeper.prices.open()
        assert reads.taken() == []

    run(test)


def test_what_was_set_by_hand_is_older_than_the_table_and_stays(run: Run) -> None:
    now = int(NOW.timestamp())

    async def test(keeper: Keeper) -> None:
        model = "amazon.nova-pro-v1:0"
        mine = price_of("economy", PRICED_FROM).model_copy(
            update={
                "bedrock_model_id": model,
                "source": "MANUAL",
                "effective_from": NOW.replace(year=2020),
            }
        )
        await keeper.db.run(writes.set_price(mine))
        await keeper.prices.open()
        assert await keeper.prices.at(model, "region", "standard", now) == mine
        geo = await keeper.prices.at(model, "geo", "standard", now)
        assert geo is not None
        assert geo.source == "BUNDLED"

    run(test)


# --- keeping, by itself --------------------------------------------------------------------------


def test_a_read_that_was_overtaken_by_a_change_is_not_kept() -> None:
    async def test() -> None:
        stored, gate = ["old"], asyncio.Event()

        async def load(_: str) -> str:
            found = stored[0]
            await gate.wait()
            return found

        kept = Remembered(load, ManualClock(0.0), secs=30)
        early = asyncio.ensure_future(kept.get("x"))
        await asyncio.sleep(0.01)
        stored[0] = "new"
        kept.forget("x")
        late = asyncio.ensure_future(kept.get("x"))
        await asyncio.sleep(0.01)
        gate.set()
        assert (await early, await late) == ("old", "new")
        assert await kept.get("x") == "new"

    asyncio.run(test())


def test_who_stops_waiting_does_not_stop_the_others() -> None:
    async def test() -> None:
        gate, loads = asyncio.Event(), 0

        async def load(_: str) -> str:
            nonlocal loads
            loads += 1
            await gate.wait()
            return "value"

        kept = Remembered(load, ManualClock(0.0), secs=30)
        first, second = (asyncio.ensure_future(kept.get("x")) for _ in range(2))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.sleep(0.01)
        gate.set()
        assert await second == "value"
        assert (loads, first.cancelled()) == (1, True)

    asyncio.run(test())


def test_a_failed_read_is_told_to_all_and_not_kept() -> None:
    async def test() -> None:
        answers: list[Exception | str] = [ValueError("broken"), "value"]

        async def load(_: str) -> str:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        kept = Remembered(load, ManualClock(0.0), secs=30)
        found = await asyncio.gather(kept.get("x"), kept.get("x"), return_exceptions=True)
        assert [str(each) for each in found] == ["broken", "broken"]
        assert await kept.get("x") == "value"

    asyncio.run(test())


def test_no_more_is_kept_than_there_is_room_for() -> None:
    async def test() -> None:
        loads = []

        async def load(key: int) -> str:
            loads.append(key)
            return "value"

        kept = Remembered(load, ManualClock(0.0), secs=30, size=3)
        for key in (1, 2, 3, 4, 2, 3, 4, 1):
            await kept.get(key)
        assert loads == [1, 2, 3, 4, 1]

    asyncio.run(test())
