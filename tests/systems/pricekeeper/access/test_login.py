"""Guessing a secret: failures count, good logins do not."""

from __future__ import annotations

import asyncio

import bcrypt
import pytest
from tests.systems.pricekeeper.access.support import START, Client, client, keeping, refused

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.pricekeeper.samples import NEW_ORG, ORG
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing.backends import Backend

HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


async def guess(keeper: Keeper, client_id: str, secret: str = "wrong", address: str = HOME) -> int:
    return (await refused(keeper.tokens.login(client_id, secret, address))).status


def test_ten_failures_a_minute(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            who = (await client(keeper)).client_id
            assert [await guess(keeper, who) for _ in range(12)] == [401] * 10 + [429] * 2
            # Another address, or another client, is not meant.
            assert await guess(keeper, who, address=ELSEWHERE) == 401
            assert await guess(keeper, f"{who}-app-web") == 401
            clock.advance(60)
            assert await guess(keeper, who) == 401

    asyncio.run(scenario())


def test_good_logins_are_not_counted_and_not_stopped(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            who = await client(keeper)
            for _ in range(25):
                await keeper.tokens.login(who.client_id, who.secret, HOME)
            for _ in range(15):
                await guess(keeper, who.client_id)
            # Somebody else behind the same address is guessing; the owner gets in.
            await keeper.tokens.login(who.client_id, who.secret, HOME)
            assert await guess(keeper, who.client_id) == 429

    asyncio.run(scenario())


def test_a_secret_that_may_be_short_is_not_tried_any_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            who = await with_bcrypt(keeper, "from before")
            for _ in range(10):
                await guess(keeper, who.client_id)
            assert await guess(keeper, who.client_id, who.secret) == 429
            await keeper.tokens.login(who.client_id, who.secret, ELSEWHERE)

    asyncio.run(scenario())


async def with_bcrypt(keeper: Keeper, secret: str) -> Client:
    who = await client(keeper)
    stored = await keeper.credentials.of(ORG, None)
    assert stored is not None
    hashed = bcrypt.hashpw(secret.encode(), bcrypt.gensalt(4)).decode()
    await keeper.db.run(put(stored.model_copy(update={"client_secret_hash": hashed})))
    return Client(who.client_id, secret)


def test_guesses_at_once_do_not_slip_through(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            who = await with_bcrypt(keeper, "from before")
            found = await asyncio.gather(*(guess(keeper, who.client_id) for _ in range(40)))
            assert (found.count(401), found.count(429)) == (10, 30)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "client_id",
    [
        "",
        "x",
        f"org-{NEW_ORG}",
        f"org-{ORG}-app-nowhere",
        f"org-{ORG}-app-a#LABEL#b",
        "org-" + "é" * 36,
    ],
)
def test_nobody_learns_which_clients_there_are(
    tablewright_backend: Backend, clock: ManualClock, client_id: str
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            who = await client(keeper)
            wrong = await refused(keeper.tokens.login(who.client_id, "wrong", HOME))
            nobody = await refused(keeper.tokens.login(client_id, who.secret, HOME))
            for problem in (wrong, nobody):
                assert (problem.status, problem.code) == (401, "INVALID_CLIENT")
            assert wrong.detail == nobody.detail
            assert "WWW-Authenticate" in wrong.headers

    asyncio.run(scenario())
