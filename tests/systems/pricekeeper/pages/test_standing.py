"""What pages show of spend: lines, charts, alerts; without a store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tablewright.service.paths import with_query
from tablewright.systems.pricekeeper.bodies import AggregatesOut, LabelAmounts
from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.pages.alerts import AlertLine
from tablewright.systems.pricekeeper.pages.audit import detail_texts
from tablewright.systems.pricekeeper.pages.history import chart_of, window_of
from tablewright.systems.pricekeeper.pages.prices import lines_of, usual_of
from tablewright.systems.pricekeeper.pages.standing import LimitLine
from tablewright.systems.pricekeeper.rules.account import Limit
from tablewright.systems.pricekeeper.rules.choosing import Standing
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.rules.timeline import Timeline
from tablewright.systems.pricekeeper.samples import NOW, organisation
from tablewright.systems.pricekeeper.spend import AlertSent

ORG = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"


def standing(spend: int, burn: float, ends: int = 1000, quota: int | None = 10) -> Standing:
    return Standing(Limit(f"ORG#{ORG}#APP#web", "DAY", "_all", quota), spend * PICOS, burn, ends)


def test_a_limit_runs_out_only_if_its_window_does_not_end_first() -> None:
    # 5 micro-USD are left, and 3600 an hour are spent: five seconds.
    assert not LimitLine.of(standing(5, 3600), now=900).lasts
    assert LimitLine.of(standing(5, 3600), now=998).lasts
    assert LimitLine.of(standing(5, 0), now=0).lasts
    line = LimitLine.of(standing(5, 3600), now=0)
    assert (line.label, line.window, line.app_id, line.pct) == ("all labels", "a day", "web", 50.0)


def test_a_limit_that_is_none_never_runs_out() -> None:
    assert LimitLine.of(standing(5, 3600, quota=None), now=0).lasts


# --- charts --------------------------------------------------------------------------------------


def amounts(micros: int, quota: int | None = None) -> LabelAmounts:
    names = [name for name in LabelAmounts.model_fields if name != "quota_usd_micros"]
    zero = dict.fromkeys(names, 0)
    return LabelAmounts(**{**zero, "cost_usd_micros": micros}, quota_usd_micros=quota)


def day(period: str, quota: int | None = None, **models: int) -> AggregatesOut:
    return AggregatesOut(
        org_id=ORG,
        window="DAY",
        period=period,
        models={label: amounts(micros) for label, micros in models.items()},
        totals=amounts(sum(models.values()), quota),
        final=False,
    )


def test_a_chart_has_labels_in_the_order_of_the_chain() -> None:
    days = [day("2026-11-14", b=500_000, z=1), day("2026-11-15", quota=9_000_000, a=1_500_000)]
    chart = chart_of(days, "DAY", ["a", "b"])
    assert chart.x == ["14 Nov", "15 Nov"]
    assert [each["name"] for each in chart.series] == ["a", "b", "z"]
    assert [each["values"] for each in chart.series][:2] == [[0.0, 1.5], [0.5, 0.0]]
    assert chart.marks == [{"name": "limit, all labels", "value": 9.0}]
    assert not chart.is_empty


def test_a_chart_of_nothing_is_empty() -> None:
    assert chart_of([day("2026-11-15")], "DAY", ["a"]).is_empty
    assert chart_of([], "DAY", []).is_empty


@pytest.mark.parametrize(
    ("text", "window"),
    [("weeks", "WEEK"), ("Months", "MONTH"), (None, "DAY"), ("", "DAY"), ("years", "DAY")],
)
def test_a_window_that_nobody_knows_is_days(text: str | None, window: str) -> None:
    assert window_of(text) == window


# --- alerts, prices, the log ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pct", "tone"), [(0, "info"), (50, ""), (80, "warning"), (95, "warning"), (100, "danger")]
)
def test_an_alert_looks_as_grave_as_it_is(pct: int, tone: str) -> None:
    alert = AlertSent(
        scope=f"ORG#{ORG}#APP#web",
        period="WEEK#2026-W47",
        label="_all",
        pct=pct,
        sent_at_epoch=NOW,
        spend=1,
        quota=2,
        expires_at_epoch=NOW,
    )
    line = AlertLine(organisation(ORG), alert)
    assert (line.tone, line.app_id, line.window) == (tone, "web", "a week")
    assert line.path == f"/pricekeeper/orgs/{ORG}/apps/web"


def price(days: int, region: str = "region", tier: str = "standard") -> Price:
    return Price(
        bedrock_model_id="m.m",
        region_class=region,
        service_tier=tier,
        effective_from=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=days),
        input_price_usd_micros_per_1m=1_000_000 + days,
        output_price_usd_micros_per_1m=2_000_000,
        source="MANUAL",
        family="",
        fetched_at_epoch=NOW,
    )


def test_prices_are_past_in_force_and_ahead() -> None:
    past, current, ahead = price(0), price(10), price(20)
    now = int(price(15).effective_from.timestamp())
    (line,) = lines_of(Timeline([ahead, past, current]), now)
    assert [line.state(each) for each in line.prices] == ["ahead", "in force", "past"]
    assert line.series[0]["values"] == [1.0, 1.00001, 1.00002]
    (early,) = lines_of(Timeline([ahead]), now)
    assert early.state(ahead) == "ahead"


def test_what_most_pay_comes_first() -> None:
    rows = [price(0, "global"), price(0, "region", "batch"), price(0, "geo"), price(0)]
    lines = lines_of(Timeline(rows), int(NOW.timestamp()))
    assert [(each.region_class, each.service_tier) for each in lines] == [
        ("region", "standard"),
        ("geo", "standard"),
        ("global", "standard"),
        ("region", "batch"),
    ]
    assert usual_of(rows) is rows[3]
    assert usual_of(rows[:1]) is rows[0]
    assert usual_of(rows[1:2]) is None


def test_the_log_says_what_changed_from_and_to() -> None:
    detail = {"changed": {"late_window_hours": [96, 48], "quotas": [None, {"_all": 5}]}, "why": "x"}
    assert detail_texts(detail) == [
        "why: x",
        "late window hours: 96 → 48",
        'quotas: null → {"_all": 5}',
    ]
    assert detail_texts({"nothing": None, "changed": "odd"}) == []


def test_what_is_not_chosen_is_not_in_the_address() -> None:
    assert with_query("/x", a="1", b=None, c="") == "/x?a=1"
    assert with_query("/x", a=None) == "/x"
    assert with_query("/x", a="&=") == "/x?a=%26%3D"
