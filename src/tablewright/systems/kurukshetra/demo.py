"""The demo: items, and one call of each pattern in an order in which they succeed on them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

from tablewright.model import Op
from tablewright.model.demo import Demo
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.demo_items import (
    FEE,
    MAIN,
    NOW,
    SMALL,
    TODAY,
    answer,
    blind,
    certificate,
    checkin,
    config,
    draft,
    erasure,
    event,
    finding,
    hold,
    invited,
    items,
    job,
    notice,
    order_link,
    payment,
    person,
    question,
    refund,
    refund_due,
    role,
    role_holder,
    scan,
    sealed,
    seats,
    stored,
    submission,
    team,
    turn,
    uuid,
    voucher,
)
from tablewright.systems.kurukshetra.fields import Moment

_NOW = Moment(NOW, TODAY)
_CUT = NOW - timedelta(minutes=5)


def demo() -> Demo:
    """A hackathon in full swing, and a small one that is sold out."""
    return Demo(items(), calls(), now=NOW)


def calls() -> dict[str, Op[Any]]:
    """By the pattern's name; reads first, so that they see the items as they are."""
    made = [*_reads(), *_lists(), *_people(), *_teams(), *_seats(), *_money(), *_organisers()]
    made += [*_jobs(), *_mails()]
    return {op.pattern: op for op in made}


def _reads() -> Iterator[Op[Any]]:
    yield m.email_lock(MAIN, person(1).email_hash or "")
    yield m.me(blind("user-1"))
    yield m.participant_of_user(blind("user-1"), MAIN)
    yield m.role(blind("user-90"), MAIN)
    yield m.role_holder(MAIN, blind("user-90"))
    yield m.draft(blind("user-60"), MAIN)
    yield m.participant(MAIN, uuid(1, 1))
    yield m.participants(MAIN, [uuid(1, 1), uuid(1, 2)])
    yield m.participant_page(MAIN, uuid(1, 1))
    yield m.scan_result(MAIN, "nonce-0001")
    yield m.check_in_of(MAIN, uuid(1, 1), "entry")
    yield m.check_ins_of(MAIN, [uuid(1, 1), uuid(1, 2)], "entry")
    yield m.certificate("7ZKX3M9QH2C4W8TN")
    yield m.certificates(["7ZKX3M9QH2C4W8TN"])
    yield m.job(MAIN, job(1).job_id)
    yield m.team(MAIN, uuid(2, 1))
    yield m.team_page(MAIN, uuid(2, 1))
    yield m.invite(MAIN, blind("JOIN0001"))
    yield m.team_name(MAIN, "code warriors")
    yield m.repository(MAIN, "github.com/demo/team-1")
    yield m.submission(MAIN, uuid(2, 1))
    yield m.submissions(MAIN, [uuid(2, 1), uuid(2, 3)])
    yield m.order_link("order_0001")
    yield m.payment(MAIN, uuid(3, 1))
    yield m.payment_page(MAIN, uuid(3, 1))
    yield m.payment_lock("pay_0001")
    yield m.captured(order_link(1), "pay_0001")
    yield m.payment_locks(["pay_0001", "pay_9999"])
    yield m.gateway_event("evt_0001")
    yield m.voucher(MAIN, "EARLYBIRD")
    yield m.vouchers(MAIN, ["EARLYBIRD", "SPONSORED"])
    yield m.voucher_use(MAIN, "EARLYBIRD", uuid(2, 1))
    yield m.setup(MAIN)
    yield m.config(MAIN)
    yield m.seats(MAIN)


def _lists() -> Iterator[Op[Any]]:
    yield m.registrations_of_email(person(1).email_hash or "")
    yield m.people_of_college(MAIN, "example-university")
    yield m.people(MAIN, 0)
    yield m.people_with_phone(MAIN, person(1).phone_hash or "")
    yield m.people_of_team(MAIN, uuid(2, 1))
    yield m.payments_of_team(MAIN, uuid(2, 1))
    yield m.teams_by_status(MAIN, "paid", "ai-ml")
    yield m.payments_by_status(MAIN, "paid", since=date(2026, 11, 1), until=TODAY)
    yield m.findings(MAIN, since=date(2026, 11, 1))
    yield m.due_refunds(NOW)
    yield m.due_holds(MAIN, _CUT)
    yield m.queue_head(SMALL)
    yield m.queue(SMALL)
    yield m.jobs(MAIN)
    yield m.jobs_to_do("certificates")
    yield m.ahead_in_queue(SMALL, 3)
    yield m.events()
    yield m.role_holders(MAIN)
    yield m.voucher_codes(MAIN)
    yield m.statistics(MAIN, date(2026, 11, 1), TODAY)
    yield m.track_statistics(SMALL, date(2026, 11, 1), TODAY)
    yield m.erasures()
    yield m.teams_listed(MAIN, [uuid(2, 1), uuid(2, 3)])
    yield m.payments_listed(MAIN, [uuid(3, 1), uuid(3, 11)])
    yield m.answer_to(MAIN, uuid(1, 1), "diet")
    yield m.answers_listed(MAIN, [(uuid(1, 1), "diet"), (uuid(1, 2), "diet")])
    yield m.every_participant()
    yield m.every_answer()
    yield m.every_invited()
    yield m.every_draft()
    yield m.every_certificate()
    yield m.every_role_holder()
    yield m.every_team()
    yield m.every_payment()
    yield m.every_member()
    yield m.every_submission()
    yield m.every_hold()
    yield m.every_wait()
    yield m.every_email_lock()
    yield m.every_user_link()
    yield m.every_people_link()
    yield m.every_team_name()
    yield m.every_invite()
    yield m.every_repository()
    yield m.every_order_link()


def _people() -> Iterator[Op[Any]]:
    yield m.register(person(50), [answer(50)], _NOW)
    moved = stored(person(20)).model_copy(update={"phone_hash": blind("another number")})
    yield m.edit_participant(moved, person(20).phone_hash, [], NOW)
    yield m.revoke_tickets(stored(person(2, MAIN, uuid(2, 1))), NOW)
    yield m.save_draft(draft(61))
    yield m.drop_draft(blind("user-60"), MAIN)
    leader, late = person(13, MAIN, uuid(2, 13)), stored(team("Late Comers"))
    yield m.erase_participant(stored(leader), [answer(13)], NOW, m.Leaving(late, uuid(1, 14)))
    yield m.forget_payer(payment(1, "paid"), blind("nobody"), NOW)
    yield m.begin_erasure(erasure(20))
    yield m.put_off_erasure(stored(erasure(20)), NOW + timedelta(minutes=25), NOW)
    yield m.nearly_erased(erasure(20), NOW)
    yield m.end_erasure(erasure(21))


def _teams() -> Iterator[Op[Any]]:
    leader = {"leader_participant_id": uuid(1, 50), "team_id": uuid(2, 50), "member_count": 1}
    code = {"invite_code": sealed("JOIN0050"), "invite_hash": blind("JOIN0050")}
    new = team("Byte Brigade").model_copy(update={"name": "New Blood", **leader, **code})
    yield m.found_team(new, _NOW)
    yield m.join_team(MAIN, uuid(2, 7), blind("JOIN0007"), uuid(1, 20), _NOW)
    yield m.leave_team(MAIN, uuid(2, 7), uuid(1, 20), 2, NOW)
    # Byte Brigade was written twice since it was stored.
    brigade = team("Byte Brigade").model_copy(update={"version": 3})
    yield m.hand_over(brigade, uuid(1, 8), NOW)
    yield m.invite_person(invited(2))
    yield m.withdraw_invitation(MAIN, uuid(2, 7), blind("friend-1"))
    ends = team("Loose Ends")
    yield m.rename_team(stored(ends), "Tied Ends", NOW)
    tied = ends.model_copy(update={"name": "Tied Ends", "version": 2})
    yield m.rotate_invite(tied, sealed("JOIN9915"), blind("JOIN9915"), NOW)
    coded = tied.model_copy(update={"invite_hash": blind("JOIN9915"), "version": 3})
    yield m.change_track(coded, "ai-ml", NOW)
    yield m.set_repository(submission(15), None)
    tracked = coded.model_copy(update={"track": "ai-ml", "version": 5})
    members = [_member(15), _member(16)]
    yield m.disband_team(tracked, members, [], submission(15), NOW)
    yield m.mark_handed_over(stored(submission(1)), "sub_0001", NOW)


def _member(number: int) -> m.Member:
    return m.Member(
        event_id=MAIN,
        team_id=uuid(2, 15),
        participant_id=uuid(1, number),
        joined_at=NOW,
        created_at=NOW,
    )


def _new_payment(of: m.Team, number: int, amount: int = FEE) -> m.Payment:
    bare = {"razorpay_order_id": None, "team_id": of.team_id, "amount": amount}
    made = {"payment_id": uuid(3, number), "event_id": of.event_id, "day": TODAY}
    times = {"created_at": NOW, "updated_at": NOW}
    return payment(number, "created").model_copy(update={**bare, **made, **times})


def _hold(of: m.Team, minutes: int = 20) -> m.Hold:
    return hold(of.model_copy(update={"hold_expires_at": NOW + timedelta(minutes=minutes)}))


def _seats() -> Iterator[Op[Any]]:
    brigade, riders = team("Byte Brigade"), team("Free Riders")
    bought = _new_payment(brigade, 107).model_copy(update={"voucher": "EARLYBIRD"})
    yield m.checkout(brigade, bought, _hold(brigade), 2, _NOW)
    given = _new_payment(riders, 109, 0).model_copy(update={"voucher": "SPONSORED"})
    yield m.checkout_free(riders, given.model_copy(update={"status": "paid"}), 2, _NOW)
    yield m.expire_hold(team("Slow Payers"), payment(5, "created"), _CUT, _NOW)
    lucky = team("Lucky Ones")
    yield m.checkout_offered(lucky, _new_payment(lucky, 133), _hold(lucky), 2, _NOW)
    again = _new_payment(lucky, 135)
    pending = lucky.model_copy(
        update={"payment_id": uuid(3, 133), "hold_expires_at": NOW + timedelta(minutes=20)}
    )
    yield m.replace_payment(pending, again, NOW)
    yield m.enter_queue(team("Just Arrived"), 4, 200, NOW)
    yield m.leave_queue(team("Patient People"), NOW)
    up = team("Next Up")
    yield m.offer_seat(up, _hold(up, 24 * 60), NOW)


def _mails() -> Iterator[Op[Any]]:
    yield m.count_mail(TODAY, 50_000, NOW)


def _money() -> Iterator[Op[Any]]:
    yield m.attach_order(_new_payment(team("Byte Brigade"), 107), "order_0107", NOW)
    yield m.note_attempt(payment(3, "created"), "authorized", notice(2, "payment.authorized"), NOW)
    yield m.note_delivery(notice(99, "order.paid"))
    pointers = m.Capture(
        payment(3, "authorized"), team("Null Pointers"), "pay_0003", "card", notice(3, "captured")
    )
    yield m.capture_payment(pointers, _CUT, _NOW)
    slow = m.Capture(payment(5, "expired"), team("Slow Payers"), "pay_0005", "upi")
    yield m.capture_late(slow, _NOW)
    yield m.confirm_capture(payment(5, "paid"), "pay_0005", notice(97, "order.paid"))
    late = m.Capture(payment(13, "expired"), team("Late Comers"), "pay_0013", "upi")
    yield m.refuse_late(late, refund(13, 13, FEE), NOW)
    twice = m.Capture(payment(1, "paid"), team("Code Warriors"), "pay_1001", "card")
    yield m.refuse_double(twice, refund(1, 1, FEE), NOW)
    second = payment(11, "paid")
    yield m.request_refund(second, refund(11, 11, FEE), team("Second Thoughts"), _NOW)
    yield m.send_refund(refund(11, 11, FEE), "rfnd_0011", NOW)
    yield m.settle_refund(second, refund(11, 11, FEE), True, NOW)
    yield m.fail_refund(payment(13, "late"), refund(13, 13, FEE), _NOW)
    yield m.refund_again(refund(13, 13, FEE), refund(13, 14, FEE))
    yield m.adopt_refund(payment(1, "paid"), refund(1, 2, 500), notice(98, "refund.created"), _NOW)
    yield m.postpone_refund(refund_due(11, 11), NOW + timedelta(minutes=1), 1)
    yield m.drop_refund_due(refund_due(1, 1))
    yield m.release_seat(team("Code Warriors"), NOW)
    yield m.save_voucher(voucher("STUDENTS", 25, 100))
    yield m.note_finding(finding(2))


def _organisers() -> Iterator[Op[Any]]:
    spring = config("spring-2027", 50).model_copy(update={"registration_open": False})
    yield m.create_event(event("spring-2027", "Spring"), spring, seats("spring-2027", 50, 50))
    yield m.delete_event(stored(spring), [], [], [])
    larger = stored(config(MAIN, 500)).model_copy(update={"max_teams": 520})
    yield m.change_config(larger, 20, NOW)
    yield m.save_question(question(3, "guardian", "Whom shall we call?"))
    yield m.drop_question(MAIN, 2, "shirt")
    yield m.grant_roles(role(92, "auditor"), role_holder(92, "auditor"))
    yield m.revoke_roles(blind("user-90"), MAIN)
    redeemed, pointers = checkin(4, "nonce-0002", 5), uuid(2, 3)
    yield m.check_in(scan("nonce-0002", 4, 5), redeemed, pointers, 1, _NOW)
    earlier, lost = scan("nonce-0004", 4, 2), scan("nonce-0002", 4, 5)
    first = checkin(4, "nonce-0004", 2)
    yield m.check_in_earlier(earlier, first, pointers, 1, redeemed, lost)
    yield m.note_scan(scan("nonce-0003", 4).model_copy(update={"result": "already_redeemed"}))
    yield m.undo_check_in(MAIN, uuid(1, 4), "entry", blind("user-90"), _NOW)
    yield m.issue_certificate(certificate("0123456789ABCDEF", 1), "entry")
    yield m.erase_certificate("0123456789ABCDEF")
    yield m.reseal(stored(person(1, MAIN, uuid(2, 1))))
    yield m.forget_repository(submission(1))
    yesterday = Moment(NOW - timedelta(days=1), date(2026, 11, 14))
    yield m.correct_statistics(MAIN, yesterday, uuid(1, 1), {"registrations": 2})
    yield m.correct_track_statistics(SMALL, yesterday, uuid(1, 1), "robotics", 2)


def _jobs() -> Iterator[Op[Any]]:
    yield m.start_job(job(2), turn(job(2)))
    yield m.take_job(job(1), 3, NOW)
    working = job(1, "running").model_copy(update={"done": 25, "total": 60, "position": "0"})
    yield m.note_progress(working, NOW)
    yield m.put_off_job(working, turn(working), turn(working, 5), NOW)
    ended = working.model_copy(update={"state": "done", "done": 60})
    yield m.end_job(ended, turn(working, 5), NOW)
    yield m.drop_turn(turn(job(2)))
