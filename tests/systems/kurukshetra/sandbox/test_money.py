"""Whatever happens in whichever order, money is neither lost nor doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many
from tests.systems.kurukshetra.sandbox.support import (
    HOOK,
    Merchant,
    all_of,
    balance,
    bank,
    check_books,
    states,
)

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra.gateway import (
    GatewayFailed,
    Razorpay,
    Refund,
    Refused,
)
from tablewright.systems.kurukshetra.sandbox import (
    Bank,
    Misbehaviour,
    Running,
    SandboxSettings,
    sandbox,
)
from tablewright.systems.kurukshetra.sandbox.courier import Courier
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal

T = TypeVar("T")
AMOUNTS = st.sampled_from([100, 150, 1000])
WHICH = st.integers(0, 3)
ACTS = st.one_of(
    st.tuples(st.just("order"), AMOUNTS, WHICH),
    st.tuples(st.sampled_from(["succeed", "late", "fail", "close"]), WHICH, WHICH),
    st.tuples(st.just("refund"), WHICH, AMOUNTS),
    st.tuples(st.just("refund"), WHICH, AMOUNTS),
    st.tuples(st.just("pass"), st.integers(0, 3000), WHICH),
    st.tuples(st.just("deliver"), WHICH, WHICH),
)
SHARES = st.sampled_from([0.0, 0.4, 1.0])
HOWS = st.builds(
    Misbehaviour, delay=SHARES, duplicate=SHARES, reorder=SHARES, corrupt=SHARES, fail_refund=SHARES
)


class Town:
    """Payers, refunds and time, as Hypothesis has them act; and what they were promised."""

    def __init__(self, made: Bank, clock: ManualClock) -> None:
        self.bank, self.clock = made, clock
        self.merchant = Merchant(made.settings)
        self.courier = Courier(made, HOOK, self.merchant)
        self.orders: list[str] = []
        #: What was acknowledged: payments, and refunds by their key.
        self.payments: list[str] = []
        self.refunds: dict[str, str] = {}
        # There is always something to act upon.
        self._order(1000, 0)
        self._order(250, 1)
        self._succeed(0, 0)

    def act(self, name: str, first: int, second: int) -> None:
        with suppress(Refusal):  # nothing was done
            getattr(self, f"_{name}")(first, second)

    def _order(self, amount: int, which: int) -> None:
        request = {"amount": amount, "currency": "INR", "receipt": str(which)}
        self.orders.append(self.bank.create_order(request)["id"])

    def _succeed(self, which: int, _: int) -> None:
        self.payments.append(self.bank.succeed(_any(self.orders, which))["razorpay_payment_id"])

    def _late(self, which: int, soon: int) -> None:
        late = self.bank.late(_any(self.orders, which), after_secs=soon * 1000.0)
        self.payments.append(late["razorpay_payment_id"])

    def _fail(self, which: int, _: int) -> None:
        self.bank.fail(_any(self.orders, which))

    def _close(self, which: int, _: int) -> None:
        self.bank.dismiss(_any(self.orders, which))

    def _refund(self, which: int, amount: int) -> None:
        payment_id = _any(self.payments, which)
        key = f"{payment_id}-{amount}"
        made = self.bank.create_refund(payment_id, {"amount": amount}, key)
        assert self.refunds.setdefault(key, made["id"]) == made["id"]

    def _pass(self, seconds: int, _: int) -> None:
        self.clock.advance(seconds)

    def _deliver(self, refused: int, _: int) -> None:
        self.merchant.answers = [500] * refused
        self.courier.deliver_due()

    def settle(self) -> None:
        self.merchant.answers.clear()
        for _ in range(60):
            self.clock.advance(1200)
            self.courier.deliver_due()


def _any(some: list[str], which: int) -> str:
    return some[which % len(some)]


@settings(max_examples=many(150))
@given(acts=st.lists(ACTS, min_size=10, max_size=40), how=HOWS, seed=st.integers(0, 9))
def test_any_order_of_acts(acts: list[tuple[str, int, int]], how: Misbehaviour, seed: int) -> None:
    wanted = SandboxSettings(misbehaviour=how, seed=seed, refund_secs=500.0)
    with bank(wanted) as (made, clock):
        town = Town(made, clock)
        for each in acts:
            town.act(*each)
            check_books(made)
        town.settle()
        check_books(made)
        # All that was promised is there, and the merchant's books are the bank's.
        assert {made.payment(each)["status"] for each in town.payments} <= {"captured", "refunded"}
        assert sorted(town.refunds.values()) == sorted(it["id"] for it in all_of(made, "refunds"))
        assert states(made).keys() <= {"taken"}
        assert town.merchant.balance() == balance(made)


async def insist(act: Callable[[], Awaitable[T]]) -> T:
    """What a worker does: ask until there is an answer."""
    while True:
        try:
            return await act()
        except Refused:
            raise
        except GatewayFailed:
            continue


async def crowd(gateway: Running, client: Razorpay) -> dict[str, set[str]]:
    """Teams that pay and are refunded all at once; the refunds that each key has got."""
    got: dict[str, set[str]] = {}
    random = Random(5)

    async def refunded(payment_id: str, amount: int, key: str) -> None:
        await asyncio.sleep(random.random() / 50)
        try:
            made: Refund = await insist(lambda: client.create_refund(payment_id, amount, key))
        except Refused:
            return
        got.setdefault(key, set()).add(made.id)

    async def team(number: int) -> None:
        receipt = f"team-{number:04}"
        order = await insist(lambda: client.order_for(1000, "INR", receipt))
        paid = await asyncio.to_thread(gateway.bank.succeed, order.id)
        payment_id = paid["razorpay_payment_id"]
        # Two of them want more than there is; each is asked for twice.
        wishes = [(700, f"{receipt}-{which}") for which in (1, 2)] * 2
        await asyncio.gather(*(refunded(payment_id, *wish) for wish in wishes))

    await asyncio.gather(*(team(number) for number in range(12)))
    return got


def test_a_crowd_beside_a_gateway_that_fails() -> None:
    wanted = SandboxSettings(misbehaviour=Misbehaviour(fail=0.3))

    async def no_pause(_: float) -> None:
        await asyncio.sleep(0)

    async def asked(gateway: Running) -> dict[str, set[str]]:
        client = Razorpay(gateway.credentials, base_url=gateway.url, sleep=no_pause)
        try:
            return await crowd(gateway, client)
        finally:
            await client.close()

    with sandbox(wanted) as gateway:
        got = asyncio.run(asked(gateway))
        check_books(gateway.bank)
        assert len(got) == 12
        assert all(len(each) == 1 for each in got.values())
        assert [each["amount"] for each in all_of(gateway.bank, "refunds")] == [700] * 12
        assert balance(gateway.bank) == 12 * 300


def test_two_tabs_pay_an_order_once() -> None:
    with bank() as (made, _), ThreadPoolExecutor(8) as threads:
        for _ in range(10):
            order_id = made.create_order({"amount": 1000, "currency": "INR"})["id"]
            tabs = [threads.submit(made.succeed, order_id) for _ in range(8)]
            assert sum(isinstance(tab.exception(), Refusal) for tab in tabs) == 7
        check_books(made)
        assert balance(made) == 10_000
