"""Secrets: fetched once, rotated with a grace, and never stored."""

from __future__ import annotations

import asyncio
import statistics
import time
from datetime import timedelta

import bcrypt
import pytest
from tests.systems.pricekeeper.access.support import (
    ADMIN,
    START,
    both,
    client,
    keeping,
    refused,
    save,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.service.kit import audit
from tablewright.systems.pricekeeper import reads
from tablewright.systems.pricekeeper.rules.secrets import RETRIEVAL_SECS
from tablewright.systems.pricekeeper.samples import NEW_ORG, ORG, WEB
from tablewright.systems.pricekeeper.service.fetching import REFUSAL_SECS
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing.backends import Backend


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


# --- fetching ------------------------------------------------------------------------------------


def test_a_secret_is_fetched_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN)
            found = await keeper.credentials.redeem(done.token, ADMIN)
            assert found.client_id == f"org-{ORG}"
            again = await refused(keeper.credentials.redeem(done.token, ADMIN))
            assert (again.status, again.code) == (404, "NOT_FOUND")

    asyncio.run(scenario())


def test_scenario_15_of_fifty_who_fetch_at_once_one_gets_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 15, within a process; test_races has the one between processes."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN)
            tries = (keeper.credentials.redeem(done.token, ADMIN) for _ in range(50))
            found = await asyncio.gather(*tries, return_exceptions=True)
            served = [each for each in found if not isinstance(each, BaseException)]
            assert len(served) == 1
            assert {getattr(each, "code", "") for each in found if each not in served} == {
                "NOT_FOUND"
            }

    asyncio.run(scenario())


def test_nothing_in_the_store_opens_a_secret(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            issued = keeper.credentials.issue(NEW_ORG, None, keeper.now())
            row = await keeper.db.run(put(issued.retrieval))
            assert issued.token not in repr(row)
            assert issued.token not in repr(issued)
            credential = await keeper.credentials.of(ORG, None)
            assert owner.secret not in repr(credential)
            # Once fetched, the ciphertext is gone too.
            await keeper.credentials.redeem(issued.token, ADMIN)
            left = await keeper.db.run(reads.secret_retrieval(row.token_hash))
            assert left is not None
            assert (left.used, left.ciphertext) == (True, None)

    asyncio.run(scenario())


def test_a_secret_waits_ten_minutes(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN)
            clock.advance(RETRIEVAL_SECS)
            late = await refused(keeper.credentials.redeem(done.token, ADMIN))
            assert late.status == 404

    asyncio.run(scenario())


def test_every_refusal_is_the_same_and_takes_as_long(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            used = await keeper.credentials.rotate(ORG, None, ADMIN)
            await keeper.credentials.redeem(used.token, ADMIN)
            ended = await keeper.credentials.rotate(ORG, None, ADMIN, force=True)
            clock.advance(RETRIEVAL_SECS + 1)
            # A row whose ciphertext belongs to another token.
            mixed = keeper.credentials.issue(NEW_ORG, None, keeper.now())
            other = keeper.credentials.issue(NEW_ORG, None, keeper.now())
            await keeper.db.run(
                put(mixed.retrieval.model_copy(update={"ciphertext": other.retrieval.ciphertext}))
            )
            tokens = (used.token, ended.token, mixed.token, "made-up", "", "\ud800", "x" * 4000)
            problems, times = [], []
            for token in tokens:
                began = time.perf_counter()
                problems.append(await refused(keeper.credentials.redeem(token, ADMIN)))
                times.append(time.perf_counter() - began)
            assert len({(each.status, each.code, each.detail) for each in problems}) == 1
            assert min(times) >= REFUSAL_SECS - 0.001
            assert statistics.median(times) < REFUSAL_SECS + 0.05

    asyncio.run(scenario())


# --- rotating ------------------------------------------------------------------------------------


async def secret_of(keeper: Keeper, token: str) -> str:
    return (await keeper.credentials.redeem(token, ADMIN)).secret


async def is_good(keeper: Keeper, secret: str, app_id: str | None = None) -> bool:
    credential = await keeper.credentials.of(ORG, app_id)
    assert credential is not None
    return await keeper.credentials.knows(credential, secret, keeper.now())


def test_scenario_15_the_old_secret_is_good_for_the_grace(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 15."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=24)
            new = await secret_of(keeper, done.token)
            assert done.cred_version == 2
            assert await is_good(keeper, owner.secret)
            assert await is_good(keeper, new)
            clock.advance(24 * 3600 - 1)
            assert await is_good(keeper, owner.secret)
            clock.advance(1)
            assert not await is_good(keeper, owner.secret)
            assert await is_good(keeper, new)

    asyncio.run(scenario())


def test_without_grace_it_ends_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=0)
            assert done.grace_until is None
            assert not await is_good(keeper, owner.secret)
            assert await is_good(keeper, await secret_of(keeper, done.token))
            stored = await keeper.credentials.of(ORG, None)
            assert stored is not None
            assert stored.previous_secret_hash is None

    asyncio.run(scenario())


def test_within_the_grace_only_force_rotates_again(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            first = (await client(keeper)).secret
            second = await secret_of(
                keeper, (await keeper.credentials.rotate(ORG, None, ADMIN)).token
            )
            no = await refused(keeper.credentials.rotate(ORG, None, ADMIN))
            assert (no.status, no.code) == (409, "ROTATION_IN_GRACE")
            third = await secret_of(
                keeper, (await keeper.credentials.rotate(ORG, None, ADMIN, force=True)).token
            )
            # The oldest one goes.
            assert [await is_good(keeper, each) for each in (first, second, third)] == [
                False,
                True,
                True,
            ]

    asyncio.run(scenario())


def test_of_two_who_rotate_at_once_one_is_told(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            found = await asyncio.gather(
                *(keeper.credentials.rotate(ORG, None, ADMIN) for _ in range(4)),
                return_exceptions=True,
            )
            done = [each for each in found if not isinstance(each, BaseException)]
            codes = {getattr(each, "code", "") for each in found if each not in done}
            assert len(done) == 1
            assert codes <= {"ROTATED_MEANWHILE", "ROTATION_IN_GRACE"}
            stored = await keeper.credentials.of(ORG, None)
            assert stored is not None
            assert stored.cred_version == 2

    asyncio.run(scenario())


def test_five_rotations_an_hour(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await both(keeper)
            for _ in range(5):
                await keeper.credentials.rotate(ORG, None, ADMIN, force=True)
            much = await refused(keeper.credentials.rotate(ORG, None, ADMIN, force=True))
            assert (much.status, much.code) == (429, "RATE_LIMITED")
            # Another client has its own five.
            await keeper.credentials.rotate(ORG, WEB, ADMIN)
            clock.advance(3600)
            await keeper.credentials.rotate(ORG, None, ADMIN, force=True)

    asyncio.run(scenario())


def test_a_rotation_is_audited_with_no_secret_in_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            done = await keeper.credentials.rotate(ORG, None, ADMIN)
            secret = await secret_of(keeper, done.token)
            entries = await audit.entries(keeper.db, until=keeper.now() + 1)
            mine = [each for each in entries if each.action == "credential.rotate"]
            assert [(each.actor, each.subject) for each in mine] == [
                (ADMIN.id, f"client/org-{ORG}")
            ]
            assert {"credential.fetch"} < {each.action for each in entries}
            assert done.token not in repr(entries)
            assert secret not in repr(entries)

    asyncio.run(scenario())


def test_only_what_exists_is_rotated(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            for org_id, app_id in ((NEW_ORG, None), (ORG, "nowhere")):
                none = await refused(keeper.credentials.rotate(org_id, app_id, ADMIN))
                assert none.status == 404
            await save(keeper, status="DISABLED")
            await keeper.credentials.rotate(ORG, None, ADMIN)
            await save(keeper, status="DELETED")
            gone = await refused(keeper.credentials.rotate(ORG, None, ADMIN, force=True))
            assert gone.status == 404

    asyncio.run(scenario())


# --- other hashes --------------------------------------------------------------------------------


def test_a_bcrypt_hash_is_accepted_and_replaced(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            stored = await keeper.credentials.of(ORG, None)
            assert stored is not None
            old = bcrypt.hashpw(b"from before", bcrypt.gensalt(4)).decode()
            await keeper.db.run(put(stored.model_copy(update={"client_secret_hash": old})))
            assert not await is_good(keeper, "something else")
            assert await is_good(keeper, "from before")
            better = await keeper.credentials.of(ORG, None)
            assert better is not None
            assert better.client_secret_hash.startswith("h1$")
            assert better.cred_version == stored.cred_version
            assert await is_good(keeper, "from before")

    asyncio.run(scenario())


def test_a_better_hash_never_undoes_a_rotation(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            await client(keeper)
            stored = await keeper.credentials.of(ORG, None)
            assert stored is not None
            old = bcrypt.hashpw(b"from before", bcrypt.gensalt(4)).decode()
            seen = await keeper.db.run(put(stored.model_copy(update={"client_secret_hash": old})))
            done = await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=0)
            new = await secret_of(keeper, done.token)
            # Somebody logs in with what was read before the rotation.
            assert await keeper.credentials.knows(seen, "from before", keeper.now())
            assert await is_good(keeper, new)
            assert not await is_good(keeper, "from before")

    asyncio.run(scenario())


def test_the_grace_is_at_most_a_week() -> None:
    from tablewright.systems.pricekeeper.bodies import RotateIn

    assert RotateIn().grace_hours == 24
    assert RotateIn(grace_hours=168).grace_hours == timedelta(days=7) // timedelta(hours=1)
    for wrong in (-1, 169):
        with pytest.raises(ValueError, match="grace_hours"):
            RotateIn(grace_hours=wrong)
