"""Every pattern of the model, called on the demo one after the other, does what it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.world import counted, running, seats_and_teams

from tablewright.client import Db
from tablewright.systems.kurukshetra import demo_items as d
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo import demo

Checking = Callable[[Any, Db], bool]
MAIN, SMALL, NOW = d.MAIN, d.SMALL, d.NOW
uuid = d.uuid


def team(db: Db, number: int, event_id: str = MAIN) -> m.Team:
    return db.require(m.team(event_id, uuid(2, number)))


def person(db: Db, number: int) -> m.Participant:
    return db.require(m.participant(MAIN, uuid(1, number)))


def paid(db: Db, number: int) -> m.Payment:
    return db.require(m.payment(MAIN, uuid(3, number)))


def refund(db: Db, number: int, of: int) -> m.Refund:
    page = db.run(m.payment_page(MAIN, uuid(3, of)))
    return next(each for each in page.refunds if each.refund_id == uuid(4, number))


READS: dict[str, Checking] = {
    "email_lock": lambda got, db: got.owner == uuid(1, 1),
    "me": lambda got, db: (
        [each.target for each in got.links] == [uuid(1, 1)] and got.roles == got.drafts == ()
    ),
    "participant_of_user": lambda got, db: got.target == uuid(1, 1),
    "role": lambda got, db: got.roles == {"volunteer"},
    "role_holder": lambda got, db: got.roles == {"volunteer"},
    "draft": lambda got, db: got == d.stored(d.draft(60)),
    "participant": lambda got, db: got == d.stored(d.person(1, MAIN, uuid(2, 1))),
    "participants": lambda got, db: (
        [each.participant_id for each in got] == [uuid(1, 1), uuid(1, 2)]
    ),
    "participant_page": lambda got, db: (
        got.participant.participant_id == uuid(1, 1)
        and [each.question_id for each in got.answers] == ["diet"]
        and [each.list_id for each in got.checkins] == ["entry"]
    ),
    "scan_result": lambda got, db: got.result == "ok",
    "check_in_of": lambda got, db: (got.state, got.nonce) == ("redeemed", "nonce-0001"),
    "check_ins_of": lambda got, db: [each and each.state for each in got] == ["redeemed", None],
    "certificate": lambda got, db: got.participant_id == uuid(1, 1),
    "certificates": lambda got, db: [each.kind for each in got] == ["participation"],
    "job": lambda got, db: (got.kind, got.state) == ("certificates", "queued"),
    "team": lambda got, db: got == d.stored(d.team("Code Warriors")),
    "team_page": lambda got, db: (
        got.team.name == "Code Warriors"
        and {each.participant_id for each in got.members} == {uuid(1, 1), uuid(1, 2)}
        and got.invited == ()
        and got.submission.repository == "github.com/demo/team-1"
    ),
    "invite": lambda got, db: got.owner == uuid(2, 1),
    "team_name": lambda got, db: got.owner == uuid(2, 1),
    "repository": lambda got, db: got.owner == uuid(2, 1),
    "submission": lambda got, db: got.team_id == uuid(2, 1),
    "submissions": lambda got, db: [each and each.team_id for each in got] == [uuid(2, 1), None],
    "order_link": lambda got, db: (got.team_id, got.payment_id) == (uuid(2, 1), uuid(3, 1)),
    "payment": lambda got, db: got == d.stored(d.payment(1, "paid")),
    "payment_page": lambda got, db: got.payment.payment_id == uuid(3, 1) and got.refunds == (),
    "payment_lock": lambda got, db: got.owner == uuid(3, 1),
    "captured": lambda got, db: (
        [got[0].event_id, got[1].payment_id, got[2].team_id, got[3].owner]
        == [MAIN, uuid(3, 1), uuid(2, 1), uuid(3, 1)]
    ),
    "payment_locks": lambda got, db: [each and each.owner for each in got] == [uuid(3, 1), None],
    "gateway_event": lambda got, db: got.type == "payment.captured",
    "voucher": lambda got, db: (got.percent, got.remaining) == (10, 50),
    "vouchers": lambda got, db: [each.percent for each in got] == [10, 100],
    "voucher_use": lambda got, db: got.payment_id == uuid(3, 1),
    "setup": lambda got, db: (
        got.config.event_name == "CodeKurukshetra"
        and got.seats.free == 496
        and [each.question_id for each in got.questions] == ["diet", "shirt"]
    ),
    "config": lambda got, db: got.max_teams == 500,
    "seats": lambda got, db: (got.capacity, got.waiting) == (500, 0),
}

LISTS: dict[str, Checking] = {
    "registrations_of_email": lambda got, db: (
        [(each.event_id, each.participant_id) for each in got] == [(MAIN, uuid(1, 1))]
    ),
    "people_of_college": lambda got, db: (
        {each.participant_id for each in got} == {uuid(1, n) for n in (*range(1, 17, 2), 21)}
    ),
    "people": lambda got, db: (
        got != () and sum(len(db.run(m.people(MAIN, shard), limit=100)) for shard in range(8)) == 18
    ),
    "people_with_phone": lambda got, db: [each.participant_id for each in got] == [uuid(1, 1)],
    "people_of_team": lambda got, db: (
        [each.participant_id for each in got] == [uuid(1, 1), uuid(1, 2)]
    ),
    "payments_of_team": lambda got, db: (
        [(each.payment_id, each.status, each.amount) for each in got]
        == [(uuid(3, 1), "paid", d.FEE)]
    ),
    "teams_by_status": lambda got, db: (
        [(each.name, each.track, each.member_count) for each in got]
        == [("Code Warriors", "ai-ml", 2)]
        and len(db.run(m.teams_by_status(MAIN, "paid"))) == 2
    ),
    "payments_by_status": lambda got, db: (
        [each.payment_id for each in got] == [uuid(3, 1), uuid(3, 11)]
        and len(db.run(m.payments_by_status(MAIN, "paid", until=date(2026, 10, 31)))) == 0
    ),
    "findings": lambda got, db: [each.kind for each in got] == ["missing_capture"],
    "due_refunds": lambda got, db: [each.refund_id for each in got] == [uuid(4, 31)],
    "due_holds": lambda got, db: [each.team_id for each in got] == [uuid(2, 5)],
    "queue_head": lambda got, db: (got.position, got.team_id) == (2, uuid(2, 35)),
    "queue": lambda got, db: [each.team_id for each in got] == [uuid(2, 35), uuid(2, 37)],
    "jobs": lambda got, db: [each.job_id for each in got] == [d.job(1).job_id],
    "jobs_to_do": lambda got, db: [each.event_id for each in got] == [MAIN],
    "ahead_in_queue": lambda got, db: got == 1,
    "events": lambda got, db: [each.event_id for each in got] == [MAIN, SMALL],
    "role_holders": lambda got, db: (
        {each.uid_hash for each in got} == {d.blind("user-90"), d.blind("user-91")}
    ),
    "voucher_codes": lambda got, db: [each.code for each in got] == ["EARLYBIRD", "SPONSORED"],
    "statistics": lambda got, db: [(each.shard, each.revenue) for each in got] == [(3, d.FEE)],
    "track_statistics": lambda got, db: (
        [(each.track, each.paid) for each in got] == [("robotics", 1)]
    ),
    "erasures": lambda got, db: [each.participant_id for each in got] == [uuid(1, 21)],
    "teams_listed": lambda got, db: (
        [each.name for each in got] == ["Code Warriors", "Null Pointers"]
    ),
    "payments_listed": lambda got, db: (
        [each.payment_id for each in got] == [uuid(3, 1), uuid(3, 11)]
    ),
    "answer_to": lambda got, db: got.question_id == "diet",
    "answers_listed": lambda got, db: [each and each.question_id for each in got] == ["diet", None],
    "every_participant": lambda got, db: len(got) == 28,
    "every_answer": lambda got, db: [each.question_id for each in got] == ["diet"],
    "every_invited": lambda got, db: [each.team_id for each in got] == [uuid(2, 7)],
    "every_draft": lambda got, db: [each.event_id for each in got] == [MAIN],
    "every_certificate": lambda got, db: [each.kind for each in got] == ["participation"],
    "every_role_holder": lambda got, db: len(got) == 2,
    "every_team": lambda got, db: len(got) == 13,
    "every_payment": lambda got, db: len(got) == 6,
    "every_member": lambda got, db: len(got) == 26,
    "every_submission": lambda got, db: len(got) == 1,
    "every_hold": lambda got, db: len(got) == 3,
    "every_wait": lambda got, db: len(got) == 2,
    "every_email_lock": lambda got, db: len(got) == 28,
    "every_user_link": lambda got, db: len(got) == 28,
    "every_people_link": lambda got, db: len(got) == 28,
    "every_team_name": lambda got, db: len(got) == 13,
    "every_invite": lambda got, db: len(got) == 13,
    "every_repository": lambda got, db: len(got) == 1,
    "every_order_link": lambda got, db: len(got) == 6,
}

PEOPLE: dict[str, Checking] = {
    "register": lambda got, db: (
        person(db, 50).email_hash is not None
        and db.run(m.email_lock(MAIN, person(db, 50).email_hash or "")) is not None
        and db.run(m.participant_of_user(d.blind("user-50"), MAIN)) is not None
        and counted(db, MAIN)["registrations"] == 1
        and len(db.run(m.participant_page(MAIN, uuid(1, 50))).answers) == 1
    ),
    "edit_participant": lambda got, db: (
        len(db.run(m.people_with_phone(MAIN, d.blind("another number")))) == 1
        and len(db.run(m.people_with_phone(MAIN, d.person(20).phone_hash or ""))) == 0
    ),
    "revoke_tickets": lambda got, db: got.ticket_version == 2,
    "save_draft": lambda got, db: db.run(m.draft(d.blind("user-61"), MAIN)) == got,
    "drop_draft": lambda got, db: db.run(m.draft(d.blind("user-60"), MAIN)) is None,
    "erase_participant": lambda got, db: (
        person(db, 13).first_name is None
        and person(db, 13).erased_at == NOW
        and db.run(m.email_lock(MAIN, d.person(13).email_hash or "")) is None
        and db.run(m.me(d.blind("user-13"))).links == ()
        and len(db.run(m.registrations_of_email(d.person(13).email_hash or ""))) == 0
        and len(db.run(m.people_with_phone(MAIN, d.person(13).phone_hash or ""))) == 0
        and (team(db, 13).leader_participant_id, team(db, 13).member_count) == (uuid(1, 14), 1)
        and len(db.run(m.people_of_team(MAIN, uuid(2, 13)))) == 1
    ),
    "forget_payer": lambda got, db: got.payer_ref == d.blind("nobody") and got.amount == d.FEE,
    "begin_erasure": lambda got, db: len(db.run(m.erasures())) == 2,
    "put_off_erasure": lambda got, db: got.resume_at == NOW + timedelta(minutes=25),
    "nearly_erased": lambda got, db: got.gone,
    "end_erasure": lambda got, db: (
        [each.participant_id for each in db.run(m.erasures())] == [uuid(1, 20)]
    ),
}

TEAMS: dict[str, Checking] = {
    "found_team": lambda got, db: (
        team(db, 50).name == "New Blood"
        and person(db, 50).team_id == uuid(2, 50)
        and db.run(m.team_name(MAIN, "new blood")) is not None
        and db.require(m.invite(MAIN, d.blind("JOIN0050"))).owner == uuid(2, 50)
        and counted(db, MAIN)["teams"] == 1
    ),
    "join_team": lambda got, db: (
        team(db, 7).member_count == 3
        and person(db, 20).team_id == uuid(2, 7)
        and len(db.run(m.team_page(MAIN, uuid(2, 7))).members) == 3
    ),
    "leave_team": lambda got, db: (
        team(db, 7).member_count == 2
        and person(db, 20).team_id is None
        and len(db.run(m.people_of_team(MAIN, uuid(2, 7)))) == 2
    ),
    "hand_over": lambda got, db: team(db, 7).leader_participant_id == uuid(1, 8),
    "invite_person": lambda got, db: len(db.run(m.team_page(MAIN, uuid(2, 7))).invited) == 2,
    "withdraw_invitation": lambda got, db: (
        [each.email_hash for each in db.run(m.team_page(MAIN, uuid(2, 7))).invited]
        == [d.blind("friend-2")]
    ),
    "rename_team": lambda got, db: (
        team(db, 15).name == "Tied Ends"
        and db.run(m.team_name(MAIN, "tied ends")) is not None
        and db.run(m.team_name(MAIN, "loose ends")) is None
    ),
    "rotate_invite": lambda got, db: (
        db.require(m.invite(MAIN, d.blind("JOIN9915"))).owner == uuid(2, 15)
        and db.run(m.invite(MAIN, d.blind("JOIN0015"))) is None
    ),
    "change_track": lambda got, db: (
        got.track == "ai-ml"
        and uuid(2, 15) in {e.team_id for e in db.run(m.teams_by_status(MAIN, "unpaid", "ai-ml"))}
    ),
    "set_repository": lambda got, db: (
        db.require(m.repository(MAIN, "github.com/demo/team-15")).owner == uuid(2, 15)
    ),
    "disband_team": lambda got, db: (
        team(db, 15).payment_status == "cancelled"
        and person(db, 15).team_id is person(db, 16).team_id is None
        and db.run(m.team_page(MAIN, uuid(2, 15))).members == ()
        and db.run(m.team_name(MAIN, "tied ends")) is None
        and db.run(m.invite(MAIN, d.blind("JOIN9915"))) is None
        and db.run(m.repository(MAIN, "github.com/demo/team-15")) is None
    ),
    "mark_handed_over": lambda got, db: got.sub_id == "sub_0001",
}

SEATS: dict[str, Checking] = {
    "checkout": lambda got, db: (
        team(db, 7).payment_status == "pending"
        and team(db, 7).hold_expires_at == NOW + timedelta(minutes=20)
        and db.require(m.seats(MAIN)).free == 495
        and paid(db, 107).status == "created"
        and db.require(m.voucher(MAIN, "EARLYBIRD")).remaining == 49
        and db.run(m.voucher_use(MAIN, "EARLYBIRD", uuid(2, 7))) is not None
        and len(db.run(m.due_holds(MAIN, NOW + timedelta(hours=1)))) == 3
    ),
    "checkout_free": lambda got, db: (
        team(db, 9).payment_status == "paid"
        and team(db, 9).registration_complete
        and db.require(m.seats(MAIN)).free == 494
        and counted(db, MAIN)["paid_open_innovation"] == 1
    ),
    "expire_hold": lambda got, db: (
        team(db, 5).payment_status == "unpaid"
        and team(db, 5).hold_expires_at is None
        and paid(db, 5).status == "expired"
        and db.require(m.seats(MAIN)).free == 495
        and len(db.run(m.due_holds(MAIN, NOW))) == 0
    ),
    "checkout_offered": lambda got, db: (
        team(db, 33, SMALL).payment_status == "pending"
        and db.require(m.seats(SMALL)).free == 1
        and [e.expires_at for e in db.run(m.due_holds(SMALL, NOW + timedelta(days=1)))]
        == [NOW + timedelta(minutes=20)]
    ),
    "replace_payment": lambda got, db: (
        team(db, 33, SMALL).payment_id == uuid(3, 135)
        and team(db, 33, SMALL).payment_status == "pending"
        and db.require(m.seats(SMALL)).free == 1
        and db.require(m.payment(SMALL, uuid(3, 135))).status == "created"
    ),
    "enter_queue": lambda got, db: (
        team(db, 39, SMALL).wait_position == 4
        and [e.team_id for e in db.run(m.queue(SMALL))][-1] == uuid(2, 39)
        and db.require(m.seats(SMALL)).next_position == 5
    ),
    "leave_queue": lambda got, db: (
        team(db, 37, SMALL).payment_status == "unpaid"
        and team(db, 37, SMALL).wait_position is None
        and db.require(m.seats(SMALL)).waiting == 2
    ),
    "offer_seat": lambda got, db: (
        team(db, 35, SMALL).payment_status == "offered"
        and (db.require(m.seats(SMALL)).free, db.require(m.seats(SMALL)).waiting) == (0, 1)
        and [e.team_id for e in db.run(m.queue(SMALL))] == [uuid(2, 39)]
    ),
}

MONEY: dict[str, Checking] = {
    "attach_order": lambda got, db: (
        paid(db, 107).razorpay_order_id == "order_0107"
        and db.require(m.order_link("order_0107")).payment_id == uuid(3, 107)
    ),
    "note_attempt": lambda got, db: (
        paid(db, 3).status == "authorized"
        and uuid(3, 3) in {e.payment_id for e in db.run(m.payments_by_status(MAIN, "authorized"))}
    ),
    "note_delivery": lambda got, db: db.run(m.gateway_event("evt_0099")) == got,
    "capture_payment": lambda got, db: (
        team(db, 3).payment_status == "paid"
        and team(db, 3).payment_order_id == "order_0003"
        and team(db, 3).hold_expires_at is None
        and (paid(db, 3).status, paid(db, 3).refundable) == ("paid", d.FEE)
        and paid(db, 3).webhook_verified
        and db.require(m.payment_lock("pay_0003")).owner == uuid(3, 3)
        and counted(db, MAIN)["revenue"] == d.FEE
        and counted(db, MAIN)["paid_web_mobile"] == 1
    ),
    "capture_late": lambda got, db: (
        team(db, 5).payment_status == "paid"
        and team(db, 5).payment_id == uuid(3, 5)
        and paid(db, 5).status == "paid"
        and not paid(db, 5).webhook_verified
        and db.require(m.seats(MAIN)).free == 494
    ),
    "confirm_capture": lambda got, db: (
        paid(db, 5).webhook_verified
        and paid(db, 5).status == "paid"
        and db.run(m.gateway_event("evt_0097")) is not None
    ),
    "refuse_late": lambda got, db: (
        paid(db, 13).status == "late" and refund(db, 13, 13).status == "requested"
    ),
    "refuse_double": lambda got, db: (
        paid(db, 1).status == "paid"
        and refund(db, 1, 1).amount == d.FEE
        and db.run(m.payment_lock("pay_1001")) is not None
    ),
    "request_refund": lambda got, db: (
        (paid(db, 11).refundable, paid(db, 11).status) == (0, "paid")
        and team(db, 11).payment_status == "refunded"
        and db.require(m.seats(MAIN)).free == 495
        and counted(db, MAIN)["refunded"] == d.FEE
    ),
    "send_refund": lambda got, db: (got.status, got.razorpay_refund_id) == ("pending", "rfnd_0011"),
    "settle_refund": lambda got, db: (
        refund(db, 11, 11).status == "processed" and paid(db, 11).status == "refunded"
    ),
    "fail_refund": lambda got, db: (
        refund(db, 13, 13).status == "failed"
        and paid(db, 13).refundable == d.FEE
        # What came late was no revenue, so that it went back was not counted.
        and counted(db, MAIN)["refunded"] == d.FEE
    ),
    "refund_again": lambda got, db: refund(db, 14, 13).status == "requested",
    "adopt_refund": lambda got, db: (
        (refund(db, 2, 1).amount, paid(db, 1).refundable) == (500, d.FEE - 500)
        and db.run(m.gateway_event("evt_0098")) is not None
        and counted(db, MAIN)["refunded"] == d.FEE + 500
    ),
    "postpone_refund": lambda got, db: (
        uuid(4, 11) not in {each.refund_id for each in db.run(m.due_refunds(NOW))}
        and uuid(4, 11)
        in {each.refund_id for each in db.run(m.due_refunds(NOW + timedelta(minutes=1)))}
    ),
    "drop_refund_due": lambda got, db: (
        uuid(4, 1) not in {each.refund_id for each in db.run(m.due_refunds(NOW))}
    ),
    "release_seat": lambda got, db: (
        team(db, 1).payment_status == "refunded"
        and not team(db, 1).registration_complete
        and db.require(m.seats(MAIN)).free == 496
    ),
    "save_voucher": lambda got, db: (
        db.run(m.voucher(MAIN, "STUDENTS")) == got[0] and len(db.run(m.voucher_codes(MAIN))) == 3
    ),
    "note_finding": lambda got, db: len(db.run(m.findings(MAIN))) == 2,
}

ORGANISERS: dict[str, Checking] = {
    "create_event": lambda got, db: (
        len(db.run(m.events())) == 3 and db.run(m.setup("spring-2027")).seats.free == 50
    ),
    "delete_event": lambda got, db: (
        len(db.run(m.events())) == 2 and db.run(m.config("spring-2027")) is None
    ),
    "change_config": lambda got, db: (
        db.require(m.config(MAIN)).max_teams == db.require(m.seats(MAIN)).capacity == 520
    ),
    "save_question": lambda got, db: len(db.run(m.setup(MAIN)).questions) == 3,
    "drop_question": lambda got, db: (
        [each.number for each in db.run(m.setup(MAIN)).questions] == [1, 3]
    ),
    "grant_roles": lambda got, db: (
        db.run(m.role(d.blind("user-92"), MAIN)) == got[0]
        and len(db.run(m.role_holders(MAIN))) == 3
    ),
    "revoke_roles": lambda got, db: (
        db.run(m.role(d.blind("user-90"), MAIN)) is None
        and db.run(m.role_holder(MAIN, d.blind("user-90"))) is None
    ),
    "check_in": lambda got, db: (
        db.run(m.participant_page(MAIN, uuid(1, 4))).checkins[0].state == "redeemed"
        and db.run(m.scan_result(MAIN, "nonce-0002")) is not None
        and counted(db, MAIN)["checkins"] == 1
    ),
    "check_in_earlier": lambda got, db: (
        db.require(m.check_in_of(MAIN, uuid(1, 4), "entry")).nonce == "nonce-0004"
        and db.require(m.scan_result(MAIN, "nonce-0002")).result == "already_redeemed"
        and db.require(m.scan_result(MAIN, "nonce-0004")).result == "ok"
        and counted(db, MAIN)["checkins"] == 1
    ),
    "note_scan": lambda got, db: (
        db.require(m.scan_result(MAIN, "nonce-0003")).result == "already_redeemed"
    ),
    "undo_check_in": lambda got, db: (
        db.run(m.participant_page(MAIN, uuid(1, 4))).checkins[0].state == "undone"
        and counted(db, MAIN)["checkins"] == 0
    ),
    "issue_certificate": lambda got, db: db.run(m.certificate("0123456789ABCDEF")) == got[0],
    "erase_certificate": lambda got, db: (
        got.code == "0123456789ABCDEF" and db.run(m.certificate(got.code)) is None
    ),
    "reseal": lambda got, db: person(db, 1).version == 2,
    "forget_repository": lambda got, db: (
        db.run(m.submission(MAIN, uuid(2, 1))) is None
        and db.run(m.repository(MAIN, "github.com/demo/team-1")) is None
    ),
    "correct_statistics": lambda got, db: (
        sum(e.registrations for e in db.run(m.statistics(MAIN, got.day, got.day))) == 6
    ),
    "correct_track_statistics": lambda got, db: (
        sum(each.paid for each in db.run(m.track_statistics(SMALL, got.day, got.day))) == 3
    ),
}

JOBS: dict[str, Checking] = {
    "start_job": lambda got, db: (
        len(db.run(m.jobs(MAIN))) == 2 and len(db.run(m.jobs_to_do("certificates"))) == 2
    ),
    "take_job": lambda got, db: (got.state, got.fence, got.attempts) == ("running", 3, 1),
    "note_progress": lambda got, db: (got.done, got.total, got.position) == (25, 60, "0"),
    "put_off_job": lambda got, db: (
        [each.job_id for each in db.run(m.jobs_to_do("certificates"))]
        == [d.job(2).job_id, d.job(1).job_id]
    ),
    "end_job": lambda got, db: (
        db.require(m.job(MAIN, d.job(1).job_id)).state == "done"
        and [each.job_id for each in db.run(m.jobs_to_do("certificates"))] == [d.job(2).job_id]
    ),
    "drop_turn": lambda got, db: len(db.run(m.jobs_to_do("certificates"))) == 0,
    "count_mail": lambda got, db: got.sent == 413,
}

CHECKS = READS | LISTS | PEOPLE | TEAMS | SEATS | MONEY | ORGANISERS | JOBS


def test_every_pattern_has_a_call_and_a_check() -> None:
    assert list(demo().calls) == list(CHECKS)
    assert set(CHECKS) == set(m.model.patterns)


def test_every_call_does_what_its_pattern_says() -> None:
    with running() as db:
        for name, op in demo().calls.items():
            got = db.run(op)
            assert CHECKS[name](got, db), name


@pytest.mark.parametrize("event_id", [MAIN, SMALL])
def test_no_seat_is_lost_or_given_twice(event_id: str) -> None:
    with running() as db:
        capacity, accounted = seats_and_teams(db, event_id)
        assert capacity == accounted
        for op in demo().calls.values():
            db.run(op)
            capacity, accounted = seats_and_teams(db, event_id)
            assert capacity == accounted, op.pattern


def test_the_demo_is_the_same_every_time() -> None:
    assert demo() == demo()
