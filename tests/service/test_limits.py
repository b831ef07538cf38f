"""Rate limits within one process."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.clock import ManualClock
from tablewright.service import attempts
from tablewright.service.buckets import Buckets, Forward, Rate
from tablewright.service.limits import Headers, RateLimits, RatePolicy, network_of
from tablewright.service.problems import Problem

#: Machines are busy at times.
unhurried = settings(deadline=None)
T = TypeVar("T")
TEN = Rate(per_minute=60, burst=10)


def run(what: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(what)


@contextmanager
def suppress_refusal() -> Iterator[None]:
    """Go on after a refusal, if it is one as it should be."""
    try:
        yield
    except Problem as problem:
        if (problem.status, problem.code) != (429, "RATE_LIMITED"):
            raise
        if int(problem.headers["Retry-After"]) < 1:
            raise


async def allowed(limits: RateLimits, tries: int, rate: Rate, subject: str = "me") -> int:
    """How many of so many requests get through."""
    count = 0
    for _ in range(tries):
        with suppress_refusal():
            await limits.check("things", subject, rate)
            count += 1
    return count


def refused(limits: RateLimits, rate: Rate, *, amount: float = 1) -> Problem:
    with pytest.raises(Problem) as caught:
        run(limits.check("things", "me", rate, amount=amount))
    return caught.value


# --- buckets ---------------------------------------------------------------------------------


def test_a_burst_and_then_as_many_as_come_back() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    assert run(allowed(limits, 15, TEN)) == 10
    clock.advance(3)
    assert run(allowed(limits, 15, TEN)) == 3
    clock.advance(3600)
    assert run(allowed(limits, 15, TEN)) == 10


def test_a_refusal_says_when_to_come_back_and_means_it() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    rate = Rate.per_hour(5)
    assert run(allowed(limits, 6, rate)) == 5
    problem = refused(limits, rate)
    assert problem.headers["Retry-After"] == "720"
    clock.advance(719)
    assert refused(limits, rate).headers["Retry-After"] == "1"
    clock.advance(1)
    assert run(allowed(limits, 2, rate)) == 1


def test_subjects_and_buckets_are_apart() -> None:
    limits = RateLimits(ManualClock())
    assert run(allowed(limits, 11, TEN, "me")) == 10
    assert run(allowed(limits, 11, TEN, "you")) == 10
    run(limits.check("other things", "me", TEN))


def test_long_subjects_are_apart_too_and_take_no_room() -> None:
    limits = RateLimits(ManualClock())
    start = "x" * 10_000
    assert run(allowed(limits, 11, TEN, start + "1")) == 10
    assert run(allowed(limits, 11, TEN, start + "2")) == 10
    assert all(len(subject) <= 128 for subject in limits._local["things"]._full_at)


def test_an_amount_takes_that_many() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    run(limits.check("things", "me", TEN, amount=7))
    refused(limits, TEN, amount=4)
    run(limits.check("things", "me", TEN, amount=3))
    refused(limits, TEN)


def test_more_than_a_burst_passes_once_and_is_paid_for_afterwards() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    run(limits.check("things", "me", TEN, amount=25))
    clock.advance(15)
    refused(limits, TEN)
    clock.advance(1)
    run(limits.check("things", "me", TEN))
    refused(limits, TEN, amount=25)


def test_a_refused_amount_takes_nothing() -> None:
    limits = RateLimits(ManualClock())
    run(limits.check("things", "me", TEN, amount=5))
    for _ in range(5):
        refused(limits, TEN, amount=6)
    run(limits.check("things", "me", TEN, amount=5))


@pytest.mark.parametrize("per_minute", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_makes_no_sense_is_refused(per_minute: float) -> None:
    with pytest.raises(ValueError, match="positive"):
        Rate(per_minute)


@unhurried
@given(
    steps=st.lists(
        st.tuples(st.floats(0, 30), st.integers(1, 12)),
        min_size=1,
        max_size=60,
    ),
    rate=st.builds(Rate, st.floats(0.5, 600), st.integers(1, 40)),
)
def test_no_stretch_of_time_lets_more_through_than_it_may(
    steps: list[tuple[float, int]], rate: Rate
) -> None:
    clock = ManualClock(1_700_000_000)
    buckets = Buckets(Forward(clock), 10)
    taken: list[tuple[float, int]] = []
    for pause, amount in steps:
        clock.advance(pause)
        if not buckets.take("me", rate, amount).wait:
            taken.append((clock.now(), amount))
    for first, (begun, _) in enumerate(taken):
        total = 0
        for at, amount in taken[first:]:
            # What goes beyond a burst in one piece is owed, and paid later.
            most = rate.burst + (at - begun) / rate.interval + 1e-6
            assert total + min(amount, rate.burst) <= most
            total += amount


@unhurried
@given(
    rate=st.builds(Rate, st.floats(0.5, 600), st.integers(1, 40)),
    amount=st.integers(1, 60),
    before=st.integers(0, 40),
)
def test_who_waits_as_long_as_told_gets_through(rate: Rate, amount: int, before: int) -> None:
    clock = ManualClock(1_700_000_000)
    buckets = Buckets(Forward(clock), 10)
    for _ in range(before):
        buckets.take("me", rate)
    wait = buckets.take("me", rate, amount).wait
    clock.advance(wait + 1e-5)
    if wait:
        assert buckets.take("me", rate, amount).wait == 0


# --- clocks and memory -----------------------------------------------------------------------


def test_a_clock_that_goes_back_changes_nothing() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    assert run(allowed(limits, 8, TEN)) == 8
    clock.advance(-86_400)
    assert run(allowed(limits, 8, TEN)) == 2, "nobody gets more for it"
    clock.advance(2)
    assert run(allowed(limits, 8, TEN)) == 2, "and nobody waits longer"
    for _ in range(100):
        clock.advance(-5)
        clock.advance(5)
    assert run(allowed(limits, 20, TEN)) <= 10


def test_full_buckets_are_forgotten() -> None:
    clock = ManualClock()
    buckets = Buckets(Forward(clock), 100_000)
    for number in range(5000):
        buckets.take(f"early {number}", TEN)
    assert len(buckets) == 5000
    clock.advance(60)
    for number in range(3000):
        buckets.take(f"late {number}", TEN)
    assert len(buckets) == 3000


def test_there_is_a_limit_to_memory() -> None:
    buckets = Buckets(Forward(ManualClock()), 100)
    for number in range(10_000):
        buckets.take(f"subject {number}", TEN)
    assert len(buckets) == 100


def test_a_flood_of_one_kind_pushes_out_no_other() -> None:
    limits = RateLimits(ManualClock(), most_subjects=100)
    assert run(allowed(limits, 11, TEN)) == 10

    async def flood() -> None:
        for number in range(1000):
            await limits.check("flooded", f"subject {number}", TEN)

    run(flood())
    assert run(allowed(limits, 1, TEN)) == 0


def test_a_check_costs_less_than_five_microseconds() -> None:
    limits = RateLimits()
    rate = Rate(60_000_000)

    async def per_check() -> float:
        begun = time.thread_time()
        for _ in range(500):
            await limits.check("things", "me", rate)
        return (time.thread_time() - begun) / 500

    # Its own work and the quickest of many: the rest is what others do on this machine.
    assert min(run(per_check()) for _ in range(100)) < 5e-6


# --- headers ---------------------------------------------------------------------------------


def test_headers_say_how_much_is_left() -> None:
    limits = RateLimits(ManualClock())
    given = run(limits.check("things", "me", TEN, amount=3))
    assert given == {
        "RateLimit-Policy": '"things";q=10;w=10;scope="process"',
        "RateLimit": '"things";r=7;t=3',
        "RateLimit-Limit": "10",
        "RateLimit-Remaining": "7",
        "RateLimit-Reset": "3",
    }


def test_headers_and_refusals_agree() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)
    rate = Rate(7, 4)

    async def main() -> Headers:
        while True:
            given = await limits.check("things", "me", rate)
            if given["RateLimit-Remaining"] == "0":
                return given
            clock.advance(0.7)

    last = run(main())
    problem = refused(limits, rate)
    assert problem.headers["RateLimit-Remaining"] == "0"
    assert problem.headers["RateLimit-Policy"] == last["RateLimit-Policy"]
    assert problem.extra["retry_after"] == int(problem.headers["Retry-After"])
    clock.advance(int(problem.headers["RateLimit-Reset"]))
    full = run(limits.check("things", "me", rate, amount=4))
    assert full["RateLimit-Remaining"] == "0"


@unhurried
@given(
    per_minute=st.floats(0.01, 1e6, allow_subnormal=False),
    burst=st.integers(1, 10**6),
    taken=st.integers(1, 50),
)
def test_headers_are_well_formed(per_minute: float, burst: int, taken: int) -> None:
    limits = RateLimits(ManualClock())
    given = run(limits.check("things", "me", Rate(per_minute, burst), amount=taken))
    assert re.fullmatch(
        r'"things";q=[1-9]\d*;w=[1-9]\d*;scope="process"', given["RateLimit-Policy"]
    )
    assert re.fullmatch(r'"things";r=\d+;t=\d+', given["RateLimit"])
    assert int(given["RateLimit-Remaining"]) == max(0, burst - taken)
    assert int(given["RateLimit-Remaining"]) <= int(given["RateLimit-Limit"])


# --- attempts --------------------------------------------------------------------------------

THREE = Rate(per_minute=3, burst=3)


async def attempt(limits: RateLimits, *, right: bool, takes: float = 0) -> bool:
    """One login; False if it was not even looked at."""
    with suppress_refusal():
        async with limits.attempt("login", "me", THREE) as one:
            await asyncio.sleep(takes)
            if not right:
                one.failed()
        return True
    return False


def test_only_failures_count() -> None:
    clock = ManualClock()
    limits = RateLimits(clock)

    async def main() -> None:
        assert all([await attempt(limits, right=True) for _ in range(50)])
        assert [await attempt(limits, right=False) for _ in range(5)] == [True] * 3 + [False] * 2
        assert not await attempt(limits, right=True), "nor is a right one looked at then"
        clock.advance(20)
        assert await attempt(limits, right=True)
        assert await attempt(limits, right=False)
        assert not await attempt(limits, right=True)

    run(main())


def test_many_guesses_at_once_do_not_slip_through() -> None:
    limits = RateLimits(ManualClock())

    async def main() -> list[bool]:
        return await asyncio.gather(
            *(attempt(limits, right=False, takes=0.001) for _ in range(100))
        )

    assert sum(run(main())) == 3


def test_many_good_logins_at_once_all_pass() -> None:
    limits = RateLimits(ManualClock())

    async def main() -> list[bool]:
        return await asyncio.gather(*(attempt(limits, right=True, takes=0.001) for _ in range(100)))

    assert all(run(main()))
    assert limits._attempts._gates == {}


def test_an_error_of_ours_is_no_failure_of_theirs() -> None:
    limits = RateLimits(ManualClock())

    async def main() -> None:
        for _ in range(10):
            with pytest.raises(LookupError):
                async with limits.attempt("login", "me", THREE):
                    raise LookupError
        assert await attempt(limits, right=True)

    run(main())
    assert limits._attempts._gates == {}


def test_who_gives_up_waiting_holds_nobody_up() -> None:
    limits = RateLimits(ManualClock())

    async def main() -> None:
        slow = [asyncio.create_task(attempt(limits, right=True, takes=0.05)) for _ in range(3)]
        await asyncio.sleep(0.01)
        waiting = [asyncio.create_task(attempt(limits, right=True)) for _ in range(5)]
        await asyncio.sleep(0.01)
        for task in (*waiting[:3], slow[0]):
            task.cancel()
        assert all(await asyncio.gather(*slow[1:], *waiting[3:]))

    run(main())
    assert limits._attempts._gates == {}


def test_there_is_a_limit_to_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "MOST_WAITING", 10)
    limits = RateLimits(ManualClock())

    async def main() -> list[bool]:
        return await asyncio.gather(*(attempt(limits, right=True, takes=0.01) for _ in range(50)))

    assert sum(run(main())) == 13


# --- callers who share an address --------------------------------------------------------------


def test_users_behind_one_address_are_limited_alone_and_the_address_generously() -> None:
    policy = RatePolicy(user=Rate(5), address=Rate(500), anonymous=Rate(2))

    async def steps() -> None:
        limits = RateLimits(ManualClock())
        for number in range(100):
            await limits.check_caller("join", policy, user=f"u{number}", address="192.0.2.1")
        for _ in range(4):
            headers = await limits.check_caller("join", policy, user="u1", address="192.0.2.1")
        assert headers["RateLimit-Limit"] == "5"
        with pytest.raises(Problem):
            await limits.check_caller("join", policy, user="u1", address="192.0.2.1")
        for _ in range(2):
            await limits.check_caller("join", policy, user=None, address="192.0.2.1")
        with pytest.raises(Problem):
            await limits.check_caller("join", policy, user=None, address="192.0.2.1")

    run(steps())


def test_address_with_too_many_users_is_refused() -> None:
    policy = RatePolicy(user=Rate(5), address=Rate(10))

    async def steps() -> None:
        limits = RateLimits(ManualClock())
        for number in range(10):
            await limits.check_caller("join", policy, user=f"u{number}", address="2001:db8::1")
        with pytest.raises(Problem):
            await limits.check_caller("join", policy, user="new", address="2001:db8::ffff:2")
        await limits.check_caller("join", policy, user="new", address="2001:db8:0:1::1")

    run(steps())


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
    ],
)
def test_network_of_an_address_is_what_one_customer_has(address: str, network: str) -> None:
    assert network_of(address) == network
