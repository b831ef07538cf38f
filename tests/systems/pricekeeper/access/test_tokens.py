"""Tokens: what they say, how long they are good, and how they end."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from tests.systems.pricekeeper.access.support import (
    ADMIN,
    START,
    Client,
    both,
    client,
    keeping,
    refused,
    save,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper import reads
from tablewright.systems.pricekeeper.samples import BATCH, NEW_ORG, ORG, WEB
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.tokens import Caller, Granted
from tablewright.systems.pricekeeper.service.tokens.known import BELIEVED_SECS
from tablewright.testing import injected
from tablewright.testing.backends import Backend, in_process


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


async def login(keeper: Keeper, who: Client) -> Granted:
    return await keeper.tokens.login(who.client_id, who.secret, "192.0.2.1")


async def is_good(keeper: Keeper, token: str) -> bool:
    try:
        await keeper.tokens.check(token)
    except Problem as problem:
        if problem.code != "INVALID_TOKEN":
            raise
        return False
    return True


# --- what they say -------------------------------------------------------------------------------


def test_a_token_says_all_that_it_should(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            org, app = await both(keeper)
            for who, app_id, scope in ((org, None, "org"), (app, WEB, "app")):
                granted = await login(keeper, who)
                header = jwt.get_unverified_header(granted.access_token)
                assert header["alg"] == "EdDSA"
                (key,) = keeper.tokens.public_keys()["keys"]
                assert header["kid"] == key["kid"]
                said = jwt.decode(
                    granted.access_token,
                    jwt.PyJWK(key),
                    algorithms=["EdDSA"],
                    audience="pricekeeper",
                    issuer="pricekeeper",
                    options={"verify_exp": False, "verify_iat": False},
                )
                now = keeper.now()
                assert (said["sub"], said["org_id"], said.get("app_id")) == (
                    who.client_id,
                    ORG,
                    app_id,
                )
                assert (said["scope"], said["typ"], said["cv"]) == (scope, "access", 1)
                assert (said["iat"], said["exp"]) == (now, now + 3600)
                assert len(said["jti"]) == len(said["fam"]) == 32
                assert (granted.expires_in, granted.scope) == (3600, scope)
                assert granted.refresh_token is not None
                renewed = jwt.decode(granted.refresh_token, options={"verify_signature": False})
                assert (renewed["typ"], renewed["fam"]) == ("refresh", said["fam"])
                assert renewed["exp"] == now + 30 * 86_400
                assert renewed["jti"] != said["jti"]

    asyncio.run(scenario())


def test_scenario_17_a_caller_reaches_what_is_its_own(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 17: an app's token on another app is 403."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            org, app = await both(keeper)
            whole = await keeper.tokens.check((await login(keeper, org)).access_token)
            own = await keeper.tokens.check((await login(keeper, app)).access_token)
            for caller, app_id, status in (
                (whole, None, 0),
                (whole, WEB, 0),
                (whole, BATCH, 0),
                (own, WEB, 0),
                (own, BATCH, 403),
                (own, None, 403),
            ):
                assert caller.may(ORG, app_id) is (status == 0)
                assert outcome(caller, ORG, app_id) == status
            for caller in (whole, own):
                assert [outcome(caller, NEW_ORG, each) for each in (None, WEB)] == [404, 404]

    asyncio.run(scenario())


def outcome(caller: Caller, org_id: str, app_id: str | None) -> int:
    """0 if the caller may."""
    try:
        caller.check(org_id, app_id)
    except Problem as problem:
        return problem.status
    return 0


# --- forgeries -----------------------------------------------------------------------------------


def test_only_our_signature_counts(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            good = granted.access_token
            said = jwt.decode(good, options={"verify_signature": False})
            header = jwt.get_unverified_header(good)
            kid = {"kid": header["kid"]}
            (key,) = keeper.tokens.public_keys()["keys"]
            public = jwt.PyJWK(key).key.public_bytes(Encoding.Raw, PublicFormat.Raw)
            stranger = Ed25519PrivateKey.generate()
            head, body, signature = good.split(".")
            forged = [
                jwt.encode(said, stranger, algorithm="EdDSA", headers=kid),
                jwt.encode(said, stranger, algorithm="EdDSA", headers={"kid": "other"}),
                jwt.encode(said, stranger, algorithm="EdDSA"),
                # The public key as the secret of another algorithm.
                jwt.encode(said, public, algorithm="HS256", headers=kid),
                jwt.encode(said, None, algorithm="none", headers=kid),
                f"{head}.{body}.",
                f"{head}.{body}x.{signature}",
                granted.refresh_token or "",
                "",
                "a.b.c",
                "\ud800.x.y",
                "x" * 5000,
            ]
            for token in forged:
                assert not await is_good(keeper, token), token
            assert await is_good(keeper, good)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "somebody"},
        {"aud": "somebody"},
        {"typ": "refresh"},
        {"typ": None},
        {"jti": 7},
        {"fam": None},
        {"cv": "1"},
        {"cv": 2},
        {"exp": None},
        {"iat": None},
        {"org_id": None},
        {"sub": None},
    ],
)
def test_our_signature_alone_is_not_enough(
    tablewright_backend: Backend, clock: ManualClock, changes: dict[str, object]
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            said = jwt.decode(granted.access_token, options={"verify_signature": False})
            said.update(changes)
            key = keeper.runtime.keys.signing("pricekeeper-tokens").current
            changed = jwt.encode(
                {name: value for name, value in said.items() if value is not None},
                key.private,
                algorithm="EdDSA",
                headers={"kid": key.kid},
            )
            assert not await is_good(keeper, changed)

    asyncio.run(scenario())


def test_a_token_ends(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            clock.advance(3599)
            assert await is_good(keeper, granted.access_token)
            clock.advance(1)
            assert not await is_good(keeper, granted.access_token)

    asyncio.run(scenario())


def test_keys_can_be_rotated(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: object
) -> None:
    from tablewright.service.keys import Keys

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            keys = Keys(str(tmp_path), {})
            object.__setattr__(keeper.runtime, "keys", keys)
            granted = await login(keeper, await client(keeper))
            keys.rotate("pricekeeper-tokens")
            again = await keeper.tokens.refresh(granted.refresh_token or "")
            kids = {
                jwt.get_unverified_header(each.access_token)["kid"] for each in (granted, again)
            }
            assert len(kids) == 2
            assert await is_good(keeper, granted.access_token)
            assert await is_good(keeper, again.access_token)

    asyncio.run(scenario())


# --- renewing ------------------------------------------------------------------------------------


def test_scenario_16_a_refresh_token_is_good_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 16: reuse ends the family, the tokens of whoever was first included."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            first = await login(keeper, owner)
            other = await login(keeper, owner)
            second = await keeper.tokens.refresh(first.refresh_token or "")
            assert await is_good(keeper, first.access_token)
            assert await is_good(keeper, second.access_token)
            again = await refused(keeper.tokens.refresh(first.refresh_token or ""))
            assert (again.status, again.code) == (400, "INVALID_GRANT")
            # Here at once.
            assert not await is_good(keeper, first.access_token)
            assert not await is_good(keeper, second.access_token)
            assert (await refused(keeper.tokens.refresh(second.refresh_token or ""))).status == 400
            # Another login is another family.
            assert await is_good(keeper, other.access_token)

    asyncio.run(scenario())


def test_of_many_who_refresh_at_once_one_is_served(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            found = await asyncio.gather(
                *(keeper.tokens.refresh(granted.refresh_token or "") for _ in range(20)),
                return_exceptions=True,
            )
            served = [each for each in found if isinstance(each, Granted)]
            assert len(served) == 1
            assert not await is_good(keeper, served[0].access_token)

    asyncio.run(scenario())


def test_an_access_token_renews_nothing(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            no = await refused(keeper.tokens.refresh(granted.access_token))
            assert no.code == "INVALID_GRANT"

    asyncio.run(scenario())


def test_refresh_tokens_can_be_off(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            before = await login(keeper, await client(keeper))
        async with keeping(tablewright_backend, clock, refresh_tokens=False) as keeper:
            no = await refused(keeper.tokens.refresh(before.refresh_token or ""))
            assert (no.status, no.code) == (400, "UNSUPPORTED_GRANT_TYPE")

    asyncio.run(scenario())


def test_a_family_ends_with_the_grace_of_its_secret(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Who has logged in with the old secret cannot go on for ever."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=1)
            again = await keeper.tokens.refresh(granted.refresh_token or "")
            clock.advance(3600)
            assert (await refused(keeper.tokens.refresh(again.refresh_token or ""))).status == 400

    asyncio.run(scenario())


# --- ending --------------------------------------------------------------------------------------


def test_a_revoked_access_token_ends_alone(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            first = await login(keeper, await client(keeper))
            second = await keeper.tokens.refresh(first.refresh_token or "")
            assert await is_good(keeper, first.access_token)
            await keeper.tokens.revoke(first.access_token)
            assert not await is_good(keeper, first.access_token)
            assert await is_good(keeper, second.access_token)

    asyncio.run(scenario())


def test_scenario_16_a_revoked_refresh_token_ends_its_family(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 16: here at once, elsewhere within 30 s."""

    async def scenario() -> None:
        async with (
            keeping(tablewright_backend, clock) as here,
            keeping(tablewright_backend, clock) as there,
        ):
            object.__setattr__(there.runtime, "keys", here.runtime.keys)
            first = await login(here, await client(here))
            second = await here.tokens.refresh(first.refresh_token or "")
            tokens = (first.access_token, second.access_token)
            for keeper in (here, there):
                assert [await is_good(keeper, each) for each in tokens] == [True, True]
            # The used refresh token will do: it is of the same family.
            await here.tokens.revoke(first.refresh_token or "")
            assert [await is_good(here, each) for each in tokens] == [False, False]
            clock.advance(BELIEVED_SECS - 1)
            assert await is_good(there, first.access_token)
            clock.advance(1)
            assert [await is_good(there, each) for each in tokens] == [False, False]
            assert (await refused(there.tokens.refresh(second.refresh_token or ""))).status == 400

    asyncio.run(scenario())


def test_a_revocation_outlives_every_token_of_the_family(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            first = await login(keeper, await client(keeper))
            clock.advance(29 * 86_400)
            second = await keeper.tokens.refresh(first.refresh_token or "")
            # By the older token, a day before it ends.
            await keeper.tokens.revoke(first.refresh_token or "")
            clock.advance(30 * 86_400 - 1)
            assert (await refused(keeper.tokens.refresh(second.refresh_token or ""))).status == 400

    asyncio.run(scenario())


def test_what_is_no_token_is_revoked_in_silence(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            granted = await login(keeper, await client(keeper))
            for token in ("", "x", "a.b.c", granted.access_token[:-3] + "abc"):
                await keeper.tokens.revoke(token)
            clock.advance(3600)
            await keeper.tokens.revoke(granted.access_token)
            said = jwt.decode(granted.access_token, options={"verify_signature": False})
            assert await keeper.db.run(reads.revoked_token(said["jti"])) is None

    asyncio.run(scenario())


def test_a_rotation_without_grace_ends_all_tokens(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Within the same second too: before and after are told apart by the version."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            before = await login(keeper, owner)
            assert await is_good(keeper, before.access_token)
            done = await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=0)
            assert not await is_good(keeper, before.access_token)
            assert (await refused(keeper.tokens.refresh(before.refresh_token or ""))).status == 400
            new = Client(
                owner.client_id, (await keeper.credentials.redeem(done.token, ADMIN)).secret
            )
            assert await is_good(keeper, (await login(keeper, new)).access_token)
            assert (await refused(login(keeper, owner))).code == "INVALID_CLIENT"

    asyncio.run(scenario())


def test_a_login_that_a_rotation_overtakes_is_worth_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """The secret was right when it was looked at, and wrong when the tokens were made."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            knows = keeper.credentials.knows

            async def slow(*args: Any) -> bool:
                found = await knows(*args)
                clock.advance(5)
                await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=0)
                clock.advance(5)
                return found

            keeper.credentials.knows = slow  # type: ignore[method-assign]
            granted = await login(keeper, owner)
            assert not await is_good(keeper, granted.access_token)
            assert (await refused(keeper.tokens.refresh(granted.refresh_token or ""))).status == 400

    asyncio.run(scenario())


def test_clocks_need_not_agree_to_end_tokens(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """A process whose clock is ahead has issued them a moment before."""

    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            for end in ("rotate", "end_tokens"):
                clock.advance(3)
                ahead = await login(keeper, owner)
                clock.advance(-3)
                if end == "rotate":
                    done = await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=0)
                    secret = (await keeper.credentials.redeem(done.token, ADMIN)).secret
                    owner = Client(owner.client_id, secret)
                else:
                    await keeper.credentials.end_tokens(ORG, None, ADMIN)
                assert not await is_good(keeper, ahead.access_token)
                # And one whose clock is behind gives new ones that are good.
                clock.advance(-3)
                behind = await login(keeper, owner)
                assert await is_good(keeper, behind.access_token)
                assert await keeper.tokens.refresh(behind.refresh_token or "")
                clock.advance(60)

    asyncio.run(scenario())


def test_a_rotation_with_grace_ends_none(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            before = await login(keeper, await client(keeper))
            await keeper.credentials.rotate(ORG, None, ADMIN, grace_hours=24)
            assert await is_good(keeper, before.access_token)

    asyncio.run(scenario())


def test_who_is_disabled_gets_no_tokens(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario() -> None:
        async with keeping(tablewright_backend, clock) as keeper:
            owner = await client(keeper)
            granted = await login(keeper, owner)
            await save(keeper, status="DISABLED")
            assert (await refused(login(keeper, owner))).code == "ORG_DISABLED"
            assert (await refused(keeper.tokens.refresh(granted.refresh_token or ""))).status == 403
            await save(keeper, status="DELETED")
            assert (await refused(login(keeper, owner))).code == "INVALID_CLIENT"

    asyncio.run(scenario())


# --- what a check costs --------------------------------------------------------------------------


def test_a_warm_check_reads_nothing(tablewright_engine: Engine, clock: ManualClock) -> None:
    """The store may be away altogether; once it is asked again, that is 503 and never "good"."""

    async def scenario() -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, clock, quick=True) as keeper:
                granted = await login(keeper, await client(keeper))
                assert await is_good(keeper, granted.access_token)
                await is_good(keeper, "unknown")
                away = Fault(error="InternalServerError")
                with injected(tablewright_engine, away):
                    clock.advance(BELIEVED_SECS - 1)
                    assert await is_good(keeper, granted.access_token)
                    clock.advance(1)
                    down = await refused(keeper.tokens.check(granted.access_token))
                    assert (down.status, down.code) == (503, "STORE_UNAVAILABLE")
                    assert "Retry-After" in down.headers
                    with pytest.raises((Problem, TablewrightError)):
                        await keeper.tokens.revoke(granted.access_token)
                assert await is_good(keeper, granted.access_token)
                counted = keeper.runtime.metrics.registry.get_sample_value
                name = "pricekeeper_revocation_lookups_total"
                assert counted(name, {"result": "hit"}) == 1
                assert counted(name, {"result": "miss"}) == 4

    asyncio.run(scenario())


def test_a_warm_check_takes_microseconds(tablewright_engine: Engine, clock: ManualClock) -> None:
    async def scenario() -> float:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, clock) as keeper:
                token = (await login(keeper, await client(keeper))).access_token
                await keeper.tokens.check(token)
                best = float("inf")
                for _ in range(20):
                    began = time.perf_counter()
                    for _ in range(100):
                        await keeper.tokens.check(token)
                    best = min(best, (time.perf_counter() - began) / 100)
                return best

    assert asyncio.run(scenario()) < 30e-6


def test_many_who_come_with_one_token_ask_once(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    async def scenario() -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, clock) as keeper:
                token = (await login(keeper, await client(keeper))).access_token
                asked = []
                good = keeper.tokens._revocations.good

                async def counting(claims: object) -> bool:
                    asked.append(claims)
                    return await good(claims)  # type: ignore[arg-type]

                keeper.tokens._revocations.good = counting  # type: ignore[method-assign]
                first = asyncio.create_task(keeper.tokens.check(token))
                await asyncio.sleep(0)
                others = [asyncio.create_task(keeper.tokens.check(token)) for _ in range(20)]
                # That the first one leaves is no reason to ask again.
                await asyncio.sleep(0)
                first.cancel()
                assert {(await each).org_id for each in others} == {ORG}
                assert len(asked) == 1

    asyncio.run(scenario())


def test_what_is_revoked_during_a_check_is_not_believed(
    tablewright_engine: Engine, clock: ManualClock
) -> None:
    async def scenario() -> None:
        with in_process(tablewright_engine) as backend:
            async with keeping(backend, clock) as keeper:
                token = (await login(keeper, await client(keeper))).access_token
                good = keeper.tokens._revocations.good
                looked = asyncio.Event()
                revoked = asyncio.Event()

                async def slow(claims: object) -> bool:
                    found = await good(claims)  # type: ignore[arg-type]
                    looked.set()
                    await revoked.wait()
                    return found

                keeper.tokens._revocations.good = slow  # type: ignore[method-assign]
                check = asyncio.create_task(keeper.tokens.check(token))
                await looked.wait()
                await keeper.tokens.revoke(token)
                revoked.set()
                assert (await refused(check_result(check))).code == "INVALID_TOKEN"
                assert not await is_good(keeper, token)

    async def check_result(check: asyncio.Task[object]) -> object:
        return await check

    asyncio.run(scenario())
