"""The texts of mails: a title, a text, and the page to go to.

A message is stored and goes to webhooks as it is, so no name stands in it. ``{name}``, ``{team}``
and ``{inviter}`` are filled in when the mail is sent.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, Literal, NamedTuple, TypeAlias

from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.rules.fees import written
from tablewright.systems.kurukshetra.rules.local_time import zone_of

RefundReason: TypeAlias = Literal["organizer", "late", "double", "gateway"]


#: How mails to people who have registered begin.
_HELLO: Final = "Hello {name},\n\n"


class Mail(NamedTuple):
    """What one mail says."""

    title: str
    text: str
    #: Below ``/kurukshetra``.
    page: str


def page_of(event_id: str, name: str = "") -> str:
    """A page of an event."""
    return f"/events/{event_id}/{name}" if name else f"/events/{event_id}"


def local(at: datetime, zone: str) -> str:
    """``4 December 2026, 09:00 (Asia/Kolkata)``: as the clock there shows it."""
    there = at.astimezone(zone_of(zone))
    return f"{there.day} {there:%B %Y, %H:%M} ({zone})"


def welcome(config: Config) -> Mail:
    return Mail(
        "You are registered",
        _HELLO + "Next comes your team: start one, or join one with the code that its leader "
        "gives you. "
        f"Teams have {_sizes(config)}. The leader has to {_settle(config)} for all of you by "
        f"{local(config.registration_end, config.zone)}; a place is yours once that is done.",
        page_of(config.event_id, "team"),
    )


def confirmation(config: Config, payment: Payment) -> Mail:
    paid = written(payment.amount, payment.currency) if payment.amount else "Nothing was to pay"
    said = f"We have received {paid}." if payment.amount else f"{paid}."
    return Mail(
        "{team} has its place",
        _HELLO + f"The place of {{team}} is paid. {said} Reference: {payment.payment_id}. "
        f"It begins on {local(config.event_start, config.zone)}. Your ticket is under the link "
        "below; bring it to the door. Each member gets a mail with a link to their own ticket.",
        page_of(config.event_id, "ticket"),
    )


def ticket(config: Config) -> Mail:
    return Mail(
        "Your ticket with {team}",
        _HELLO + f"Your team {{team}} has its place at {config.event_name}. "
        f"It begins on {local(config.event_start, config.zone)}. Your ticket is under the link "
        "below; bring it to the door.",
        page_of(config.event_id, "ticket"),
    )


def hold_ended(config: Config, now: datetime, *, offered: bool) -> Mail:
    why = (
        "The seat that was offered to {team} at "
        f"{config.event_name} was not taken in time, so it is no longer held. "
        if offered
        else f"We have not received the payment of {{team}} at {config.event_name} in time, so "
        "its seat is no longer held. "
    )
    closes = local(config.registration_end, config.zone)
    again = (
        f"To try again, open your team under the link below and {_settle(config)} by {closes}. If "
        "no seat is free, you can join the waitlist there. "
        if config.registration_open and now <= config.registration_end
        else "Registration is closed, so a new payment is not possible. "
    )
    charged = (
        ""
        if offered
        else "If your bank shows the amount as taken, do not pay again: the payment still counts "
        "while a seat is free, and is refunded otherwise."
    )
    return Mail(
        "The seat of {team} is no longer held",
        (_HELLO + why + again + charged).rstrip(),
        page_of(config.event_id, "team"),
    )


def payment_failed(config: Config, payment: Payment) -> Mail:
    return Mail(
        "The payment for {team} did not go through",
        _HELLO + f"{written(payment.amount, payment.currency)} could not be charged. Your seat "
        "is still held for a short while: try again, or with another card, before the time on the "
        "page is up. If your bank shows the amount as taken, it comes back by itself.",
        page_of(config.event_id, "team"),
    )


def offer(config: Config, until: datetime) -> Mail:
    return Mail(
        "A seat is free for {team}",
        _HELLO + "You were next on the waitlist. The seat is held for you until "
        f"{local(until, config.zone)}: {_settle(config)} by then, or it goes to the next team.",
        page_of(config.event_id, "team"),
    )


def refund(config: Config, payment: Payment, amount: int, why: RefundReason) -> Mail:
    return Mail(
        "We refund {team}",
        _HELLO + f"We return {written(amount, payment.currency)}: {_WHY[why]} It goes the way "
        f"it came and takes your bank up to ten days. Reference: {payment.payment_id}.",
        page_of(config.event_id, "team"),
    )


def closing(config: Config) -> Mail:
    return Mail(
        "{team} has no place yet",
        _HELLO + f"Registration ends on {local(config.registration_end, config.zone)}. "
        f"Until then your team needs {_sizes(config)}, and you have to {_settle(config)}; teams "
        "that are not done by then cannot take part.",
        page_of(config.event_id, "team"),
    )


def starting(config: Config) -> Mail:
    return Mail(
        "It starts soon",
        _HELLO + f"It begins on {local(config.event_start, config.zone)}. Your ticket is "
        "under the link below: open it before you leave, the door scans it from your screen.",
        page_of(config.event_id, "ticket"),
    )


def invitation(config: Config, team_id: str) -> Mail:
    return Mail(
        "{inviter} invites you to join {team}",
        f"{{inviter}} would like you in the team {{team}} at {config.event_name}. Sign in with "
        "this address, register and join under the link below. The invitation is valid for 14 "
        f"days, at most until {local(config.roster_lock_at, config.zone)}. If you do not want to "
        "join, ignore this mail: the invitation and your address will be deleted.",
        page_of(config.event_id, f"join?team={team_id}"),
    )


def certificate(code: str) -> Mail:
    return Mail(
        "Your certificate is ready",
        _HELLO + f"Thank you for taking part. The certificate has the code {code}: whoever you "
        "show it to can check it under the link below.",
        f"/certificates/{code}",
    )


def broadcast(config: Config, subject: str, text: str) -> Mail:
    return Mail(subject, text, page_of(config.event_id))


def _sizes(config: Config) -> str:
    least, most = config.min_team_size, config.max_team_size
    if least == most:
        return f"{most} member{'' if most == 1 else 's'}"
    return f"{least} to {most} members"


def _settle(config: Config) -> str:
    """What a leader does to have a seat."""
    if not config.team_fee:
        return "take the place, which costs nothing,"
    return f"pay {written(config.team_fee, config.currency)}"


_WHY: Final[dict[RefundReason, str]] = {
    "organizer": "the organisers have decided so.",
    "late": "it arrived when the seat was no longer held.",
    "double": "it was paid twice.",
    "gateway": "the payment provider has begun it.",
}
