"""The client library against the real service: nothing is lost, nothing counts twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.systems.pricekeeper.client.support import APP, Served, served, until

from tablewright.engine import Fault
from tablewright.systems.pricekeeper.client import (
    Fallback,
    LimitReached,
    PricekeeperClient,
    QuotaExceeded,
    Rejected,
    Retries,
    SpoolFull,
    Unreachable,
    new_request_id,
)
from tablewright.systems.pricekeeper.client.session import Session
from tablewright.systems.pricekeeper.client.spool import Spool
from tablewright.testing.backends import Backend
from tablewright.testing.faults import injected


def client_of(place: Served, spool: Path, **more: Any) -> PricekeeperClient:
    return PricekeeperClient(
        more.pop("url", place.url),
        org_id=place.org_id,
        app_id=APP,
        spool=spool,
        **{"every": 0.1, **place.credentials, **more},
    )


def test_records_are_counted_once_and_switch_the_label(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            advice = await client.select()
            assert (advice.label, advice.mode) == ("premium", "NORMAL")
            repeated = new_request_id()
            for _ in range(3):
                await client.record("premium", input_tokens=1000, request_id=repeated)
            await client.record("premium", output_tokens=100_000, input_tokens=4_000_000)
            assert await client.flush()
            # $13.5 of $10 are spent, and the reply to the submission has said so.
            assert (await client.select()).label == "standard"
        assert client.waiting == 0

    with served(tablewright_backend) as place:
        asyncio.run(use(place))
        totals = place.spent()["totals"]
        assert totals["requests"] == 2
        assert totals["cost_usd_micros"] == 3_000 + 12_000_000 + 1_500_000
    assert not [each for each in tmp_path.rglob("*") if each.is_file()]


def test_no_open_label_says_when_to_ask_again(tablewright_backend: Backend, tmp_path: Path) -> None:
    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            with pytest.raises(QuotaExceeded) as refused:
                await client.select()
            assert 0 < refused.value.retry_after <= 86_400

    with served(tablewright_backend, quotas={"_all": 0}) as place:
        asyncio.run(use(place))


def test_refused_records_go_to_the_dead_letters_and_the_others_are_counted(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def use(place: Served) -> Path:
        async with client_of(place, tmp_path) as client:
            await client.record("premium", input_tokens=1)
            await client.record("unheard-of", input_tokens=1)
            await client.record("premium", input_tokens=-1)
            await client.record("premium", input_tokens=2)
            assert await client.flush()
            return client.dead_letters

    with served(tablewright_backend) as place:
        lines = asyncio.run(use(place)).read_text().splitlines()
        assert place.spent()["totals"]["requests"] == 2
    refused = [json.loads(line) for line in lines]
    assert [each["record"]["label"] for each in refused] == ["unheard-of", "premium"]
    assert all(each["problem"]["code"] for each in refused)


def test_what_a_broken_stream_has_used_is_recorded(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def pieces() -> AsyncIterator[int]:
        yield 10
        yield 20
        raise ConnectionError("the model went away")

    async def streamed(client: PricekeeperClient) -> None:
        async with client.call() as call:
            call.used(input_tokens=100)
            async for tokens in pieces():
                call.used(output_tokens=tokens)

    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            with pytest.raises(ConnectionError):
                await streamed(client)
            with pytest.raises(ValueError, match="before the call"):
                async with client.call("premium"):
                    raise ValueError("before the call")
            await client.flush()

    with served(tablewright_backend) as place:
        asyncio.run(use(place))
        totals = place.spent()["totals"]
    assert (totals["requests"], totals["errors"]) == (1, 1)
    assert (totals["input_tokens"], totals["output_tokens"]) == (100, 30)


def test_a_full_spool_refuses_and_says_so(tablewright_backend: Backend, tmp_path: Path) -> None:
    async def use(place: Served) -> None:
        client = client_of(place, tmp_path, every=60.0, spool_bytes=500)
        async with client:
            taken = [client.record("premium", input_tokens=1) for _ in range(10)]
            results = await asyncio.gather(*taken, return_exceptions=True)
            assert [type(each) for each in results[:2]] == [str, str]
            assert isinstance(results[-1], SpoolFull)

    with served(tablewright_backend) as place:
        asyncio.run(use(place))
        assert 1 <= place.spent()["totals"]["requests"] < 10


def test_scenario_19_store_down_the_spool_grows_and_drains(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    """Store down: 503, and the spool grows; back again, it drains, and all count once."""
    engine = tablewright_backend.engine
    if engine is None:
        pytest.skip("faults are injected into the engine of this process")

    async def use(place: Served) -> None:
        async with client_of(place, tmp_path, retries=Retries(attempts=2)) as client:
            await client.select()
            with injected(engine, Fault(error="InternalServerError")):
                for _ in range(20):
                    await client.record("premium", input_tokens=1)
                assert not await client.flush(timeout=1.0)
                assert client.waiting == 20
            await until(lambda: client.waiting == 0, 60)

    with served(tablewright_backend) as place:
        asyncio.run(use(place))
        assert place.spent()["totals"]["requests"] == 20


CALLER = """
import asyncio, json, sys
from tablewright.systems.pricekeeper.client import PricekeeperClient

async def main():
    given = json.loads(sys.argv[1])
    async with PricekeeperClient(every=0.02, batch=5, **given) as client:
        for number in range(10_000):
            await client.record("premium", input_tokens=1)
            print(number + 1, flush=True)

asyncio.run(main())
"""


def test_scenario_03_a_killed_caller_loses_nothing(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    """kill -9 of the caller again and again: what it was told is kept is counted, once."""
    with served(tablewright_backend) as place:
        given = {
            "url": place.url,
            "org_id": place.org_id,
            "app_id": APP,
            "spool": str(tmp_path),
            **place.credentials,
        }
        told = sum(_killed_after(given, records) for records in (1, 23, 60))

        async def drain() -> None:
            async with client_of(place, tmp_path) as client:
                assert await client.flush(30)

        asyncio.run(drain())
        counted = place.spent()["totals"]["requests"]
    # A record may be on disk although the kill came before its caller heard of it.
    assert told <= counted <= told + 3


def test_what_another_process_left_is_flushed_too(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def leave() -> None:
        with Spool(tmp_path) as spool:
            for _ in range(120):
                at = int(time.time())
                request_id = new_request_id()
                await spool.add({"request_id": request_id, "label": "premium", "timestamp": at})

    async def drain(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            assert client.waiting == 120
            assert await client.flush(30)
            assert client.waiting == 0

    asyncio.run(leave())
    with served(tablewright_backend) as place:
        asyncio.run(drain(place))
        assert place.spent()["totals"]["requests"] == 120


def _killed_after(given: dict[str, Any], records: int) -> int:
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLER, json.dumps(given)], stdout=subprocess.PIPE, text=True
    )
    assert caller.stdout is not None
    told = 0
    for line in caller.stdout:
        told = int(line)
        if told >= records:
            break
    os.kill(caller.pid, signal.SIGKILL)
    told = max([told, *map(int, caller.stdout.read().split())])
    caller.wait()
    return told


def test_a_wrong_secret_is_said_at_once(tablewright_backend: Backend, tmp_path: Path) -> None:
    async def use(place: Served) -> None:
        async with client_of(place, tmp_path, client_secret="wrong" * 10) as client:
            with pytest.raises(Rejected) as refused:
                await client.select()
            assert refused.value.status == 401

    with served(tablewright_backend) as place:
        asyncio.run(use(place))


def test_reservations_hold_spend_and_give_it_back(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            with pytest.raises((LimitReached, Rejected)):
                async with client.reserve(11_000_000, label="premium"):
                    pass

    with served(tablewright_backend, reservations="on") as place:
        asyncio.run(use(place))


# --- recommendations ------------------------------------------------------------------------------


def test_advice_names_the_model_after_a_report(
    tablewright_backend: Backend, tmp_path: Path
) -> None:
    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            assert (await client.select()).model_id == "tests.premium"
            await client.record("premium", input_tokens=1)
            assert await client.flush()
            after = await client.select()
            assert (after.label, after.model_id) == ("premium", "tests.premium")
            async with client.call() as call:
                assert call.model_id == "tests.premium"
            async with client.call("economy") as call:
                assert call.model_id == "tests.economy"

    with served(tablewright_backend) as place:
        asyncio.run(use(place))


class _Outage:
    """Lets a client's requests through, or loses them; counts the selections."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.down = False
        self.selections = 0
        attempt = Session._attempt

        async def watched(session: Session, method: str, path: str, *more: Any) -> Any:
            self.selections += path.endswith("/model-selection")
            if self.down:
                await asyncio.sleep(0.01)
                return None
            return await attempt(session, method, path, *more)

        monkeypatch.setattr(Session, "_attempt", watched)


def test_select_when_the_service_is_down_returns_the_last_recommendation(
    tablewright_backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = _Outage(monkeypatch)

    async def use(place: Served) -> None:
        async with client_of(place, tmp_path, patience=0.3) as client:
            fresh = await client.select()
            assert not fresh.stale
            outage.down = True
            await asyncio.sleep(1.1)
            began = time.monotonic()
            found = [await client.select() for _ in range(20)]
            assert time.monotonic() - began < 1.0
            assert {(each.label, each.model_id, each.stale) for each in found} == {
                ("premium", "tests.premium", True)
            }
            outage.down = False
            async with asyncio.timeout(20):
                while (await client.select()).stale:
                    await asyncio.sleep(0.1)

    with served(tablewright_backend, refresh_interval_normal_secs=1) as place:
        asyncio.run(use(place))


def test_select_when_down_from_the_start_returns_the_fallback(tmp_path: Path) -> None:
    def unserved(**more: Any) -> PricekeeperClient:
        return PricekeeperClient(
            "http://127.0.0.1:9",
            org_id="7f3c0d1e-5b7a-4c51-9a53-0d6d3c9f2a10",
            app_id=APP,
            client_id="unknown",
            client_secret="unknown",
            spool=tmp_path,
            **more,
        )

    async def use() -> None:
        fallback = Fallback("economy", "amazon.nova-lite-v1:0")
        async with unserved(fallback=fallback, patience=0.2) as client:
            advice = await client.select()
            assert (advice.label, advice.model_id) == ("economy", "amazon.nova-lite-v1:0")
            assert advice.stale
        retries = Retries(attempts=1)
        async with unserved(retries=retries) as client:
            with pytest.raises(Unreachable):
                await client.select()

    asyncio.run(use())


def test_select_when_no_label_is_open_and_the_service_is_down_offers_no_fallback(
    tablewright_backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = _Outage(monkeypatch)

    async def use(place: Served) -> None:
        async with client_of(place, tmp_path, fallback="economy") as client:
            for down in (False, True):
                outage.down = down
                with pytest.raises(QuotaExceeded):
                    await client.select()

    with served(tablewright_backend, quotas={"_all": 0}) as place:
        asyncio.run(use(place))


def test_select_by_many_tasks_at_once_makes_one_request(
    tablewright_backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outage = _Outage(monkeypatch)

    async def use(place: Served) -> None:
        async with client_of(place, tmp_path) as client:
            found = await asyncio.gather(*(client.select() for _ in range(800)))
        assert {advice.label for advice in found} == {"premium"}
        assert outage.selections == 1

    with served(tablewright_backend) as place:
        asyncio.run(use(place))
