"""Which label is chosen, by rules alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.burn import moved_on, secs_left
from tablewright.systems.pricekeeper.rules.choosing import Choice, Standing, choose
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.samples import ORG, WEB, application, organisation

NOW = 1_000_000.0
ENDS = {"DAY": 1_050_000, "WEEK": 1_300_000, "MONTH": 2_000_000}
ORG_SCOPE, APP_SCOPE = f"ORG#{ORG}", f"ORG#{ORG}#APP#{WEB}"


def account_of(
    quotas: Mapping[str, int | None], ordering: Collection[str] = ("a", "b"), **settings: Any
) -> Account:
    org = organisation().model_copy(
        update={
            "quota_scope": "ORG",
            "model_ordering": list(ordering),
            "quotas": dict(quotas),
            "quotas_month": {},
            **{key: value for key, value in settings.items() if key in Org.model_fields},
        }
    )
    app = application(WEB).model_copy(update={"quotas": settings.get("app_quotas")})
    assert isinstance(app, App)
    return Account(org, app)


def chosen(
    account: Account,
    spent: Mapping[str, int] | None = None,
    *,
    closed: Mapping[str, Collection[str]] | None = None,
    burn: float = 0.0,
    checked: bool = True,
) -> Choice:
    """With so many micro-USD spent by label, the same in each scope and window."""
    standings = {}
    for limit in account.all_limits:
        picos = (spent or {}).get(limit.label, 0) * PICOS
        standings[limit] = Standing(
            limit, picos, burn, ENDS[limit.window], picos if checked else None
        )
    return choose(account, standings, closed or {}, now=NOW, day_ends=ENDS["DAY"])


# --- which ---------------------------------------------------------------------------------------


def test_the_first_open_label_is_recommended() -> None:
    account = account_of({"a": 100, "b": 100, "c": None}, "abc")
    assert chosen(account).recommended == "a"
    assert chosen(account, {"a": 99}).recommended == "a"
    assert chosen(account, {"a": 100}).recommended == "b"
    assert chosen(account, {"a": 100, "b": 101}).recommended == "c"


def test_a_label_needs_room_in_all_of_its_limits() -> None:
    account = account_of({"a": 100, "b": 100, "_all": 150})
    assert chosen(account, {"a": 100, "_all": 100}).recommended == "b"
    assert chosen(account, {"a": 50, "_all": 150}).recommended is None


def test_what_is_closed_for_the_day_is_passed_over() -> None:
    account = account_of({"a": 100, "b": 100})
    choice = chosen(account, closed={APP_SCOPE: {"a"}})
    assert (choice.recommended, choice.labels[0].exhausted) == ("b", True)
    assert choice.labels[0].pct == 0


def test_quota_nothing_is_closed_and_no_quota_is_open() -> None:
    account = account_of({"a": 0, "b": None})
    choice = chosen(account, {"b": 10**9})
    assert (choice.recommended, [each.pct for each in choice.labels]) == ("b", [100.0, 0.0])


def test_both_levels_count() -> None:
    account = account_of({"a": 100, "b": None}, quota_scope="BOTH", app_quotas={"a": 40, "b": None})
    choice = chosen(account, {"a": 40})
    assert choice.recommended == "b"
    assert choice.to_exhaust == {APP_SCOPE: {"a"}}
    assert chosen(account, {"a": 100}).to_exhaust == {ORG_SCOPE: {"a"}, APP_SCOPE: {"a"}}


# --- what is remembered --------------------------------------------------------------------------


def test_only_what_is_passed_over_and_new_is_closed() -> None:
    account = account_of({"a": 100, "b": 100, "c": 100}, "abc")
    spent = {"a": 100, "c": 100}
    assert chosen(account, spent).to_exhaust == {ORG_SCOPE: {"a"}}, "nobody has come to c yet"
    assert chosen(account, spent, closed={ORG_SCOPE: {"a"}}).to_exhaust == {}


def test_nothing_is_closed_by_an_estimate() -> None:
    account = account_of({"a": 100, "b": 100})
    choice = chosen(account, {"a": 100}, checked=False)
    assert (choice.recommended, choice.to_exhaust) == ("b", {})


def test_what_settings_close_needs_no_remembering() -> None:
    assert chosen(account_of({"a": 0, "b": None})).to_exhaust == {}


# --- when it opens again -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "spent", "closed", "reopens"),
    [
        pytest.param({"quotas": {"a": 1}}, {"a": 1}, (), ENDS["DAY"], id="a day's limit"),
        pytest.param(
            {"quotas": {"a": 9}, "quotas_week": {"a": 1}}, {"a": 1}, (), ENDS["WEEK"], id="a week's"
        ),
        pytest.param(
            {"quotas": {"a": 1}, "quotas_month": {"_all": 1}},
            {"a": 1, "_all": 1},
            (),
            ENDS["MONTH"],
            id="all of them have to end",
        ),
        pytest.param({"quotas": {"a": 9}}, {}, ("a",), ENDS["DAY"], id="closed for the day"),
        pytest.param({"quotas": {"a": 0}}, {}, (), ENDS["DAY"], id="never; look in tomorrow"),
    ],
)
def test_when_a_label_opens_again(
    limits: dict[str, Any], spent: dict[str, int], closed: tuple[str, ...], reopens: int
) -> None:
    account = account_of(limits.pop("quotas"), "a", **limits)
    choice = chosen(account, spent, closed={ORG_SCOPE: closed})
    assert (choice.recommended, choice.reopens) == (None, reopens)


def test_the_earliest_of_the_labels_counts() -> None:
    account = account_of({"b": 1}, quotas_week={"a": 1})
    assert chosen(account, {"a": 1, "b": 1}).reopens == ENDS["DAY"]


def test_a_better_label_is_not_slept_through() -> None:
    account = account_of({"a": 1, "b": None})
    early = chosen(account, {"a": 1})
    assert early.cache_secs == account.intervals.normal
    standings = {
        limit: Standing(limit, PICOS if limit.label == "a" else 0, 0.0, int(NOW) + 20, 0)
        for limit in account.all_limits
    }
    late = choose(account, standings, {}, now=NOW, day_ends=int(NOW) + 20)
    assert (late.recommended, late.cache_secs) == ("b", 20)


# --- how long ------------------------------------------------------------------------------------


def test_tight_near_the_threshold() -> None:
    account = account_of({"a": 1000, "b": None})
    assert chosen(account, {"a": 949}).mode == "NORMAL"
    assert chosen(account, {"a": 950}).mode == "TIGHT"
    assert chosen(account, {"a": 950}).cache_secs == account.intervals.tight


@pytest.mark.parametrize("pct", range(50, 100))
def test_the_threshold_is_exact(pct: int) -> None:
    account = account_of({"a": 100, "b": None}, tight_mode_threshold_pct=pct)
    assert chosen(account, {"a": pct}).mode == "TIGHT"
    assert chosen(account, {"a": pct - 1}).mode == "NORMAL"


def test_tight_when_the_rest_does_not_last() -> None:
    account = account_of({"a": 1000, "b": None})
    # 600 left, at 10 a second: a minute.
    choice = chosen(account, {"a": 400}, burn=36_000)
    assert (choice.mode, choice.time_left, choice.cache_secs) == ("TIGHT", 60.0, 15)
    assert chosen(account, {"a": 999}, burn=36_000).cache_secs == 2


def test_the_limit_nearest_its_end_is_told() -> None:
    account = account_of({"a": 1000, "_all": 2000, "b": None})
    nearest = chosen(account, {"a": 100, "_all": 1000}).nearest
    assert (nearest.limit.label, nearest.pct) == ("_all", 50.0)


@given(st.data())
def test_whatever_comes_in(data: st.DataObject) -> None:
    labels = [*"abcd"]
    quotas = {
        label: data.draw(st.none() | st.integers(0, 100))
        for label in (*labels, *data.draw(st.sampled_from([(), ("_all",)])))
    }
    account = account_of(quotas, labels)
    spent = {label: data.draw(st.integers(0, 120)) for label in (*labels, "_all")}
    closed = {ORG_SCOPE: data.draw(st.sets(st.sampled_from(labels)))}
    choice = chosen(account, spent, closed=closed, burn=data.draw(st.floats(0, 10**6)))
    open_labels = [
        label
        for label in labels
        if label not in closed[ORG_SCOPE]
        and all(
            limit.quota_micros is None or spent[limit.label] < limit.quota_micros
            for limit in account.limits(label)
        )
    ]
    assert choice.recommended == (open_labels[0] if open_labels else None)
    assert (choice.reopens is None) == bool(open_labels)
    assert 1 <= choice.cache_secs <= account.intervals.normal
    assert not any(label in open_labels for found in choice.to_exhaust.values() for label in found)
    assert replace(choice) == choice


# --- burn ----------------------------------------------------------------------------------------


def test_a_steady_burn_is_found_however_often_one_looks() -> None:
    for every in (1, 7, 60):
        burn = 0.0
        for _ in range(3600 // every):
            burn = moved_on(burn, 10 * PICOS * every, every)
        assert burn == pytest.approx(36_000, rel=1e-3)


def test_after_two_minutes_spend_counts_half() -> None:
    assert moved_on(36_000, 0, 120) == pytest.approx(18_000)


@given(st.floats(0, 10**9), st.integers(0, 10**15), st.floats(0.01, 10**6), st.floats(0.01, 10**6))
def test_looking_in_between_does_not_change_what_is_forgotten(
    burn: float, picos: int, first: float, then: float
) -> None:
    at_once = moved_on(burn, 0, first + then)
    assert moved_on(moved_on(burn, 0, first), 0, then) == pytest.approx(at_once, abs=1e-6)
    assert moved_on(burn, picos, 0.0) >= burn * 0.999
    assert moved_on(burn, -picos, first) == moved_on(burn, 0, first)


def test_how_long_it_lasts() -> None:
    assert secs_left(600 * PICOS, 36_000) == 60
    assert secs_left(600 * PICOS, 0) is None
    assert secs_left(-5, 36_000) == 0


# --- models without a price ----------------------------------------------------------------------


def with_unpriced(policy: str) -> Choice:
    """A chain whose first label has a limit and a model without a price."""
    account = account_of({"a": 100, "b": 100}, unpriced=policy)
    standings = {limit: Standing(limit, 0, 0.0, ENDS[limit.window]) for limit in account.all_limits}
    return choose(account, standings, {}, now=NOW, day_ends=ENDS["DAY"], unpriced={"a"})


def test_choose_when_unpriced_labels_are_blocked_skips_them() -> None:
    choice = with_unpriced("block")
    assert choice.recommended == "b"
    assert [(each.open, each.unpriced) for each in choice.labels] == [(False, True), (True, False)]
    assert not choice.to_exhaust


def test_choose_when_unpriced_labels_are_counted_marks_them() -> None:
    choice = with_unpriced("count")
    assert choice.recommended == "a"
    assert choice.labels[0].unpriced
