"""Labels and prices over the API: set, imported, refreshed from a price list, approved."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from tests.systems.pricekeeper.rules.test_price_list import full_book
from tests.systems.pricekeeper.settings.conftest import Run, Shared
from tests.systems.pricekeeper.settings.price_list import Book, published
from tests.systems.pricekeeper.settings.support import MODELS, START, Api

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
from tablewright.systems.pricekeeper.samples import NOW

BOOK = Book()
NOVA = "amazon.nova-lite-v1:0"
DAY = 86_400


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    """The system, with a price list of its own."""
    clock = ManualClock(START)
    with published(BOOK) as url, Engine.memory(clock=clock) as engine:
        system = Shared(engine, clock, {"prices_source": "aws", "prices_url": url})
        system.open()
        yield system
        system.close()


@pytest.fixture
def book() -> Book:
    """What the price list says: at first, what ships with the program."""
    BOOK.documents = full_book().documents
    BOOK.faults, BOOK.asked = [], []
    return BOOK


def rates(**changes: object) -> dict[str, object]:
    return {
        "input_price_usd_micros_per_1m": 100,
        "output_price_usd_micros_per_1m": 200,
        **changes,
    }


def moment(seconds: float) -> str:
    return f"{NOW + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"


# --- labels --------------------------------------------------------------------------------------


def test_labels_are_set_and_listed(run: Run) -> None:
    async def test(api: Api) -> None:
        body = {"bedrock_model_id": "amazon.nova-pro-v1:0", "tier": "fast", "family": "nova"}
        assert (await api.put("/labels/fast", body, 201))["region_class"] == "region"
        changed = await api.put("/labels/fast", {**body, "description": "Quick."})
        assert changed == await api.get("/labels/fast")
        names = [each["label"] for each in (await api.get("/labels"))["items"]]
        assert {"economy", "fast", "premium", "standard"} <= set(names)
        assert names == sorted(names)
        assert [each[0] for each in await api.audited()] == ["label.put", "label.put"]
        await api.put("/labels/fast", {**body, "description": "Quick."})
        assert len(await api.audited()) == 2

    run(test)


def test_the_id_of_a_profile_says_how_far_requests_travel(run: Run) -> None:
    async def test(api: Api) -> None:
        profile = {"bedrock_model_id": f"global.{MODELS['premium']}"}
        made = await api("PUT", "/labels/world", profile)
        assert made.json()["region_class"] == "global"
        refused = await api("PUT", "/labels/world", {**profile, "region_class": "region"})
        assert refused.json()["errors"][0]["field"] == "body.region_class"

    run(test)


def test_what_is_no_label(run: Run) -> None:
    async def test(api: Api) -> None:
        body = {"bedrock_model_id": "x"}
        for name in ("a%23LABEL%23b", "_all", "A", "a" * 64):
            for method in ("PUT", "GET"):
                answer = await api(method, f"/labels/{name}", body if method == "PUT" else None)
                assert (answer.status_code, answer.json()["code"]) == (400, "BAD_LABEL")
        assert (await api("GET", "/labels/unknown")).status_code == 404
        for wrong in ({}, {"bedrock_model_id": "a b"}, {"bedrock_model_id": "x", "extra": 1}):
            assert (await api("PUT", "/labels/x", wrong)).status_code == 422

    run(test)


# --- setting prices ------------------------------------------------------------------------------


def test_the_bundled_prices_are_there_from_the_start(run: Run) -> None:
    async def test(api: Api) -> None:
        found = await api.get(f"/prices/{NOVA}")
        assert {(each["region_class"], each["service_tier"]) for each in found["items"]} == {
            (place, tier) for place in ("geo", "region") for tier in ("standard", "batch")
        }
        models = {each["bedrock_model_id"]: each for each in await api.get("/prices")}
        assert {row.bedrock_model_id for row in bundled_prices()} <= models.keys()
        assert models[NOVA]["labels"] == ["economy"]
        assert len(models[NOVA]["prices"]) == 4

    run(test)


def test_a_price_is_set_from_a_moment_on(run: Run) -> None:
    async def test(api: Api) -> None:
        made = await api.put("/prices/model-a", rates(), 201)
        assert made["effective_from"] == moment(0)
        assert made["source"] == "MANUAL"
        assert made["price_id"] == f"region#standard#{moment(0)}"
        later = rates(effective_from=moment(DAY), input_price_usd_micros_per_1m=300)
        await api.put("/prices/model-a", later, 201)
        past = rates(effective_from=moment(-DAY), service_tier="batch")
        await api.put("/prices/model-a", past, 201)
        found = await api.get("/prices/model-a")
        assert [each["effective_from"] for each in found["items"]] == [
            moment(DAY),
            moment(0),
            moment(-DAY),
        ]
        assert [each[0] for each in await api.audited()] == 3 * ["price.set"]

    run(test)


def test_a_price_in_force_stays_and_one_ahead_may_change(run: Run) -> None:
    async def test(api: Api) -> None:
        await api.put("/prices/model-b", rates(), 201)
        assert (await api.put("/prices/model-b", rates()))["price_id"]  # the same again
        dearer = rates(input_price_usd_micros_per_1m=101)
        refused = await api("PUT", "/prices/model-b", dearer)
        assert (refused.status_code, refused.json()["code"]) == (409, "PRICE_IN_FORCE")
        soon = {"effective_from": moment(300)}
        await api.put("/prices/model-b", rates(**soon), 201)
        assert (await api("PUT", "/prices/model-b", {**dearer, **soon})).status_code == 409
        ahead = {"effective_from": moment(3600)}
        await api.put("/prices/model-b", rates(**ahead), 201)
        changed = await api.put("/prices/model-b", {**dearer, **ahead})
        assert changed["input_price_usd_micros_per_1m"] == 101

    run(test)


def test_of_many_who_set_a_price_for_one_moment_one_does(run: Run) -> None:
    async def test(api: Api) -> None:
        bodies = [rates(input_price_usd_micros_per_1m=each) for each in range(1, 9)]
        answers = await asyncio.gather(*(api("PUT", "/prices/model-c", each) for each in bodies))
        assert sorted(each.status_code for each in answers) == [201] + 7 * [409]
        assert len((await api.get("/prices/model-c"))["items"]) == 1

    run(test)


def test_what_is_no_price(run: Run) -> None:
    wrong: list[dict[str, object]] = [
        {},
        rates(input_price_usd_micros_per_1m=-1),
        rates(input_price_usd_micros_per_1m=1.5),
        rates(input_price_usd_micros_per_1m="1"),
        rates(input_price_usd_micros_per_1m=True),
        rates(output_price_usd_micros_per_1m=10**12 + 1),
        rates(region_class="moon"),
        rates(service_tier="gold"),
        rates(effective_from="2026-11-20"),
        rates(effective_from="yesterday"),
        rates(effective_from=-1),
        rates(effective_from=10**15),
        rates(source="BUNDLED"),
    ]

    async def test(api: Api) -> None:
        for body in wrong:
            assert (await api("PUT", "/prices/model-d", body)).status_code == 422, body
        for model in ("a%20b", "%23", "x" * 2049):
            answer = await api("PUT", f"/prices/{model}", rates())
            assert (answer.status_code, answer.json()["code"]) == (400, "BAD_MODEL_ID")
        assert (await api.get("/prices/model-d"))["items"] == []

    run(test)


def test_price_of_the_longest_model_id_of_bedrock_is_saved(run: Run) -> None:
    async def test(api: Api) -> None:
        made = await api.put(f"/prices/{'x' * 2048}", rates(), 201)
        assert made["bedrock_model_id"] == "x" * 2048

    run(test)


def test_the_id_of_a_profile_may_have_a_slash(run: Run) -> None:
    async def test(api: Api) -> None:
        arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123"
        assert (await api.put(f"/prices/{arn}", rates(), 201))["bedrock_model_id"] == arn
        assert len((await api.get(f"/prices/{arn}"))["items"]) == 1

    run(test)


def test_many_prices_are_imported_each_by_itself(run: Run) -> None:
    rows: list[dict[str, Any]] = [
        {"bedrock_model_id": f"model-e{number}", **rates()} for number in range(40)
    ]

    async def test(api: Api) -> None:
        done = (await api("POST", "/prices/import", {"prices": rows})).json()
        assert (done["saved"], done["unchanged"], done["skipped"]) == (40, 0, [])
        rows[0]["input_price_usd_micros_per_1m"] = 7
        rows.append({"bedrock_model_id": "model-e40", **rates()})
        done = (await api("POST", "/prices/import", {"prices": rows})).json()
        assert (done["saved"], done["unchanged"]) == (1, 39)
        assert done["skipped"][0].startswith("model-e0: ")
        twice = await api("POST", "/prices/import", {"prices": 2 * rows[:1]})
        assert twice.json()["errors"][0]["field"] == "body.prices.1"
        assert (await api("POST", "/prices/import", {"prices": []})).status_code == 422

    run(test)


# --- the price list ------------------------------------------------------------------------------


def change(book: Book, usage: str, dollars: str) -> None:
    """Another rate, where the list has one already."""
    for offer in book.documents.values():
        for sku, product in offer["products"].items():
            if product["attributes"]["usagetype"].endswith(usage):
                (term,) = offer["terms"]["OnDemand"][sku].values()
                (dimension,) = term["priceDimensions"].values()
                dimension["pricePerUnit"]["USD"] = dollars


async def refreshed(api: Api) -> dict[str, Any]:
    answer = await api("POST", "/prices/refresh")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def newest(api: Api, model: str, place: str = "region", tier: str = "standard") -> Any:
    items = (await api.get(f"/prices/{model}"))["items"]
    return next(
        each for each in items if (each["region_class"], each["service_tier"]) == (place, tier)
    )


def test_the_list_is_followed(run: Run, book: Book, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        done = await refreshed(api)
        # The flex tier does not ship with the program.
        assert (done["saved"], done["unchanged"], done["pending"]) == (2, 10, 0)
        assert (await refreshed(api))["saved"] == 0
        change(book, "NovaLite-input-tokens", "0.0000660000")
        clock.advance(DAY)
        assert (await refreshed(api))["saved"] == 2
        found = await newest(api, NOVA)
        assert (found["input_price_usd_micros_per_1m"], found["source"]) == (66_000, "PRICE_LIST")
        assert found["effective_from"] == "2026-11-10T00:00:00Z"
        # The list's date does not move with every change: the next one counts from now on.
        change(book, "NovaLite-input-tokens", "0.0000700000")
        await refreshed(api)
        assert (await newest(api, NOVA))["effective_from"] == moment(DAY)
        assert {each[0] for each in await api.audited()} == {"price.refresh"}

    run(test)


def test_a_change_by_more_than_half_waits_for_approval(
    run: Run, book: Book, clock: ManualClock, engine: Engine
) -> None:
    async def test(api: Api) -> None:
        await refreshed(api)
        change(book, "USE1_OutputTokenCount_Global-Units", "0.15")  # a hundredth: a slip
        assert (await refreshed(api))["pending"] == 1
        assert (await refreshed(api))["pending"] == 1
        (waiting,) = await api.get("/prices/pending")
        assert waiting["change_pct"] == 99
        assert (await newest(api, MODELS["premium"], "global"))["source"] == "BUNDLED"
        assert (await api.get(f"/prices/{MODELS['premium']}"))["pending"] == [waiting]
        # Told once, although it was seen twice.
        items = engine.call("Scan", {"TableName": "pricekeeper-kit"})["Items"]
        told = [each for each in items if each["PK"]["S"].startswith("OUTBOX#")]
        assert len(told) == 1

        which = {name: waiting[name] for name in ("bedrock_model_id", "region_class")}
        which["service_tier"] = "standard"
        assert (await api("POST", "/prices/pending/reject", which)).status_code == 204
        assert (await api("POST", "/prices/pending/reject", which)).status_code == 404
        assert (await refreshed(api))["pending"] == 0
        assert await api.get("/prices/pending") == []

        change(book, "USE1_OutputTokenCount_Global-Units", "30.0")
        assert (await refreshed(api))["pending"] == 1
        clock.advance(60)
        approved = await api("POST", "/prices/pending/approve", which)
        assert approved.json()["output_price_usd_micros_per_1m"] == 30_000_000
        assert (await newest(api, MODELS["premium"], "global"))["source"] == "PRICE_LIST"
        assert await api.get("/prices/pending") == []
        assert (await refreshed(api))["unchanged"] == 12
        actions = [each[0] for each in await api.audited()]
        assert [each for each in actions if each != "price.refresh"] == [
            "price.hold",
            "price.reject",
            "price.hold",
            "price.approve",
        ]

    run(test)


def test_a_price_that_waited_and_is_right_again_waits_no_more(run: Run, book: Book) -> None:
    async def test(api: Api) -> None:
        await refreshed(api)
        change(book, "USE1_InputTokenCount_Global_Batch-Units", "100")
        assert (await refreshed(api))["pending"] == 1
        change(book, "USE1_InputTokenCount_Global_Batch-Units", "1.5")
        assert (await refreshed(api))["pending"] == 0
        assert await api.get("/prices/pending") == []

    run(test)


def test_what_was_set_by_hand_is_not_overruled(run: Run, book: Book) -> None:
    async def test(api: Api) -> None:
        model = "amazon.nova-pro-v1:0"
        await api.put(f"/prices/{model}", rates(), 201)
        book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.0000001")
        book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0000002")
        found = await refreshed(api)
        # Of the region it is what was set; of the geography far from what ships.
        assert found["pending"] == 1
        book.documents = full_book().documents
        book.own("Nova Pro", "NovaPro-input-tokens", "Input tokens", "0.00000011")
        book.own("Nova Pro", "NovaPro-output-tokens", "Output tokens", "0.0000002")
        assert (await refreshed(api))["pending"] == 2
        assert (await newest(api, model))["source"] == "MANUAL"

    run(test)


@pytest.mark.parametrize("faults", [["503"], ["drop"], ["cut", "429"], ["", "cut"]])
def test_a_list_that_fails_is_asked_again(
    run: Run, book: Book, faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.001)
    book.faults = list(faults)

    async def test(api: Api) -> None:
        assert (await refreshed(api))["skipped"] == []
        assert book.faults == []

    run(test)


@pytest.mark.parametrize(
    "faults", [3 * ["500"], 3 * ["drop"], ["302"], ["", "404"], ["list"], ["", "list"]]
)
def test_a_list_that_cannot_be_had_changes_nothing(
    run: Run, book: Book, faults: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda low, high: 0.001)
    book.faults = list(faults)
    change(book, "NovaLite-output-tokens", "0.0002500000")

    async def test(api: Api) -> None:
        answer = await api("POST", "/prices/refresh")
        assert (answer.status_code, answer.json()["code"]) == (503, "PRICE_LIST_UNAVAILABLE")
        assert answer.headers["Retry-After"]
        assert (await newest(api, NOVA))["output_price_usd_micros_per_1m"] == 240_000

    run(test)


def test_a_region_without_bedrock(run: Run, book: Book) -> None:
    book.documents = {}

    async def test(api: Api) -> None:
        answer = await api("POST", "/prices/refresh")
        assert answer.status_code == 503
        assert "us-east-1" in answer.json()["detail"]

    run(test)


def test_a_repeat_under_one_key_is_one_decision(run: Run, book: Book) -> None:
    async def test(api: Api) -> None:
        body = {"prices": [{"bedrock_model_id": "model-k", **rates()}]}
        first = await api("POST", "/prices/import", body, Idempotency_Key="once")
        again = await api("POST", "/prices/import", body, Idempotency_Key="once")
        assert first.json() == again.json() != {}
        assert again.headers["Idempotency-Replayed"] == "true"

    run(test)


def test_moments_are_told_in_utc() -> None:
    assert datetime.fromisoformat(moment(0)).timestamp() == START
