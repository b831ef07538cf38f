"""Ids that are made of others can be read back, and nothing else can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.rules import ids
from tablewright.systems.pricekeeper.rules.ids import Client, ReservationKey
from tablewright.systems.pricekeeper.rules.models import class_of, model_of
from tablewright.systems.pricekeeper.samples import ORG

names = st.from_regex(r"\A[a-z0-9][a-z0-9_-]{0,62}\Z")
uuids = st.uuids().map(str)


@given(uuids, names | st.none())
def test_ids_of_clients(org_id: str, app_id: str | None) -> None:
    assert ids.read_client_id(ids.client_id(org_id, app_id)) == Client(org_id, app_id)


def test_subject_of_a_long_model_id_is_cut_and_stays_distinct() -> None:
    assert ids.price_subject("m.x-v1:0") == "price/m.x-v1:0"
    long = "m" * (ids.MAX_MODEL_ID - 1)
    subjects = {ids.price_subject(long + last) for last in "ab"}
    # The audit log takes subjects of 1000 characters.
    assert len(subjects) == 2
    assert max(map(len, subjects)) <= 1000


def test_an_app_may_be_called_like_a_delimiter() -> None:
    made = ids.client_id(ORG, "x-app-y")
    assert ids.read_client_id(made) == Client(ORG, "x-app-y")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "org-",
        f"org-{ORG}-app-",
        f"org-{ORG}-app-_all",
        f"org-{ORG}-app-a#b",
        f"org-{ORG}x",
        f"org-{ORG.upper()}",
        f"ORG-{ORG}",
        f" org-{ORG}",
        f"org-{ORG}\n",
    ],
)
def test_what_is_nobodys_id(text: str) -> None:
    assert ids.read_client_id(text) is None


@given(st.text())
def test_any_text_can_be_asked(text: str) -> None:
    for read in (ids.read_client_id, ids.read_reservation_id):
        assert read(text) is None or read is ids.read_client_id
    assert ids.is_name(text) in (True, False)


@given(st.integers(1, 10**11), uuids, names, names, uuids)
def test_ids_of_reservations(at: int, org_id: str, app_id: str, label: str, each: str) -> None:
    key = ReservationKey(at, org_id, app_id, label, each)
    made = ids.reservation_id(key)
    assert ids.read_reservation_id(made) == key
    # It stands in a path as it is.
    assert not set(made) & set("/?#% ")
    assert ids.read_reservation_id(made + "x") is None
    assert ids.read_reservation_id(made.replace(".", "#")) is None


def test_bad_ids_are_problems_of_the_caller() -> None:
    assert ids.checked_org_id(ORG.upper()) == ORG
    for check, text in (
        (ids.checked_org_id, "x"),
        (ids.checked_app_id, "a#LABEL#b"),
        (ids.checked_label, "a#LABEL#b"),
        (ids.checked_label, "_all"),
        (ids.checked_model_id, "a b"),
        (ids.checked_model_id, "a" * 2049),
        (ids.checked_model_id, ""),
    ):
        with pytest.raises(Problem) as caught:
            check(text)
        assert caught.value.status == 400


_ARN = "arn:aws:bedrock:us-east-1:123456789012"
_OPAQUE = f"{_ARN}:application-inference-profile/ab12"


@pytest.mark.parametrize(
    ("text", "model", "region_class"),
    [
        ("amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0", None),
        ("us.amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0", "geo"),
        ("global.anthropic.claude-x-v1:0", "anthropic.claude-x-v1:0", "global"),
        ("us-gov.anthropic.claude-x-v1:0", "anthropic.claude-x-v1:0", "geo"),
        (f"{_ARN}:inference-profile/us.amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0", "geo"),
        (f"{_ARN}:inference-profile/global.a.x-v1:0", "a.x-v1:0", "global"),
        (f"{_ARN}:application-inference-profile/ab12", _OPAQUE, None),
        ("deepseek.v3.2", "deepseek.v3.2", None),
        ("plain", "plain", None),
        ("us.plain", "us.plain", None),
        ("", "", None),
    ],
)
def test_profiles_and_the_models_behind_them(
    text: str, model: str, region_class: str | None
) -> None:
    assert (model_of(text), class_of(text)) == (model, region_class)
