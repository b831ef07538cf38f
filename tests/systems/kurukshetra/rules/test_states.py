"""The lives of teams and payments."""

from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra import demo_items
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES, PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.rules import payment_states, team_states
from tablewright.systems.kurukshetra.rules.team_states import join_fault, leave_fault
from tablewright.systems.kurukshetra.teams import Team

TEAM_STATUSES: tuple[TeamStatus, ...] = get_args(TeamStatus)
payment_statuses = st.sampled_from(PAYMENT_STATUSES)

# --- payments --------------------------------------------------------------------------------


@given(st.lists(payment_statuses, max_size=30))
def test_a_payment_only_rises_whatever_is_told(news: list[PaymentStatus]) -> None:
    status: PaymentStatus = "created"
    for told in news:
        step = payment_states.step(status, told)
        if step == "log":
            continue
        assert PAYMENT_STATUSES.index(told) > PAYMENT_STATUSES.index(status)
        assert (step == "revive") == ((status, told) == ("expired", "paid"))
        status = told


@given(payment_statuses)
def test_news_twice_is_no_news(status: PaymentStatus) -> None:
    assert payment_states.step(status, status) == "log"


def test_what_came_late_only_goes_back() -> None:
    follows = {each for each in PAYMENT_STATUSES if payment_states.step("late", each) != "log"}
    assert follows == {"refunded"}


def test_failed_may_still_be_paid_and_refunded_is_the_end() -> None:
    assert payment_states.step("failed", "paid") == "rise"
    assert payment_states.step("paid", "failed") == "log"
    assert {payment_states.step("refunded", each) for each in PAYMENT_STATUSES} == {"log"}


def test_deliveries_say_what_they_say() -> None:
    assert payment_states.told("order.paid") == payment_states.told("payment.captured") == "paid"
    assert payment_states.told("refund.processed") is None


# --- teams -----------------------------------------------------------------------------------


def test_every_state_is_reached_and_two_are_the_end() -> None:
    reached = {"unpaid"} | {each for follows in team_states.NEXT.values() for each in follows}
    assert reached == set(TEAM_STATUSES) == set(team_states.NEXT)
    assert {each for each in TEAM_STATUSES if team_states.is_over(each)} == {
        "refunded",
        "cancelled",
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [("paid", "unpaid"), ("paid", "cancelled"), ("pending", "cancelled"), ("waitlisted", "paid")],
)
def test_some_ways_are_closed(before: TeamStatus, after: TeamStatus) -> None:
    assert not team_states.may(before, after)


def test_nothing_stays_by_going() -> None:
    assert not any(team_states.may(each, each) for each in TEAM_STATUSES)


# --- rosters ---------------------------------------------------------------------------------

CONFIG = demo_items.config(demo_items.MAIN, 500).model_copy(
    update={"min_team_size": 2, "roster_lock_at": demo_items.NOW + timedelta(days=1)}
)
LEADER, MEMBER = demo_items.uuid(1, 1), demo_items.uuid(1, 2)


def team(status: TeamStatus, count: int) -> Team:
    return Team(
        event_id=demo_items.MAIN,
        team_id=demo_items.uuid(2, 1),
        name="Code Warriors",
        track="ai-ml",
        leader_participant_id=LEADER,
        payment_status=status,
        member_count=count,
        max_members=4,
        created_at=demo_items.NOW,
        updated_at=demo_items.NOW,
    )


@pytest.mark.parametrize(
    ("status", "count", "fault"),
    [
        ("unpaid", 1, None),
        ("paid", 3, None),
        ("paid", 4, "team_full"),
        ("cancelled", 1, "team_ended"),
    ],
)
def test_who_may_join(status: TeamStatus, count: int, fault: str | None) -> None:
    assert join_fault(team(status, count), CONFIG, demo_items.NOW) == fault


@pytest.mark.parametrize(
    ("status", "count", "who", "fault"),
    [
        ("unpaid", 2, MEMBER, None),
        ("paid", 2, MEMBER, "too_few"),
        ("pending", 2, MEMBER, "too_few"),
        ("paid", 3, MEMBER, None),
        ("unpaid", 2, LEADER, "leader_must_hand_over"),
        ("refunded", 3, MEMBER, None),
        ("refunded", 1, LEADER, None),
    ],
)
def test_who_may_leave(status: TeamStatus, count: int, who: str, fault: str | None) -> None:
    assert leave_fault(team(status, count), who, CONFIG, demo_items.NOW) == fault


def test_nobody_comes_or_goes_after_the_lock() -> None:
    late = CONFIG.roster_lock_at
    assert join_fault(team("unpaid", 1), CONFIG, late) == "roster_locked"
    assert leave_fault(team("unpaid", 2), MEMBER, CONFIG, late) == "roster_locked"
