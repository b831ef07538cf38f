"""API keys that act for somebody: made with their owner, ended and erased for them alone."""

from __future__ import annotations

from typing import Any

import pytest
from tests.service.auth.door import Door, door, problem, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import together
from tablewright.model.errors import TablewrightError, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.auth.api_keys import Prepared
from tablewright.service.kit.patterns import own_api_key
from tablewright.service.problems import Problem
from tablewright.testing import Backend, injected

ADA = Principal("ada", "Ada", "user", roles=frozenset({"admin"}))
ACME, OTHER = "org:acme", "org:other"


def prepared(at: Door, owner: str = ACME) -> Prepared:
    return at.auth.api_keys.prepared(ADA, name="nightly", roles=["auditor"], owner=owner)


async def made(at: Door, owner: str = ACME) -> Prepared:
    key = prepared(at, owner)
    await at.db.run(key.op)
    return key


def stored(engine: Engine) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = engine.call("Scan", {"TableName": "kit"})["Items"]
    return items


def test_a_key_says_whom_it_acts_for(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            key = await made(at)
            found = await at.auth.api_keys.principal(key.text)
            assert found is not None
            assert (found.owner, found.roles) == (ACME, {"auditor"})
            assert found.within("shop").owner == ACME
            _, loose = await at.auth.api_keys.create(ADA, name="ci", roles=["auditor"])
            nobodys = await at.auth.api_keys.principal(loose)
            assert nobodys is not None
            assert nobodys.owner == ""

    run(main())


def test_streams_and_sessions_know_it_too(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            key = await made(at)
            headers = {"X-API-Key": key.text}
            token = (await client.post("/shop/api/v1/stream-token", headers=headers)).json()
            read = at.auth._streams.read(token["stream_token"])
            assert read is not None
            assert read.owner == ACME
            sessions = at.auth.identity.sessions
            for owner in (ACME, ""):
                who = Principal("judge", "Judge", "user", owner=owner)
                _, cookie = sessions.start(who, now=tablewright_clock.now())
                session = sessions.read(cookie, now=tablewright_clock.now())
                assert session is not None
                assert session.principal.owner == owner

    run(main())


def test_owners_see_and_end_their_own(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            keys = at.auth.api_keys
            mine = {(await made(at)).key.key_id for _ in range(5)}
            theirs = await made(at, OTHER)
            found, cursor = set(), None
            while True:
                page = await keys.owned(ACME, 2, cursor)
                found |= {each.key_id for each in page}
                if (cursor := page.cursor) is None:
                    break
            assert found == mine
            with pytest.raises(Problem) as refused:
                await keys.revoke(ADA, theirs.key.key_id, owner=ACME)
            assert refused.value.code == "NOT_FOUND"
            assert await keys.principal(theirs.text) is not None
            ended = await keys.revoke(ADA, mine.pop(), owner=ACME)
            assert ended.revoked_at is not None
            assert len(await keys.list()) == 6  # an administrator sees all

    run(main())


def test_a_key_is_made_with_what_it_joins_or_not_at_all(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            first, second = prepared(at), prepared(at)
            # Stands for the organiser who is there already.
            taken = own_api_key(first.ops[1].entity)
            await at.db.run(taken)
            with pytest.raises(TransactionCancelled):
                await at.db.run(together(taken, *second.ops))
            assert await at.auth.api_keys.principal(second.text) is None
            assert len(stored(tablewright_engine)) == 1
            assert second.text not in repr(second)

    run(main())


def test_erasing_leaves_nothing_of_theirs(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            keys = at.auth.api_keys
            mine = [await made(at) for _ in range(3)]
            theirs = await made(at, OTHER)
            assert await keys.principal(mine[0].text) is not None
            once = Fault("TransactWriteItems", error="AccessDeniedException", after=True, times=1)
            with injected(tablewright_engine, once), pytest.raises(TablewrightError):
                await keys.erase(ACME)
            for _ in range(2):
                await keys.erase(ACME)
            assert [await keys.principal(each.text) for each in mine] == [None] * 3
            assert await keys.principal(theirs.text) is not None
            kinds = [each["entity_type"]["S"] for each in stored(tablewright_engine)]
            assert kinds.count("ApiKey") == kinds.count("OwnedKey") == 1

    run(main())


def test_an_administrators_list_says_whose_a_key_is(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            key = await made(at)
            path = "/shop/api/v1/api-keys"
            assert problem(await client.get(path, headers={"X-API-Key": key.text})) == (
                403,
                "FORBIDDEN",
            )
            _, admin = await at.auth.api_keys.create(ADA, name="ci", roles=["admin"])
            listed = (await client.get(path, headers={"X-API-Key": admin})).json()["items"]
            assert {each["name"]: each["owner"] for each in listed} == {"nightly": ACME, "ci": None}

    run(main())
