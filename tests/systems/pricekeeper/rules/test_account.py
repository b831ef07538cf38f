"""What counts for an app: its own settings, else the organisation's; and which limits."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright.systems.pricekeeper.rules.account import (
    Account,
    Limit,
    limit_errors,
    ordering_errors,
    org_limit_errors,
)
from tablewright.systems.pricekeeper.samples import ORG, TODAY, WEB, application, organisation

OF_ORG, OF_APP = f"ORG#{ORG}", f"ORG#{ORG}#APP#{WEB}"


def account(org: dict[str, Any] | None = None, app: dict[str, Any] | None = None) -> Account:
    plain = {"quotas": None}
    return Account(
        organisation().model_copy(update=org or {}),
        application(WEB).model_copy(update={**plain, **(app or {})}),
    )


def test_what_the_app_does_not_set_is_as_the_organisation_has_it() -> None:
    plain = account()
    assert plain.ordering == ("premium", "standard", "economy")
    assert (plain.threshold, plain.intervals) == (95, (300, 60))
    own = account(
        app={
            "model_ordering": ["economy"],
            "tight_mode_threshold_pct": 80,
            "refresh_interval_tight_secs": 5,
        }
    )
    assert (own.ordering, own.threshold, own.intervals) == (("economy",), 80, (300, 5))


def test_levels_and_versions() -> None:
    versions = {"version": 4}, {"version": 3}
    for scope, levels in (("ORG", [OF_ORG]), ("APP", [OF_APP]), ("BOTH", [OF_ORG, OF_APP])):
        found = account({**versions[0], "quota_scope": scope}, versions[1])
        assert list(found.levels) == levels
        assert (found.version(OF_ORG), found.version(OF_APP)) == (4, 7)


def test_limits_of_the_organisation() -> None:
    found = account({"quota_scope": "ORG", "quotas_week": {"premium": 5}})
    assert found.limits("premium") == (
        Limit(OF_ORG, "DAY", "premium", 10_000_000),
        Limit(OF_ORG, "WEEK", "premium", 5),
        Limit(OF_ORG, "MONTH", "_all", 200_000_000),
    )
    assert found.limits("economy")[0] == Limit(OF_ORG, "DAY", "economy", None)
    assert {each.level for each in found.limits("premium")} == {"ORG"}


def test_where_only_apps_are_limited_they_have_the_organisations_limits_or_their_own() -> None:
    inherited = account({"quota_scope": "APP"})
    assert inherited.limits("premium")[0] == Limit(OF_APP, "DAY", "premium", 10_000_000)
    own = account({"quota_scope": "APP"}, {"quotas": {"premium": 3}})
    assert own.limits("premium") == (
        Limit(OF_APP, "DAY", "premium", 3),
        Limit(OF_APP, "MONTH", "_all", 200_000_000),
    )


def test_where_both_are_limited_an_app_has_its_own_limits_only() -> None:
    none = account({"quota_scope": "BOTH"})
    assert {each.scope for each in none.limits("premium")} == {OF_ORG}
    own = account({"quota_scope": "BOTH"}, {"quotas": {"_all": 3}})
    assert Limit(OF_APP, "DAY", "_all", 3) in own.limits("premium")
    assert Limit(OF_ORG, "DAY", "premium", 10_000_000) in own.limits("premium")
    assert own.limits("premium")[-1].level == "APP"


def test_a_label_that_nobody_limits_is_closed() -> None:
    found = account({"quotas": {}, "quotas_month": {}, "quota_scope": "ORG"})
    assert found.limits("premium") == (Limit(OF_ORG, "DAY", "premium", 0),)


def test_all_limits_are_each_named_once() -> None:
    found = account()
    assert len(found.all_limits) == len(set(found.all_limits)) == 4
    assert found.limits("premium") is found.limits("premium")


def test_the_total_that_a_limit_is_compared_with() -> None:
    found = account()
    (day, month) = found.limits("premium")
    assert found.key(day, TODAY) == (OF_ORG, "premium", "DAY#20261120")
    assert found.key(month, TODAY) == (OF_ORG, "_all", "MONTH#202611")
    assert month.covers("premium")
    assert not day.covers("economy")


@pytest.mark.parametrize(
    ("since", "days"),
    [
        (None, []),
        # Midnight in New York: all of the 20th, nothing of the 19th.
        (datetime(2026, 11, 20, 5, tzinfo=UTC), ["20261120", "20261121"]),
        (datetime(2026, 11, 20, 5, 0, 1, tzinfo=UTC), ["20261121"]),
    ],
)
def test_gates_are_kept_for_whole_days(since: datetime | None, days: list[str]) -> None:
    found = account({"reservations": "on", "reservations_from_epoch": since})
    assert [day for day in ("20261119", "20261120", "20261121") if found.reserves(day)] == days
    off = account({"reservations": "off", "reservations_from_epoch": since})
    assert not off.reserves("20261121")


def test_what_is_wrong_with_settings() -> None:
    assert ordering_errors(["a", "b"]) == ordering_errors(None) == []
    assert "'a' twice" in ordering_errors(["a", "b", "a"])[0].message
    free = account({"quotas": {"premium": None}, "quotas_month": {}})
    assert [each.field for each in limit_errors(free)] == [
        "body.quotas.standard",
        "body.quotas.economy",
    ]
    assert org_limit_errors(free.org) == limit_errors(free)
    assert limit_errors(account()) == org_limit_errors(organisation()) == []
