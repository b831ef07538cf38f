"""What people type, and what is made of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.forms import built
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import OrgIn, PriceIn
from tablewright.systems.pricekeeper.pages import limit_table
from tablewright.systems.pricekeeper.pages.app_forms import read_app
from tablewright.systems.pricekeeper.pages.forms import format_dollars, parse_dollars, parse_limit
from tablewright.systems.pricekeeper.pages.merging import merged, packed
from tablewright.systems.pricekeeper.pages.org_forms import read_org
from tablewright.systems.pricekeeper.pages.prices import price_text, read_price
from tablewright.systems.pricekeeper.pages.records import read_form

LABELS = ["premium", "standard", "economy"]


def errors_of(problem: Problem) -> dict[str, str]:
    return {each.field.removeprefix("body."): each.message for each in problem.errors}


# --- amounts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("20", 20_000_000),
        ("$1,234.50", 1_234_500_000),
        ("0.000001", 1),
        ("0", 0),
        (" 7 ", 7_000_000),
    ],
)
def test_dollars_are_read_as_people_write_them(text: str, micros: int) -> None:
    assert parse_dollars(text) == micros


@pytest.mark.parametrize("text", ["", "ten", "1.0000001", "1e30", "NaN", "Infinity", "--1"])
def test_what_is_no_amount_is_refused_with_words(text: str) -> None:
    with pytest.raises(ValueError, match=r"[A-Z].*\."):
        parse_dollars(text)


@given(st.integers(0, 10**15) | st.none(), st.sampled_from([None, "de", "en", "en-IN", "fr", "ar"]))
def test_a_limit_shown_in_a_locale_is_read_as_the_same_there(
    limit: int | None, locale: str | None
) -> None:
    assert parse_limit(format_dollars(limit, locale), locale) == limit


@pytest.mark.parametrize(
    ("text", "locale", "micros"),
    [
        ("1,50", "de", 1_500_000),
        ("1,50", "en", 1_500_000),
        ("1.000,50", "de", 1_000_500_000),
        ("1.000", "de", 1_000_000_000),
        ("1,000", "en-US", 1_000_000_000),
        ("1,50,000", "en-IN", 150_000_000_000),
        ("1 000,50", "fr", 1_000_500_000),
    ],
)
def test_dollars_with_a_decimal_comma_are_not_multiplied(
    text: str, locale: str, micros: int
) -> None:
    assert parse_dollars(text, locale) == micros


def test_an_ambiguous_amount_without_a_locale_is_refused_with_both_readings() -> None:
    with pytest.raises(ValueError, match=r"1,500 could mean 1\.5 or 1500"):
        parse_dollars("1,500")


@given(st.integers(0, 10**12))
def test_a_price_is_shown_to_its_last_digit(micros: int) -> None:
    assert parse_dollars(price_text(micros)) == micros


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        parse_limit("-1")


# --- bodies --------------------------------------------------------------------------------------


def test_everything_that_is_wrong_is_told_at_once_and_in_words() -> None:
    with pytest.raises(Problem) as refused:
        built(
            OrgIn,
            {"org_name": "", "timezone": "UTC", "model_ordering": ["a"], "agg_shard_count": "900"},
            [FieldError("body.quotas.a", "no")],
        )
    assert errors_of(refused.value) == {
        "org_name": "Is missing.",
        "agg_shard_count": "At most 64.",
        "quotas.a": "no",
    }
    assert refused.value.status == 422


def org_form(**changes: str) -> dict[str, str]:
    form = {
        "org_name": "Acme",
        "timezone": "UTC",
        "quota_scope": "ORG",
        "order.standard": "2",
        "order.premium": "1",
        "quotas.premium": "10",
        "quotas.standard": "unlimited",
        "quotas_week._all": "50.5",
        "alert_pcts": "50, 80 %",
        "sticky_fallback_enabled": "1",
    }
    return {name: value for name, value in {**form, **changes}.items() if value != "-"}


def test_an_organisations_form_is_its_body() -> None:
    body, _ = read_org(org_form(), LABELS)
    assert body.model_ordering == ["premium", "standard"]
    assert body.quotas == {"premium": 10_000_000, "standard": None}
    assert body.quotas_week == {"_all": 50_500_000}
    assert body.quotas_month == {}
    assert body.alert_pcts == [50, 80]
    assert body.sticky_fallback_enabled


def test_a_box_that_is_not_ticked_is_not_sent_and_means_no() -> None:
    body, _ = read_org(org_form(sticky_fallback_enabled="-"), LABELS)
    assert not body.sticky_fallback_enabled


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"quotas.premium": "much"}, "quotas.premium"),
        ({"quotas._all": "-3"}, "quotas._all"),
        ({"order.premium": "2"}, "order.standard"),
        ({"order.premium": "first"}, "order.premium"),
        ({"order.premium": "-", "order.standard": "-"}, "order"),
        ({"alert_pcts": "half"}, "alert_pcts"),
        ({"alert_pcts": "0"}, "alert_pcts"),
        ({"late_window_hours": "1"}, "late_window_hours"),
        ({"quota_scope": "ALL"}, "quota_scope"),
    ],
)
def test_what_is_wrong_stands_at_its_field(changes: dict[str, str], field: str) -> None:
    with pytest.raises(Problem) as refused:
        read_org(org_form(**changes), LABELS)
    assert set(errors_of(refused.value)) == {field}


def test_labels_that_nobody_knows_are_not_looked_for() -> None:
    body, _ = read_org(org_form(**{"quotas.evil": "1", "order.evil": "3"}), LABELS)
    assert "evil" not in {*body.quotas, *body.model_ordering}


def test_what_the_use_case_finds_wrong_with_the_chain_stands_at_the_label() -> None:
    _, table = read_org(org_form(), LABELS)
    problem = Problem(422, "INVALID", "…", errors=[FieldError("body.model_ordering.1", "gone")])
    assert errors_of(table.told(problem)) == {"order.standard": "gone"}


@given(
    st.permutations(LABELS),
    st.dictionaries(st.sampled_from([*LABELS, "_all"]), st.none() | st.integers(0, 10**15)),
)
def test_a_chain_and_limits_that_were_shown_are_read_as_the_same(
    ordering: list[str], quotas: dict[str, int | None]
) -> None:
    form = limit_table.shown(ordering, {"quotas": quotas, "quotas_week": None})
    found = limit_table.read(form, LABELS)
    assert found.errors == []
    assert found.ordering == ordering
    assert found.quotas["quotas"] == quotas
    assert found.quotas["quotas_week"] == {}


# --- apps ----------------------------------------------------------------------------------------


def test_an_app_has_nothing_of_its_own_unless_somebody_says_so() -> None:
    body, _ = read_app({"app_name": "Web"}, LABELS)
    assert (body.model_ordering, body.quotas, body.tight_mode_threshold_pct) == (None, None, None)


def test_own_limits_may_be_none_at_all() -> None:
    body, _ = read_app({"app_name": "Web", "own_quotas": "1"}, LABELS)
    assert body.quotas == {}


@pytest.mark.parametrize(
    ("typed", "field"),
    [({"quotas.premium": "3"}, "own_quotas"), ({"order.premium": "1"}, "own_ordering")],
)
def test_what_would_not_count_is_not_passed_over(typed: dict[str, str], field: str) -> None:
    with pytest.raises(Problem) as refused:
        read_app({"app_name": "Web", **typed}, LABELS)
    assert set(errors_of(refused.value)) == {field}


# --- prices and corrections ----------------------------------------------------------------------


def test_a_price_is_typed_in_dollars_and_utc() -> None:
    body = read_price(
        {
            "input_price_usd_micros_per_1m": "3.30",
            "output_price_usd_micros_per_1m": "16.5",
            "effective_from": "2026-12-01T00:00",
        }
    )
    assert body == PriceIn(
        input_price_usd_micros_per_1m=3_300_000,
        output_price_usd_micros_per_1m=16_500_000,
        effective_from=1_796_083_200,
    )


def test_a_price_without_figures_is_none() -> None:
    with pytest.raises(Problem) as refused:
        read_price({"cache_read_price_usd_micros_per_1m": "x", "effective_from": "soon"})
    assert set(errors_of(refused.value)) == {
        "input_price_usd_micros_per_1m",
        "output_price_usd_micros_per_1m",
        "cache_read_price_usd_micros_per_1m",
        "effective_from",
    }


ID = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"


def test_a_correction_takes_away_with_a_minus() -> None:
    form = {"correction_id": ID, "output_tokens": "\N{MINUS SIGN}1,500", "reason": "twice"}
    body = read_form({**form, "cost_usd_micros": "-0.25"}, ID)
    assert (body.output_tokens, body.cost_usd_micros) == (-1500, -250_000)


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"reason": "x"}, "input_tokens"),
        ({"reason": "x", "input_tokens": "some"}, "input_tokens"),
        ({"input_tokens": "-1"}, "reason"),
    ],
)
def test_a_correction_says_what_and_why(typed: dict[str, str], field: str) -> None:
    with pytest.raises(Problem) as refused:
        read_form({"correction_id": ID, **typed}, ID)
    assert field in errors_of(refused.value)


# --- two people at once --------------------------------------------------------------------------


def test_what_only_one_has_changed_is_kept_from_both() -> None:
    seen = {"name": "a", "limit": "1"}
    done = merged({"name": "b", "limit": "1", "seen": packed(seen)}, {"name": "a", "limit": "2"})
    assert done.values == {"name": "b", "limit": "2"}
    assert done.taken == ["limit"]
    assert done.clashes == []


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("quotas._all", "limit a day of all labels"),
        ("quotas_month.premium", "limit a month of premium"),
        ("order.premium", "place of premium"),
        ("late_window_hours", "late window hours"),
    ],
)
def test_a_field_is_spoken_of_in_words(field: str, words: str) -> None:
    assert limit_table.words_of(field) == words


def test_what_both_have_changed_is_shown_to_decide() -> None:
    done = merged({"limit": "3", "seen": packed({"limit": "1"})}, {"limit": "2"})
    assert done.values == {"limit": "3"}
    assert [(each.field, each.yours, each.theirs) for each in done.clashes] == [("limit", "3", "2")]


def test_the_same_change_is_no_clash() -> None:
    done = merged({"limit": "2", "seen": packed({"limit": "1"})}, {"limit": "2"})
    assert (done.clashes, done.taken) == ([], [])


def test_a_limit_that_was_taken_out_stays_out() -> None:
    done = merged({"a": "", "seen": packed({"a": "1"})}, {"a": "1"})
    assert done.values == {"a": ""}


@pytest.mark.parametrize("seen", ["", "{", "[]", "null", "7"])
def test_a_form_that_carries_nonsense_loses_nothing(seen: str) -> None:
    done = merged({"a": "mine", "seen": seen}, {"a": "theirs"})
    assert done.values == {"a": "mine"}
    assert len(done.clashes) == 1
