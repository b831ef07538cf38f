"""API keys: made, used, listed, revoked."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.auth.door import Door, door, problem, run

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model.errors import TablewrightError
from tablewright.service.auth import Principal
from tablewright.service.auth.api_keys import ApiKeys, new_key_text, parse_key
from tablewright.service.keys import Keys
from tablewright.service.kit import kit_model
from tablewright.service.kit.entities import AuditEntry
from tablewright.testing import Backend, injected

#: Machines are busy at times.
unhurried = settings(deadline=None)
ADMIN = Principal(
    "ada", "Ada", "user", roles=frozenset({"admin"}), grants=frozenset({"shop:admin"})
)


def header(text: str) -> dict[str, str]:
    return {"X-API-Key": text}


async def made(at: Door, *roles: str, **other: Any) -> str:
    _, text = await at.auth.api_keys.create(ADMIN, name="ci", roles=roles or ["admin"], **other)
    return text


async def who(at: Door, headers: dict[str, str]) -> httpx2.Response:
    async with at.browser() as client:
        return await client.get("/who", headers=headers)


def audit_in(engine: Engine) -> list[dict[str, Any]]:
    items = engine.call("Scan", {"TableName": "kit"})["Items"]
    return [item for item in items if item["entity_type"]["S"] == AuditEntry.__name__]


# --- the text --------------------------------------------------------------------------------


def test_a_key_is_what_it_was_made_from() -> None:
    text = new_key_text()
    assert parse_key(str(text)) == text
    assert str(text).startswith(f"twk_{text.key_id}_")
    assert text.secret not in repr(text)


@unhurried
@given(st.text(max_size=100) | st.from_regex(r"twk_[0-9a-z]{16}_[A-Za-z0-9_-]{43}[0-9a-f]{8}"))
def test_made_up_keys_are_told_apart_without_a_read(text: str) -> None:
    assert parse_key(text) is None


@unhurried
@given(st.integers(0, 71), st.sampled_from("aZ0_-"))
def test_a_typing_error_is_noticed(place: int, instead: str) -> None:
    text = str(new_key_text())
    changed = text[:place] + instead + text[place + 1 :]
    assert (parse_key(changed) is None) == (changed != text)


# --- using -----------------------------------------------------------------------------------


def test_a_key_opens_the_door_both_ways(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            text = await made(at, "auditor", "operator")
            for headers in (header(text), {"Authorization": f"Bearer {text}"}):
                found = (await who(at, headers)).json()
                assert found["id"] == f"key:{text.split('_')[1]}"
                assert (found["name"], found["kind"]) == ("ci", "key")
                assert found["roles"] == ["auditor", "operator"]

    run(main())


def test_a_key_is_only_as_good_as_its_roles(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            headers = header(await made(at, "auditor"))
            assert problem(await client.post("/change", headers=headers)) == (403, "FORBIDDEN")
            assert (await client.get("/audit", headers=headers)).status_code == 200

    run(main())


def test_wrong_keys_are_nobodys(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            text = await made(at)
            row = await at.auth.api_keys.list()
            other = new_key_text()
            swapped = type(other)(text.split("_")[1], other.secret)
            for wrong in ("", "twk_", text[:-1], text.upper(), str(other), str(swapped)):
                answer = await who(at, header(wrong))
                assert problem(answer) == (401, "UNAUTHENTICATED"), wrong
                assert answer.headers["www-authenticate"].startswith('Bearer realm="shop"')
            assert text.split("_", 2)[2] not in str(row)

    run(main())


def test_a_secret_is_not_stored(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> str:
        async with door(memory, tablewright_clock) as at:
            return await made(at)

    text = run(main())
    parsed = parse_key(text)
    assert parsed is not None
    assert parsed.secret not in str(tablewright_engine.call("Scan", {"TableName": "kit"}))


def test_a_key_ends_when_it_was_said_to(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            ends = datetime.fromtimestamp(tablewright_clock.now(), UTC) + timedelta(seconds=45)
            text = await made(at, ends_at=ends)
            tablewright_clock.advance(29)
            assert (await who(at, header(text))).status_code == 200
            tablewright_clock.advance(16)
            assert problem(await who(at, header(text))) == (401, "UNAUTHENTICATED")

    run(main())


def test_a_known_key_costs_no_read(memory: Backend, tablewright_clock: ManualClock) -> None:
    events: list[RequestEvent] = []

    async def main() -> None:
        async with memory.async_db(clock=tablewright_clock, hook=events.append) as db:
            await db.create_tables(kit_model)
            ring = Keys(None, {}).ring("api-keys")
            keys = ApiKeys("shop", db, ring, tablewright_clock, ["admin"])
            _, text = await keys.create(ADMIN, name="ci", roles=["admin"])
            assert await keys.principal(text) is not None
            events.clear()
            for _ in range(100):
                assert await keys.principal(text) is not None
                tablewright_clock.advance(0.2)
            assert events == []
            tablewright_clock.advance(30)
            assert await keys.principal(text) is not None
            assert [event.operation for event in events] == ["GetItem"]

    run(main())


def test_it_is_known_to_the_hour_when_a_key_was_used(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            text = await made(at)
            (key,) = await at.auth.api_keys.list()
            assert key.last_used_at is None
            used = []
            for _ in range(5):
                await who(at, header(text))
                (key,) = await at.auth.api_keys.list()
                assert key.last_used_at is not None
                used.append(key.last_used_at.timestamp())
                tablewright_clock.advance(1300)
            assert len(set(used)) == 2

    run(main())


def test_guessing_is_slowed_down_and_good_keys_are_not(
    memory: Backend, tablewright_clock: ManualClock
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            good = header(await made(at))
            assert (await who(at, good)).status_code == 200
            answers = [await who(at, header(str(new_key_text()))) for _ in range(40)]
            assert [each.status_code for each in answers] == [401] * 30 + [429] * 10
            assert int(answers[-1].headers["retry-after"]) >= 1
            assert (await who(at, good)).status_code == 200
            tablewright_clock.advance(10)
            assert (await who(at, header(str(new_key_text())))).status_code == 401

    run(main())


def test_the_store_being_down_is_not_a_wrong_key(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            text = await made(at)
            with injected(tablewright_engine, Fault("GetItem", error="AccessDeniedException")):
                for _ in range(40):
                    with pytest.raises(TablewrightError):
                        await at.auth.principal(_request(text))
            assert (await who(at, header(text))).status_code == 200

    run(main())


def _request(text: str) -> Any:
    from starlette.requests import Request

    headers = [(b"x-api-key", text.encode())]
    return Request({"type": "http", "method": "GET", "headers": headers, "query_string": b""})


# --- use cases -------------------------------------------------------------------------------


def test_making_and_revoking_is_in_the_audit_log(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> str:
        async with door(memory, tablewright_clock) as at:
            text = await made(at)
            await at.auth.api_keys.revoke(ADMIN, text.split("_")[1])
            await at.auth.api_keys.revoke(ADMIN, text.split("_")[1])
            return text

    text = run(main())
    entries = audit_in(tablewright_engine)
    assert sorted(each["action"]["S"] for each in entries) == ["api-key.create", "api-key.revoke"]
    assert {each["actor"]["S"] for each in entries} == {"ada"}
    assert {each["subject"]["S"] for each in entries} == {f"api-key/{text.split('_')[1]}"}
    assert text.split("_", 2)[2][:20] not in str(entries)


def test_a_revoked_key_is_refused_at_once_here_and_soon_elsewhere(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with (
            door(memory, tablewright_clock, data=tmp_path) as here,
            door(memory, tablewright_clock, data=tmp_path) as there,
        ):
            text = await made(here)
            for at in (here, there):
                assert (await who(at, header(text))).status_code == 200
            revoked = await here.auth.api_keys.revoke(ADMIN, text.split("_")[1])
            assert (revoked.revoked_by, revoked.revoked_at is None) == ("ada", False)
            assert problem(await who(here, header(text))) == (401, "UNAUTHENTICATED")
            tablewright_clock.advance(30)
            assert problem(await who(there, header(text))) == (401, "UNAUTHENTICATED")

    run(main())


def test_a_key_that_is_revoked_while_it_is_looked_at_is_not_remembered(
    memory: Backend, tablewright_clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            text = await made(at)
            really = at.db.run

            async def slow(op: Any) -> Any:
                found = await really(op)
                monkeypatch.setattr(at.db, "run", really)
                await at.auth.api_keys.revoke(ADMIN, text.split("_")[1])
                return found

            monkeypatch.setattr(at.db, "run", slow)
            await at.auth.api_keys.principal(text)
            assert await at.auth.api_keys.principal(text) is None

    run(main())


def test_of_many_who_revoke_a_key_one_does(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            key_id = (await made(at)).split("_")[1]
            revoked = await asyncio.gather(
                *(at.auth.api_keys.revoke(ADMIN, key_id) for _ in range(20))
            )
            assert len({each.revoked_at for each in revoked}) == 1

    run(main())
    actions = [each["action"]["S"] for each in audit_in(tablewright_engine)]
    assert actions.count("api-key.revoke") == 1


def test_a_failed_transaction_makes_no_key(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            down = Fault("TransactWriteItems", error="AccessDeniedException")
            with injected(tablewright_engine, down), pytest.raises(TablewrightError):
                await made(at)
            assert list(await at.auth.api_keys.list()) == []

    run(main())
    assert audit_in(tablewright_engine) == []


def test_revoking_tells_the_truth_when_its_answer_was_lost(
    memory: Backend, tablewright_clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at:
            key_id = (await made(at)).split("_")[1]
            lost = Fault("TransactWriteItems", error="InternalServerError", after=True, times=1)
            with injected(tablewright_engine, lost):
                assert (await at.auth.api_keys.revoke(ADMIN, key_id)).revoked_at is not None

    run(main())
    assert len(audit_in(tablewright_engine)) == 2


def test_keys_of_an_older_pepper_still_work(
    memory: Backend, tablewright_clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock, data=tmp_path) as at:
            text = await made(at)
        Keys(tmp_path / "keys", {}).rotate("api-keys")
        async with door(memory, tablewright_clock, data=tmp_path) as at:
            assert (await who(at, header(text))).status_code == 200

    run(main())


# --- routes ----------------------------------------------------------------------------------

KEYS = "/shop/api/v1/api-keys"


def test_the_whole_life_of_a_key_over_http(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            client.headers.update(header(await made(at)))
            body = {"name": "nightly", "roles": ["auditor"], "days": 7}
            answer = await client.post(KEYS, json=body)
            assert answer.status_code == 201
            new = answer.json()
            assert (await who(at, header(new["api_key"]))).json()["roles"] == ["auditor"]
            ends = datetime.fromisoformat(new["expires_at"]).timestamp()
            assert ends == pytest.approx(tablewright_clock.now() + 7 * 86_400, abs=1)
            listed = (await client.get(KEYS, params={"limit": 1})).json()
            rest = (await client.get(KEYS, params={"cursor": listed["next_cursor"]})).json()
            found = {each["key_id"]: each for each in (*listed["items"], *rest["items"])}
            assert len(found) == 2
            assert "api_key" not in found[new["key_id"]]
            answer = await client.delete(f"{KEYS}/{new['key_id']}")
            assert answer.json()["revoked_at"] is not None
            assert (await who(at, header(new["api_key"]))).status_code == 401

    run(main())


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "", "roles": ["admin"]},
        {"name": "x" * 101, "roles": ["admin"]},
        {"name": "x", "roles": []},
        {"name": "x", "roles": ["root"]},
        {"name": "x", "roles": ["admin", "mail:admin"]},
        {"name": "x", "roles": ["admin"], "days": 0},
        {"name": "x", "roles": ["admin"], "more": 1},
        [],
    ],
)
def test_a_wrong_wish_is_refused(
    memory: Backend, tablewright_clock: ManualClock, body: object
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            headers = header(await made(at))
            answer = await client.post(KEYS, json=body, headers=headers)
            assert problem(answer) == (422, "INVALID")
            assert answer.json()["errors"]

    run(main())


def test_only_admins_handle_keys(memory: Backend, tablewright_clock: ManualClock) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            for headers, status in ((header(await made(at, "auditor")), 403), ({}, 401)):
                assert (await client.get(KEYS, headers=headers)).status_code == status
                body = {"name": "x", "roles": ["admin"]}
                assert (await client.post(KEYS, json=body, headers=headers)).status_code == status
                answer = await client.delete(f"{KEYS}/abc", headers=headers)
                assert answer.status_code == status

    run(main())


@pytest.mark.parametrize("key_id", ["abc", "0" * 16, "x" * 3000, "a#b", "%00", "..", "é"])
def test_a_key_that_does_not_exist_is_not_found(
    memory: Backend, tablewright_clock: ManualClock, key_id: str
) -> None:
    async def main() -> None:
        async with door(memory, tablewright_clock) as at, at.browser() as client:
            headers = header(await made(at))
            answer = await client.delete(f"{KEYS}/{key_id}", headers=headers)
            assert answer.status_code in (404, 405)

    run(main())
