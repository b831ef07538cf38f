"""Bodies: what is accepted, how it is understood, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tablewright.model import definition
from tablewright.systems.pricekeeper.bodies import CorrectionIn, CostIn, ReservationIn, day_text
from tablewright.systems.pricekeeper.rules.ids import MAX_MODEL_ID
from tablewright.systems.pricekeeper.samples import RECORDS
from tablewright.systems.pricekeeper.spend import LEDGER_BYTES, USUAL_MODEL_ID, Ledger
from tablewright.values import item_size

ID = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"


def cost(**fields: Any) -> CostIn:
    return CostIn(**{"request_id": ID, "label": "premium", "timestamp": 1_794_744_000, **fields})


def test_a_report_becomes_usage() -> None:
    usage = cost(
        request_id=ID.upper(), input_tokens=3, service_tier="batch", cost_usd_micros=0
    ).usage()
    assert (usage.request_id, usage.input_tokens, usage.output_tokens) == (ID, 3, 0)
    assert (usage.service_tier, usage.cost_usd_micros) == ("batch", 0)
    assert (usage.bedrock_model_id, usage.reservation_id, usage.status) == (None, None, "OK")


@pytest.mark.parametrize(
    "moment",
    [
        1_794_744_000,
        1_794_744_000.9,
        "2026-11-15T12:00:00Z",
        "2026-11-15T13:00:00+01:00",
        "2026-11-15T12:00:00.999Z",
        "2026-11-15 12:00:00+00:00",
    ],
)
def test_moments(moment: object) -> None:
    assert cost(timestamp=moment).timestamp == 1_794_744_000


@pytest.mark.parametrize(
    "moment",
    [None, True, "", "2026-11-15T12:00:00", "2026-11-15", "noon", -1, 10**15, float("nan"), [], {}],
)
def test_what_is_no_moment(moment: object) -> None:
    with pytest.raises(ValidationError):
        cost(timestamp=moment)


@pytest.mark.parametrize(
    "fields",
    [
        {"request_id": "x"},
        {"request_id": ID.replace("-", "")},
        {"request_id": f"{{{ID}}}"},
        {"request_id": 7},
        {"label": ""},
        {"label": "x" * 201},
        {"input_tokens": -1},
        {"input_tokens": 1.0},
        {"input_tokens": "1"},
        {"input_tokens": True},
        {"output_tokens": 10**9 + 1},
        {"cache_read_tokens": None},
        {"status": "ok"},
        {"bedrock_model_id": "a b"},
        {"bedrock_model_id": "a" * (MAX_MODEL_ID + 1)},
        {"region_class": "moon"},
        {"service_tier": ""},
        {"cost_usd_micros": -1},
        {"cost_usd": 1},
    ],
)
def test_what_is_no_report(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        cost(**fields)


def test_a_report_needs_a_moment() -> None:
    with pytest.raises(ValidationError):
        CostIn(request_id=ID, label="premium")  # type: ignore[call-arg]


def test_the_longest_ids_fit_into_a_row() -> None:
    longest = {
        "app_id": "a" * 63,
        "label": "l" * 63,
        "bedrock_model_id": "m" * USUAL_MODEL_ID,
        "price_id": "global#priority#2026-11-01T00:00:00Z",
    }
    row = Ledger(**{**RECORDS[0].model_dump(), **longest})
    assert row.bedrock_model_id == longest["bedrock_model_id"]
    with pytest.raises(ValidationError):
        Ledger(**{**row.model_dump(), "reason": "r"})
    longer = Ledger(**{**row.model_dump(), "bedrock_model_id": "m" * MAX_MODEL_ID})
    assert item_size(definition(Ledger).encode(longer)) < 4 * LEDGER_BYTES
    assert LEDGER_BYTES == 1024


def test_a_correction_changes_something() -> None:
    told = {"correction_id": ID, "request_id": ID, "reason": "aborted"}
    assert CorrectionIn(**told, output_tokens=-5).output_tokens == -5
    assert CorrectionIn(**told, cost_usd_micros=-5).cost_usd_micros == -5
    for fields in ({}, {"cost_usd_micros": 0}, {"output_tokens": 0}):
        with pytest.raises(ValidationError):
            CorrectionIn(**told, **fields)


def test_reservations_last_two_minutes_unless_they_say_so() -> None:
    assert ReservationIn(label="premium", max_usd_micros=1).ttl_secs == 120
    for secs in (0, 901):
        with pytest.raises(ValidationError):
            ReservationIn(label="premium", max_usd_micros=1, ttl_secs=secs)


def test_days() -> None:
    assert day_text("20261115") == "2026-11-15"
