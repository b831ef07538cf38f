"""The gateway of a process: which one, with which keys, and the sandbox that it brings."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.service.support import running
from tests.systems.kurukshetra.checkout.support import checkout, ready, stored
from tests.systems.kurukshetra.support import (
    EVENT,
    START,
    event_made,
    festival_on,
    refused,
    run,
)

from tablewright.clock import ManualClock
from tablewright.service.runtime import Runtime
from tablewright.service.settings import SettingsError
from tablewright.systems.kurukshetra.gateway import BASE_URL
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend

TEST_KEYS = {
    "razorpay_key_id": "rzp_test_0123456789",
    "razorpay_key_secret": "a key",
    "razorpay_webhook_secret": "a hook",
}
LIVE_KEYS = {**TEST_KEYS, "razorpay_key_id": "rzp_live_0123456789"}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"production": True}, "production needs razorpay"),
        ({"production": True, "gateway": "razorpay", **TEST_KEYS}, "needs live keys"),
        ({"gateway": "razorpay", **LIVE_KEYS}, "live keys must not be used outside"),
        (LIVE_KEYS, "live keys must not be used outside"),
        ({"sandbox_faults": '{"dorp": 0.5}'}, "dorp is none of"),
        ({"sandbox_faults": '{"drop": 5}'}, "drop is from 0 to 1"),
    ],
)
def test_settings_that_must_not_be_stop_the_start(
    engine_backend: Backend, clock: ManualClock, options: dict[str, Any], why: str
) -> None:
    async def start() -> None:
        async with festival_on(engine_backend, clock, sandbox=True, **options):
            pass

    with pytest.raises(SettingsError, match=why):
        run(start())


def test_real_money_goes_to_razorpay_alone(engine_backend: Backend, clock: ManualClock) -> None:
    async def check() -> None:
        options = {"production": True, "gateway": "razorpay", **LIVE_KEYS}
        async with festival_on(engine_backend, clock, sandbox=True, **options) as festival:
            gateway = festival.gateway
            assert gateway.client.base_url == BASE_URL
            assert (gateway.key_id, gateway.secrets()) == ("rzp_live_0123456789", ("a hook",))
            assert gateway.checkout_url("order_1") is None
            assert (await refused(gateway.pretend("order_1", "succeed"))).status == 404
            assert gateway.sandbox is None

    run(check())


def test_the_sandbox_of_a_process_outlives_it(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def check() -> None:
        async with festival_on(engine_backend, clock, sandbox=True, data=tmp_path) as festival:
            assert festival.gateway.sandbox is None  # nobody has needed it
            await event_made(festival)
            (team,) = await ready(festival, 1)
            begun = await checkout(festival, team)
            keys = festival.gateway.credentials
        async with festival_on(engine_backend, clock, sandbox=True, data=tmp_path) as again:
            assert again.gateway.sandbox is not None  # something may be due
            assert again.gateway.credentials == keys
            assert begun.order_id is not None
            assert (await again.gateway.client.order(begun.order_id)).amount == 99900
            status, shown = await again.gateway.pretend(begun.order_id, "fail", method="upi")
            assert (status, shown["error"]["code"]) == (400, "BAD_REQUEST_ERROR")
            status, shown = await again.gateway.pretend(begun.order_id, "succeed")
            assert (status, shown["razorpay_order_id"]) == (200, begun.order_id)
            assert (await refused(again.gateway.pretend("../v1", "close"))).status == 404

    run(check())


def test_a_command_joins_the_sandbox_of_the_process_that_has_it(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def check() -> None:
        async with festival_on(engine_backend, clock, sandbox=True, data=tmp_path) as service:
            await event_made(service)
            (team,) = await ready(service, 1)
            begun = await checkout(service, team)
            async with festival_on(engine_backend, clock, sandbox=True, data=tmp_path) as command:
                assert command.gateway.sandbox is None
                assert not command.gateway.idle
                assert (await checkout(command, team)).order_id == begun.order_id
                assert (await command.gateway.client.orders(begun.payment.payment_id)) != ()
            assert begun.order_id is not None
            assert (await service.gateway.client.order(begun.order_id)).status == "created"

    run(check())


def test_what_is_paid_at_the_sandbox_is_told_to_its_process(
    engine_backend: Backend, tmp_path: Path
) -> None:
    """From the checkout to the paid team, over HTTP, with nobody but the two of them."""
    known: dict[str, Any] = {}

    async def prepare(runtime: Runtime) -> None:
        festival = Festival(runtime)
        await event_made(festival)
        (team,) = await ready(festival, 1)
        known.update(festival=festival, team=team)

    with running(
        system, engine_backend, clock=ManualClock(START), opened=prepare, data=tmp_path
    ) as service:
        festival, team = known["festival"], known["team"]
        begun = service.do(checkout(festival, team))
        assert service.do(festival.gateway.pretend(begun.order_id, "succeed"))[0] == 200
        ends = time.monotonic() + 10
        while service.do(stored(festival, team)).payment_status != "paid":
            assert time.monotonic() < ends, "nobody was told"
            time.sleep(0.05)
        assert service.do(festival.seats.of(EVENT)).free == 499
        service.do(festival.gateway.close())
