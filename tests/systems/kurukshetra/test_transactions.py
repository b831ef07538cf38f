"""What the transactions refuse, and what a paid team costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.world import running, seats_and_teams

from tablewright.client import Db, RequestEvent
from tablewright.model import Op, put
from tablewright.model.errors import TransactionCancelled
from tablewright.systems.kurukshetra import demo_items as d
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo import demo
from tablewright.systems.kurukshetra.fields import Moment, below

MAIN, SMALL, NOW = d.MAIN, d.SMALL, d.NOW
NOW_THERE = Moment(NOW, d.TODAY)
CUT = NOW - timedelta(minutes=5)
uuid = d.uuid


@pytest.fixture
def db() -> Iterator[Db]:
    with running() as db:
        yield db


def refused(db: Db, op: Op[Any]) -> list[str]:
    """The entities whose conditions failed."""
    with pytest.raises(TransactionCancelled) as caught:
        db.run(op)
    named = []
    for failure in caught.value.failures:
        member: Any = failure.op
        known = getattr(member, "definition", None)
        named.append(type(member.entity).__name__ if known is None else known.cls.__name__)
    return named


def call(name: str) -> Op[Any]:
    return demo().calls[name]


# --- people and teams ----------------------------------------------------------------------------


def test_an_address_registers_once(db: Db) -> None:
    twin = d.person(51).model_copy(update={"email_hash": d.person(1).email_hash})
    assert refused(db, m.register(twin, [], NOW_THERE)) == ["EmailLock"]
    assert db.run(m.participant(MAIN, uuid(1, 51))) is None


def test_a_user_registers_once(db: Db) -> None:
    twin = d.person(51).model_copy(update={"firebase_uid": d.person(1).firebase_uid})
    assert refused(db, m.register(twin, [], NOW_THERE)) == ["UidLink"]


def test_nobody_registers_without_an_address() -> None:
    with pytest.raises(ValueError, match="address"):
        m.register(d.person(51).model_copy(update={"email_hash": None}), [], NOW_THERE)


def test_an_erased_address_can_register_again(db: Db) -> None:
    db.run(call("erase_participant"))
    again = d.person(13).model_copy(update={"participant_id": uuid(1, 99)})
    db.run(m.register(again, [], NOW_THERE))
    lock = db.require(m.email_lock(MAIN, d.person(13).email_hash or ""))
    assert lock.owner == uuid(1, 99)


def new_team(leader: int, **changes: object) -> m.Team:
    own = {"team_id": uuid(2, 60), "leader_participant_id": uuid(1, leader), "name": "Newcomers"}
    code = {"invite_hash": d.blind("JOIN0060"), "member_count": 1}
    return d.team("Byte Brigade").model_copy(update={**own, **code, **changes})


def test_a_name_belongs_to_one_team_whatever_its_case(db: Db) -> None:
    assert refused(db, m.found_team(new_team(20, name="CODE Warriors"), NOW_THERE)) == [
        "TeamNameLock"
    ]


def test_a_leader_is_in_no_other_team(db: Db) -> None:
    assert refused(db, m.found_team(new_team(1), NOW_THERE)) == ["Participant"]


def join(code: str, who: int) -> Op[Any]:
    return m.join_team(MAIN, uuid(2, 7), d.blind(code), uuid(1, who), NOW_THERE)


def test_one_joins_by_the_code_that_is_valid(db: Db) -> None:
    assert refused(db, join("JOIN0001", 20)) == ["Team"]


def test_one_joins_one_team(db: Db) -> None:
    assert refused(db, join("JOIN0007", 1)) == ["Participant"]


def test_a_full_team_takes_nobody(db: Db) -> None:
    full = d.team("Byte Brigade").model_copy(update={"member_count": 4, "version": 1})
    db.run(put(full))
    assert refused(db, join("JOIN0007", 20)) == ["Team"]


def leave(team: int, who: int, least: int = 2) -> Op[Any]:
    return m.leave_team(MAIN, uuid(2, team), uuid(1, who), least, NOW)


def test_a_leader_hands_over_before_leaving(db: Db) -> None:
    assert refused(db, leave(7, 7)) == ["Team"]


def test_a_team_with_a_seat_keeps_its_least_size(db: Db) -> None:
    assert refused(db, leave(1, 2)) == ["Team"]
    db.run(leave(1, 2, least=1))
    assert db.require(m.team(MAIN, uuid(2, 1))).member_count == 1


def test_a_team_without_a_seat_may_shrink_to_its_leader(db: Db) -> None:
    db.run(leave(7, 8))
    assert db.require(m.team(MAIN, uuid(2, 7))).member_count == 1


def test_only_members_lead(db: Db) -> None:
    stored = d.stored(d.team("Byte Brigade"))
    assert refused(db, m.hand_over(stored, uuid(1, 20), NOW)) == ["Member"]


def test_a_paid_team_is_not_disbanded(db: Db) -> None:
    stored = d.stored(d.team("Code Warriors"))
    assert refused(db, m.disband_team(stored, [], [], None, NOW)) == ["Team"]


def test_another_spelling_of_a_name_leaves_its_lock(db: Db) -> None:
    op = m.rename_team(d.stored(d.team("Code Warriors")), "code WARRIORS", NOW)
    assert len(op.members) == 1  # type: ignore[attr-defined]
    db.run(op)
    assert db.require(m.team_name(MAIN, "code warriors")).owner == uuid(2, 1)


def test_another_address_of_the_same_repository_leaves_its_lock(db: Db) -> None:
    same = d.stored(d.submission(1)).model_copy(update={"repo_url": "git@github.com:demo/team-1"})
    db.run(m.set_repository(same, "github.com/demo/team-1"))
    assert db.require(m.repository(MAIN, "github.com/demo/team-1")).owner == uuid(2, 1)


def test_a_repository_belongs_to_one_team(db: Db) -> None:
    taken = d.submission(3).model_copy(update={"repository": "github.com/demo/team-1"})
    assert refused(db, m.set_repository(taken, None)) == ["RepositoryLock"]


# --- seats ---------------------------------------------------------------------------------------


def checkout(least: int = 2, at: Moment = NOW_THERE, **changes: object) -> Op[Any]:
    team = d.team("Byte Brigade")
    fresh = {"payment_id": uuid(3, 200), "team_id": team.team_id, "razorpay_order_id": None}
    payment = d.payment(7, "created").model_copy(update={**fresh, **changes})
    until = NOW + timedelta(minutes=20)
    hold = d.hold(team.model_copy(update={"hold_expires_at": until}))
    return m.checkout(team, payment, hold, least, at)


def test_no_seat_is_left(db: Db) -> None:
    db.run(put(d.stored(d.seats(MAIN, 500, 0))))
    assert refused(db, checkout()) == ["Seats"]


def test_others_wait_already(db: Db) -> None:
    db.run(put(d.stored(d.seats(MAIN, 500, 10, waiting=1))))
    assert refused(db, checkout()) == ["Seats"]


def test_registration_is_closed(db: Db) -> None:
    db.run(put(d.stored(d.seats(MAIN, 500, 10)).model_copy(update={"registration_open": False})))
    assert refused(db, checkout()) == ["Seats"]


@pytest.mark.parametrize("days", [-30, 60])
def test_it_is_not_the_time_to_register(db: Db, days: int) -> None:
    other = Moment(NOW + timedelta(days=days), d.TODAY)
    assert refused(db, checkout(at=other)) == ["Seats"]


def test_a_team_is_too_small(db: Db) -> None:
    assert refused(db, checkout(least=3)) == ["Team"]


def test_a_voucher_is_used_up(db: Db) -> None:
    spent = d.stored(d.voucher("EARLYBIRD", 10, 0))
    db.run(put(spent))
    assert refused(db, checkout(voucher="EARLYBIRD")) == ["Voucher"]


def test_a_team_uses_a_voucher_once(db: Db) -> None:
    db.run(checkout(voucher="EARLYBIRD"))
    # The team gave up its seat in a way that left its use of the voucher.
    db.run(put(d.team("Byte Brigade").model_copy(update={"version": 2})))
    again = checkout(voucher="EARLYBIRD", payment_id=uuid(3, 201))
    assert "VoucherUse" in refused(db, again)


def test_an_expired_hold_gives_the_voucher_back(db: Db) -> None:
    db.run(checkout(voucher="EARLYBIRD"))
    held = db.require(m.team(MAIN, uuid(2, 7)))
    payment = db.require(m.payment(MAIN, uuid(3, 200)))
    db.run(m.expire_hold(held, payment, NOW + timedelta(hours=1), NOW_THERE))
    assert db.require(m.voucher(MAIN, "EARLYBIRD")).remaining == 50
    assert db.run(m.voucher_use(MAIN, "EARLYBIRD", uuid(2, 7))) is None
    db.run(checkout(voucher="EARLYBIRD", payment_id=uuid(3, 201)))


def test_a_hold_expires_not_before_its_time(db: Db) -> None:
    pending = d.team("Null Pointers")
    assert refused(db, m.expire_hold(pending, d.payment(3, "created"), CUT, NOW_THERE)) == ["Team"]


def capture(number: int, name: str, status: str = "created", **changes: Any) -> m.Capture:
    payment = d.payment(number, status)  # type: ignore[arg-type]
    told = {"razorpay_payment_id": f"pay_{number:04d}", "payment_method": "upi", **changes}
    return m.Capture(payment, d.team(name), **told)


def test_either_expired_or_captured(db: Db) -> None:
    late = capture(5, "Slow Payers")
    assert refused(db, m.capture_payment(late, CUT, NOW_THERE)) == ["Team"]
    db.run(call("expire_hold"))
    assert "Team" in refused(db, m.capture_payment(late, CUT - timedelta(days=1), NOW_THERE))
    in_time = capture(3, "Null Pointers")
    db.run(m.capture_payment(in_time, CUT, NOW_THERE))
    op = m.expire_hold(d.team("Null Pointers"), None, NOW + timedelta(days=1), NOW_THERE)
    assert refused(db, op) == ["Team"]


def test_a_queue_is_for_sold_out_events(db: Db) -> None:
    assert refused(db, m.enter_queue(d.team("Byte Brigade"), 0, 200, NOW)) == ["Seats"]


@pytest.mark.parametrize(("position", "longest"), [(3, 200), (4, 2)])
def test_a_place_in_the_queue(db: Db, position: int, longest: int) -> None:
    op = m.enter_queue(d.team("Just Arrived"), position, longest, NOW)
    assert refused(db, op) == ["Seats"]


def test_a_seat_is_offered_once(db: Db) -> None:
    db.run(call("offer_seat"))
    assert set(refused(db, call("offer_seat"))) >= {"Seats", "Wait", "Team"}
    assert seats_and_teams(db, SMALL) == (3, 3)


def test_an_offer_that_stands_longer_keeps_its_hold(db: Db) -> None:
    lucky = d.team("Lucky Ones")
    payment = d.payment(33, "created", SMALL)
    op: Any = m.checkout_offered(lucky, payment, d.hold(lucky), 2, NOW_THERE)
    assert "Hold" not in {type(getattr(each, "entity", None)).__name__ for each in op.members}
    db.run(op)
    assert [each.expires_at for each in db.run(m.due_holds(SMALL, NOW + timedelta(days=1)))] == [
        lucky.hold_expires_at
    ]


def test_capacity_is_not_taken_from_teams_that_have_a_seat(db: Db) -> None:
    smaller = d.stored(d.config(MAIN, 500)).model_copy(update={"max_teams": 3})
    assert refused(db, m.change_config(smaller, -497, NOW)) == ["Seats"]
    db.run(m.change_config(smaller, -496, NOW))
    assert seats_and_teams(db, MAIN) == (4, 4)


def test_closing_registration_closes_checkout(db: Db) -> None:
    closed = d.stored(d.config(MAIN, 500)).model_copy(update={"registration_open": False})
    db.run(m.change_config(closed, 0, NOW))
    assert refused(db, checkout()) == ["Seats"]


# --- money ---------------------------------------------------------------------------------------


def test_a_capture_has_one_effect(db: Db) -> None:
    told = capture(3, "Null Pointers", notice=d.notice(3, "payment.captured"))
    db.run(m.capture_payment(told, CUT, NOW_THERE))
    asked = capture(3, "Null Pointers")
    assert "PaymentLock" in refused(db, m.capture_payment(asked, CUT, NOW_THERE))
    again = capture(3, "Null Pointers", notice=d.notice(3, "payment.captured"))
    assert {"PaymentLock", "GatewayEvent"} <= set(
        refused(db, m.capture_payment(again, CUT, NOW_THERE))
    )


def test_a_payment_of_one_team_does_not_pay_for_another(db: Db) -> None:
    crossed = m.Capture(d.payment(5, "created"), d.team("Null Pointers"), "pay_0005", "upi")
    assert refused(db, m.capture_payment(crossed, CUT, NOW_THERE)) == ["Team"]


def test_a_payment_does_not_fall(db: Db) -> None:
    db.run(call("note_attempt"))
    op = m.note_attempt(d.payment(3, "authorized"), "failed", d.notice(50, "payment.failed"), NOW)
    assert refused(db, op) == ["Payment"]
    paid = m.note_attempt(d.payment(1, "paid"), "failed", d.notice(51, "payment.failed"), NOW)
    assert refused(db, paid) == ["Payment"]


def test_what_a_payment_may_have_been() -> None:
    assert below("created") == ()
    assert below("expired") == ("created", "failed", "authorized")
    assert below("paid") == ("created", "failed", "authorized")
    assert "late" not in below("partially_refunded")
    assert below("refunded") == ("late", "paid", "partially_refunded")


def test_a_late_capture_needs_a_seat_that_nobody_waits_for(db: Db) -> None:
    db.run(call("expire_hold"))
    db.run(put(d.seats(MAIN, 500, 5, waiting=1).model_copy(update={"version": 2})))
    assert refused(db, m.capture_late(capture(5, "Slow Payers", "expired"), NOW_THERE)) == ["Seats"]


def test_no_more_is_paid_back_than_was_paid(db: Db) -> None:
    payment = d.payment(1, "paid")
    db.run(m.request_refund(payment, d.refund(1, 70, 60_000), None, NOW_THERE))
    more = m.request_refund(payment, d.refund(1, 71, 60_000), None, NOW_THERE)
    assert refused(db, more) == ["Payment"]
    db.run(m.request_refund(payment, d.refund(1, 72, 39_900), None, NOW_THERE))


def test_a_part_of_a_late_payment_that_is_back_does_not_raise_it(db: Db) -> None:
    db.run(call("refuse_late"))
    db.run(m.settle_refund(d.payment(13, "late"), d.refund(13, 13, d.FEE), False, NOW))
    assert db.require(m.payment(MAIN, uuid(3, 13))).status == "late"


def test_one_order_for_a_payment(db: Db) -> None:
    op = m.attach_order(d.payment(3, "created"), "order_9999", NOW)
    assert refused(db, op) == ["Payment"]


# --- the door ------------------------------------------------------------------------------------


def scan(nonce: str, who: int, team: int) -> Op[Any]:
    return m.check_in(d.scan(nonce, who), d.checkin(who, nonce), uuid(2, team), 1, NOW_THERE)


def test_a_ticket_is_redeemed_once_and_again_after_it_was_undone(db: Db) -> None:
    db.run(scan("nonce-1000", 2, 1))
    assert refused(db, scan("nonce-1001", 2, 1)) == ["CheckIn"]
    db.run(m.undo_check_in(MAIN, uuid(1, 2), "entry", d.blind("user-90"), NOW_THERE))
    db.run(scan("nonce-1001", 2, 1))


def test_the_same_scan_counts_once(db: Db) -> None:
    db.run(scan("nonce-1000", 2, 1))
    assert "Scan" in refused(db, scan("nonce-1000", 2, 1))


def test_an_unpaid_team_stays_outside(db: Db) -> None:
    assert refused(db, scan("nonce-1000", 7, 7)) == ["Team"]


def test_certificates_are_for_who_was_there(db: Db) -> None:
    op = m.issue_certificate(d.certificate("0123456789ABCDEF", 2), "entry")
    assert refused(db, op) == ["CheckIn"]


# --- what it costs -------------------------------------------------------------------------------


def test_a_paid_team_of_four_costs_at_most_160_write_units() -> None:
    seen: list[RequestEvent] = []
    with running(load=False, hook=seen.append) as db:
        db.run(m.create_event(d.event(MAIN, "X"), d.config(MAIN, 500), d.seats(MAIN, 500, 500)))
        seen.clear()
        for number in range(1, 5):
            db.run(m.register(d.person(number), [], NOW_THERE))
        team = new_team(1, max_members=4)
        db.run(m.found_team(team, NOW_THERE))
        for number in range(2, 5):
            code = team.invite_hash or ""
            db.run(m.join_team(MAIN, team.team_id, code, uuid(1, number), NOW_THERE))
        mine = {"team_id": team.team_id, "razorpay_order_id": None}
        payment = d.payment(7, "created").model_copy(update=mine)
        until = {"hold_expires_at": NOW + timedelta(minutes=20)}
        db.run(m.checkout(team, payment, d.hold(team.model_copy(update=until)), 2, NOW_THERE))
        db.run(m.attach_order(payment, "order_0007", NOW))
        held = db.require(m.team(MAIN, team.team_id))
        told = m.Capture(payment, held, "pay_0007", "upi", d.notice(7, "payment.captured"))
        db.run(m.capture_payment(told, CUT, NOW_THERE))
    consumed = [each for event in seen for each in event.consumed]
    own = sum(each.write_units for each in consumed if each.index is None)
    indexes = sum(each.write_units for each in consumed if each.index is not None)
    # The engine doubles what a transaction writes to an index, too; the target counts it once.
    assert own + indexes / 2 <= 160
    assert own + indexes <= 180


def test_a_webhook_is_one_transaction_of_seven_items_at_most() -> None:
    op: Any = call("capture_payment")
    # One of the seven is for the outbox.
    assert len(op.members) == 6
