"""Prices: set, approved, rejected; labels; records priced again."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    MODELS,
    ORG,
    ROOT,
    WEB,
    Office,
    fields_of,
    shows,
    text_of,
    usage,
    wrong_fields,
)

from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
from tablewright.systems.pricekeeper.service.keeper import Keeper

PRICES = f"{BASE}/prices"


def model_path(label: str) -> str:
    return f"{PRICES}/models/{MODELS[label]}"


def price_form(**changes: str) -> dict[str, str]:
    return {
        "region_class": "region",
        "service_tier": "standard",
        "effective_from": "2199-12-01T00:00",
        "input_price_usd_micros_per_1m": "0.05",
        "output_price_usd_micros_per_1m": "0.20",
        **changes,
    }


def test_models_are_listed_with_exact_prices(auditor: Browser) -> None:
    page = auditor.get(PRICES)
    shows(page, f"{MODELS['premium']} premium $3.30 $16.50 $0.33 $4.125")
    shows(page, "amazon.nova-micro-v1:0 $0.035 $0.14 $0.00875")
    assert "New label" not in text_of(page)


def test_a_price_that_is_ahead_is_set_and_replaced(admin: Browser) -> None:
    path = model_path("economy")
    assert admin.post(path, price_form()).status_code == 303
    shows(admin.get(path), "The price is set.", "1 Dec 2199, 00:00 UTC ahead $0.05 $0.20")
    dearer = price_form(input_price_usd_micros_per_1m="0.07")
    assert admin.post(path, dearer).status_code == 303
    page = admin.get(path)
    shows(page, "The price that was ahead is replaced.", "ahead $0.07 $0.20", "in force $0.06")
    assert 'data-chart="' in page.text
    assert admin.post(path, dearer).status_code == 303
    shows(admin.get(path), "That price was set already.")


def test_a_price_in_force_is_not_changed(admin: Browser) -> None:
    path = model_path("economy")
    form = price_form(effective_from="2024-12-03T00:00")
    page = admin.post(path, form)
    assert page.status_code == 409
    shows(page, "There is another price from 2024-12-03T00:00:00Z on")
    assert fields_of(page, MODELS["economy"])["input_price_usd_micros_per_1m"] == "0.05"


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"input_price_usd_micros_per_1m": ""}, {"input_price_usd_micros_per_1m"}),
        ({"output_price_usd_micros_per_1m": "cheap"}, {"output_price_usd_micros_per_1m"}),
        ({"effective_from": "tomorrow"}, {"effective_from"}),
        ({"input_price_usd_micros_per_1m": "-1"}, {"input_price_usd_micros_per_1m"}),
        ({"service_tier": "gold"}, {"service_tier"}),
    ],
)
def test_a_refused_price_says_where(
    admin: Browser, changes: dict[str, str], fields: set[str]
) -> None:
    page = admin.post(model_path("economy"), price_form(**changes))
    assert page.status_code == 422
    assert wrong_fields(page) == fields


# --- what waits ----------------------------------------------------------------------------------


def offer(office: Office, label: str) -> None:
    """What the price list says is more than half as much again."""
    keeper = Keeper(office.service.runtime)
    listed = next(
        price
        for price in bundled_prices()
        if (price.bedrock_model_id, price.region_class, price.service_tier)
        == (MODELS[label], "region", "standard")
    )
    now = datetime.now(UTC).replace(microsecond=0)
    dear: Price = listed.model_copy(
        update={
            "input_price_usd_micros_per_1m": listed.input_price_usd_micros_per_1m * 2,
            "source": "PRICE_LIST",
            "effective_from": now,
            "fetched_at_epoch": now,
        }
    )
    office.service.do(keeper.prices.changes.offer([dear], ROOT))


def test_a_price_that_waits_is_approved(admin: Browser, auditor: Browser, office: Office) -> None:
    offer(office, "standard")
    shows(auditor.get(PRICES), "Waiting for approval", "$1.10 $2.20", "100 %")
    assert "Approve" not in text_of(auditor.get(PRICES))
    key = {
        "bedrock_model_id": MODELS["standard"],
        "region_class": "region",
        "service_tier": "standard",
    }
    assert admin.post(f"{PRICES}/pending", {**key, "decision": "approve"}).status_code == 303
    page = admin.get(PRICES)
    shows(page, "The price counts from now on.")
    assert "Waiting for approval" not in text_of(page)
    shows(admin.get(model_path("standard")), "in force $2.20", "past $1.10")
    again = admin.post(f"{PRICES}/pending", {**key, "decision": "approve"})
    assert again.status_code == 404


def test_a_price_that_waits_is_rejected(admin: Browser, office: Office) -> None:
    offer(office, "premium")
    page = admin.get(PRICES)
    forms = re.findall(r'name="decision" value="(\w+)"', page.text)
    assert forms == ["approve", "reject"]
    form = {
        "bedrock_model_id": MODELS["premium"],
        "region_class": "region",
        "service_tier": "standard",
        "decision": "reject",
    }
    assert admin.post(f"{PRICES}/pending", form).status_code == 303
    shows(admin.get(PRICES), "The price is rejected", "$3.30")


# --- labels --------------------------------------------------------------------------------------


def test_a_label_is_created_and_changed(admin: Browser) -> None:
    form = {"label": "draft", "bedrock_model_id": "amazon.nova-micro-v1:0", "tier": "cheap"}
    assert admin.post(f"{BASE}/labels/new", form).status_code == 303
    shows(
        admin.get(PRICES),
        "Label “draft” created.",
        "draft amazon.nova-micro-v1:0 region priced cheap",
    )
    again = admin.post(f"{BASE}/labels/new", form)
    assert again.status_code == 409
    assert wrong_fields(again) == {"label"}
    edit = fields_of(admin.get(f"{BASE}/labels/draft/edit"), "/edit")
    assert edit["bedrock_model_id"] == "amazon.nova-micro-v1:0"
    moved = {**edit, "bedrock_model_id": "eu.amazon.nova-micro-v1:0", "region_class": ""}
    assert admin.post(f"{BASE}/labels/draft/edit", moved).status_code == 303
    shows(admin.get(PRICES), "Label “draft” changed.", "draft eu.amazon.nova-micro-v1:0 geo")


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"label": "Not This"}, {"label"}),
        ({"label": "_all"}, {"label"}),
        ({"bedrock_model_id": ""}, {"bedrock_model_id"}),
        ({"bedrock_model_id": "a b"}, {"bedrock_model_id"}),
        (
            {"bedrock_model_id": "eu.amazon.nova-lite-v1:0", "region_class": "global"},
            {"region_class"},
        ),
    ],
)
def test_a_refused_label_says_where(
    admin: Browser, changes: dict[str, str], fields: set[str]
) -> None:
    form = {"label": "fine", "bedrock_model_id": "amazon.nova-lite-v1:0", **changes}
    page = admin.post(f"{BASE}/labels/new", form)
    assert page.status_code == 422
    assert wrong_fields(page) == fields


# --- priced again --------------------------------------------------------------------------------


def test_records_that_had_no_price_are_previewed_and_then_corrected(
    admin: Browser, operator: Browser, office: Office
) -> None:
    label = {"label": "novel", "bedrock_model_id": "maker.novel-v1"}
    assert admin.post(f"{BASE}/labels/new", label).status_code == 303
    keeper = Keeper(office.service.runtime)

    async def use() -> None:
        async with keeper.lifespan():
            account = await keeper.directory.account(ORG, WEB)
            (outcome,) = await keeper.recorder.record(account, [usage("novel")])
            assert outcome.flags == {"unpriced", "outside_ordering"}

    office.service.do(use())
    path = f"{PRICES}/reprice?org={ORG}&label=novel"
    shows(operator.get(path), "Records 1", "Everything is priced right")
    price = price_form(
        effective_from="2026-01-01T00:00",
        input_price_usd_micros_per_1m="2",
        output_price_usd_micros_per_1m="10",
    )
    assert admin.post(f"{PRICES}/models/maker.novel-v1", price).status_code == 303
    preview = operator.get(path)
    shows(preview, "Would change 1", "Difference $0.30", "novel $0.30", "$0.00 $0.30 $0.30")
    form = fields_of(preview, "/prices/reprice")
    assert (form["org"], form["label"]) == (ORG, "novel")
    done = operator.post(f"{PRICES}/reprice", form)
    assert done.status_code == 303
    after = operator.get(done.headers["location"])
    shows(after, "1 record is corrected.", "Everything is priced right")


def test_repricing_names_what_is_there(operator: Browser) -> None:
    path = f"{PRICES}/reprice"
    assert operator.post(path, {"org": "x"}).status_code == 400
    assert operator.post(path, {"org": ORG, "app": "nobody"}).status_code == 404
    done = operator.post(path, {"org": ORG, "label": "economy"})
    shows(operator.get(done.headers["location"]), "0 records are corrected.")


def test_a_label_may_lead_to_the_arn_of_an_inference_profile(admin: Browser) -> None:
    model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    arn = f"arn:aws:bedrock:us-east-1:123456789012:inference-profile/{model}"
    assert len(arn) > 95
    form = {"label": "profile", "bedrock_model_id": arn}
    made = admin.post(f"{BASE}/labels/new", form)
    assert made.status_code == 303, made.text
    # It has the price of its model, within the geography that its id names.
    page = admin.get(made.headers["location"])
    shows(page, "Label “profile” created.", f"{arn} geo priced")
    assert admin.get(f"{PRICES}/models/{arn}").status_code == 200
