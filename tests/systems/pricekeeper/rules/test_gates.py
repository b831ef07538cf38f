"""Gates: which there are, and how records and reservations move them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tablewright.systems.pricekeeper.rules import gates
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.gates import GateKey
from tablewright.systems.pricekeeper.samples import (
    BATCH,
    NOW,
    ORG,
    RECORDS,
    TODAY,
    TUESDAY,
    WEB,
    application,
    organisation,
    promise,
)
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.systems.pricekeeper.spend import Reservation

WHOLE, OF_WEB, OF_BATCH = scope_of(ORG), scope_of(ORG, WEB), scope_of(ORG, BATCH)
AT = NOW.timestamp()


def account(app_id: str = WEB, **changes: Any) -> Account:
    """Limits of a day: the organisation's and the app's for premium, and one for all labels."""
    org = organisation().model_copy(
        update={
            "quotas": {"premium": 10_000_000, "standard": 5_000_000, "economy": None, ALL: 9},
            "reservations_from_epoch": NOW - timedelta(days=2),
            **changes,
        }
    )
    return Account(org, application(app_id))


def moved(*args: Any) -> dict[GateKey, int]:
    return {
        GateKey(gate.scope, gate.day, gate.label): gate.granted_picos
        for gate in gates.moves(*args, AT)
    }


# --- which ---------------------------------------------------------------------------------------


def test_a_limit_of_a_day_that_is_a_number_has_a_gate() -> None:
    assert {(each.scope, each.label) for each in gates.gated(account(), "premium")} == {
        (WHOLE, "premium"),
        (WHOLE, ALL),
        (OF_WEB, "premium"),
    }
    assert {(each.scope, each.label) for each in gates.gated(account(), "economy")} == {
        (WHOLE, ALL)
    }


@pytest.mark.parametrize(
    ("limits", "held"),
    [
        ([], set()),
        ([Limit(WHOLE, "DAY", "premium", 1), Limit(OF_WEB, "DAY", ALL, 1)], {"ORG", "APP_ALL"}),
        ([Limit(OF_WEB, "DAY", "premium", 1), Limit(WHOLE, "DAY", ALL, 1)], {"APP", "ORG_ALL"}),
    ],
)
def test_a_reservation_remembers_its_gates(limits: list[Limit], held: set[str]) -> None:
    assert gates.held_by(limits) == held
    reservation = promise(1, NOW).model_copy(update={"gates": held})
    assert set(gates.through(reservation)) == {
        GateKey(limit.scope, TODAY, limit.label) for limit in limits
    }


# --- how they move -------------------------------------------------------------------------------


def test_all_moves_of_one_gate_are_one() -> None:
    web, batch = account(WEB), account(BATCH)
    rows = [(web, RECORDS[0]), (web, RECORDS[1]), (batch, RECORDS[3])]
    first, second, third = (row.cost_usd_picos for _, row in rows)
    assert moved(rows, []) == {
        GateKey(WHOLE, TODAY, "premium"): first + second + third,
        GateKey(WHOLE, TODAY, ALL): first + second + third,
        GateKey(OF_WEB, TODAY, "premium"): first + second,
        GateKey(OF_BATCH, TODAY, "premium"): third,
    }


def test_each_day_has_its_own() -> None:
    """The reservation's day gets back what was reserved, the record's day what it cost."""
    kept = promise(1, NOW).model_copy(update={"day": TUESDAY, "gates": {"ORG"}})
    row = RECORDS[0]
    found = moved([(account(), row)], [kept])
    assert found[GateKey(WHOLE, TUESDAY, "premium")] == -kept.reserved_picos
    assert found[GateKey(WHOLE, TODAY, "premium")] == row.cost_usd_picos


def test_a_record_keeps_its_reservation() -> None:
    kept, row = promise(1, NOW), RECORDS[0]
    found = moved([(account(quotas={"premium": 1}), row)], [kept])
    assert set(found.values()) == {row.cost_usd_picos - kept.reserved_picos}
    assert len(found) == 2


def test_what_was_promised_to_the_pico_is_spent_now() -> None:
    row = RECORDS[0]
    kept = promise(1, NOW).model_copy(update={"reserved_picos": row.cost_usd_picos})
    found = gates.moves([(account(quotas={"premium": 1}), row)], [kept], AT)
    assert {(each.granted_picos, each.spent_picos) for each in found} == {(0, row.cost_usd_picos)}


def test_what_does_not_move_is_not_written() -> None:
    free = RECORDS[0].model_copy(update={"cost_usd_picos": 0})
    assert moved([(account(), free)], []) == {}


@pytest.mark.parametrize(
    "changes",
    [
        {"reservations": "off"},
        {"reservations_from_epoch": None},
        {"reservations_from_epoch": NOW},
    ],
)
def test_there_are_none_before_reservations_are_on(changes: dict[str, Any]) -> None:
    """The day on which they are switched on has no gates: it began without them."""
    assert moved([(account(**changes), RECORDS[0])], []) == {}


def test_a_reservation_gives_back_although_they_were_switched_off() -> None:
    found = moved([(account(reservations="off"), RECORDS[0])], [promise(1, NOW)])
    assert set(found.values()) == {-promise(1, NOW).reserved_picos}


def test_days_that_are_long_over_have_none() -> None:
    late = (NOW + timedelta(days=6)).timestamp()
    assert gates.moves([(account(), RECORDS[0])], [promise(1, NOW)], late) == []


# --- room ----------------------------------------------------------------------------------------


def test_room_is_what_may_be_spent_before() -> None:
    limit = Limit(WHOLE, "DAY", "premium", 10)
    assert gates.room_in(limit, 4_000_000) == 6_000_000
    assert gates.room_in(limit, 10_000_000) == 0
    assert gates.room_in(limit, 10_000_001) == -1
    assert gates.room_in(limit._replace(quota_micros=None), 1) is None


def test_a_claim_is_a_gate_and_its_room() -> None:
    limits = [Limit(WHOLE, "DAY", "premium", 10), Limit(OF_WEB, "DAY", ALL, None)]
    (gate, room), *others = gates.claims(limits, TODAY, 3, [7, 0])
    assert not others
    assert (gate.scope, gate.label, gate.granted_picos, room) == (WHOLE, "premium", 3, 9_999_990)
    assert gate.expires_at_epoch >= NOW + timedelta(days=3)


def test_the_sample_goes_through_two_gates() -> None:
    assert isinstance(promise(1, NOW), Reservation)
    assert {key.scope for key in gates.through(promise(1, NOW))} == {WHOLE, OF_WEB}
