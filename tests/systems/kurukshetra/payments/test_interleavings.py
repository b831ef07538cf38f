"""Whatever happens in whatever order: no seat is lost, no rupee, and nobody is told twice.

Checkouts, payments, expiries, refunds and crashes come as Hypothesis draws them, at a gateway that
is late, repeats itself, mixes things up, forgets, garbles and fails.
"""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.systems.kurukshetra.payments.bookkeeping import TEAMS, Act, Step, world
from tests.systems.kurukshetra.support import run

from tablewright.systems.kurukshetra.sandbox import Misbehaviour

_shares = st.sampled_from((0.0, 0.0, 0.3, 0.7))
_misbehaviours = st.builds(
    Misbehaviour,
    delay=_shares,
    delay_secs=st.sampled_from((30.0, 1800.0)),
    duplicate=_shares,
    reorder=_shares,
    drop=st.sampled_from((0.0, 0.0, 0.3, 1.0)),
    fail=st.sampled_from((0.0, 0.0, 0.2)),
    corrupt=_shares,
    fail_refund=st.sampled_from((0.0, 0.0, 0.5)),
)
#: What leads somewhere comes more often.
_OFTEN = ("checkout", "buy", "buy", "buy", "late", "deliver", "wait", "refund", "refund", "foreign")
_acts = st.sampled_from((*_OFTEN, *get_args(Act)))
_crashes = st.none() | st.none() | st.tuples(st.integers(0, 3), st.booleans())
_steps = st.builds(
    Step,
    act=_acts,
    team=st.integers(0, TEAMS - 1),
    size=st.sampled_from((1, 3, 20, 26, 40)),
    crash=_crashes,
)


def lived_through(seed: int, misbehaviour: Misbehaviour, steps: list[Step]) -> None:
    async def life() -> None:
        async with world(seed, misbehaviour) as made:
            for step in steps:
                await made.happen(step)
            await made.settle()
            await made.check()

    run(life())


_QUIETLY = [HealthCheck.too_slow, HealthCheck.data_too_large]


@settings(max_examples=12, deadline=None, suppress_health_check=_QUIETLY)
@given(st.integers(1, 1000), _misbehaviours, st.lists(_steps, min_size=15, max_size=35))
def test_no_seat_no_rupee_and_no_mail_too_many(
    seed: int, misbehaviour: Misbehaviour, steps: list[Step]
) -> None:
    lived_through(seed, misbehaviour, steps)


@pytest.mark.slow
@settings(max_examples=400, deadline=None, suppress_health_check=_QUIETLY)
@given(st.integers(1, 10**6), _misbehaviours, st.lists(_steps, min_size=15, max_size=60))
def test_the_same_for_longer(seed: int, misbehaviour: Misbehaviour, steps: list[Step]) -> None:
    lived_through(seed, misbehaviour, steps)
