"""``reconcile`` and ``refund``: our books beside the gateway's, and money that goes back."""

from __future__ import annotations

import secrets
from datetime import date, timedelta
from typing import TYPE_CHECKING, Annotated

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import checked, facts
from tablewright.service.wording import plain, several
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import Flag, Yes, money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.kurukshetra.payments import Finding


async def reconcile(
    festival: Festival, desk: Desk, /, event: str | None = None, *, day: str | None = None
) -> Answer:
    """Compare a day of our books with the gateway's, and put right what can be.

    Captures that nobody told of are applied, what was paid twice goes back, refunds that were made
    at the gateway are taken over. If there was something to find, the exit code is 1.

    Parameters
    ----------
    event
        Its id; else all events.
    day
        Such as 2026-12-05, at the event's place; else yesterday.
    """
    from tablewright.systems.kurukshetra import lists
    from tablewright.systems.kurukshetra.bodies.refunds import finding_out
    from tablewright.systems.kurukshetra.gateway import GatewayFailed
    from tablewright.systems.kurukshetra.service.gateway import unavailable

    wanted = meant.day(day, "--day")
    if event is None:
        names = [each.event_id async for each in festival.db.iterate(lists.events())]
    else:
        names = [(await meant.typist(festival, desk, event)).event_id]
    reports = []
    async with festival.lifespan():
        for number, name in enumerate(names, 1):
            desk.tick(f"{number} of {several(len(names), 'event')}: {name}")
            which = await _day(festival, name, wanted)
            try:
                reports.append(await festival.reconciling.run(name, which))
            except GatewayFailed as error:
                raise unavailable(error) from error
    found = [each for report in reports for each in report.findings]
    data = [
        {
            "event_id": report.event_id,
            "day": report.day.isoformat(),
            "compared": report.compared,
            "findings": [finding_out(each).model_dump(mode="json") for each in report.findings],
        }
        for report in reports
    ]
    compared = several(sum(each.compared for each in reports), "payment")
    first = f"{several(len(reports), 'event')}, {compared} of the gateway compared: "
    return Answer(_found(first, found), data, ok=not found)


async def _day(festival: Festival, event_id: str, wanted: date | None) -> date:
    """The one that was said, or yesterday at the event's place."""
    from tablewright.systems.kurukshetra.rules.local_time import local_day

    config = await festival.events.config(event_id)
    today = local_day(festival.now(), config.zone)
    if wanted is not None and wanted > today:
        raise invalid(FieldError("--day", "must not be in the future"))
    return today - timedelta(days=1) if wanted is None else wanted


def _found(first: str, found: Sequence[Finding]) -> list[Line]:
    if not found:
        return [f"{first}all of it agrees."]
    rows = [
        (each.event_id, each.kind, each.razorpay_payment_id or "-", plain(each.outcome))
        for each in found
    ]
    head = Styled(f"{first}{several(len(found), 'finding')}.", "yellow")
    return [head, *columns(("event", "finding", "payment", "what was done"), rows)]


async def refund(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    team: str,
    *,
    reason: str,
    amount: str | None = None,
    release: Annotated[bool, Flag] = False,
    key: str | None = None,
    yes: Annotated[bool, Yes] = False,
) -> Answer:
    """Pay something back to a team, and perhaps take its seat.

    Parameters
    ----------
    event
        The event's id.
    team
        The team's name or id.
    reason
        Why; it is kept with the refund.
    amount
        In the currency of the event, such as 500 or 499.50 rupees; else all that is left.
    release
        The team also gives up its seat, and who waits gets it.
    key
        A word of your own. With the same one the same refund is asked for once, however often.
        Without it one is made, and said before anything is done.
    yes
        Do not ask.
    """
    from tablewright.service.agreeing import agreed
    from tablewright.systems.kurukshetra.bodies.refunds import RefundIn, refund_out

    by = await meant.typist(festival, desk, event)
    found = await meant.team(festival, by, team)
    config = await festival.events.config(event)
    minor = None if amount is None else meant.amount(amount, "--amount", config.currency)
    body = checked(RefundIn, {"reason": reason, "amount": minor, "release": release})
    if key is not None and not key.strip():
        raise invalid(FieldError("--key", "is empty"))
    much = "all that is left" if minor is None else money(minor, config.currency)
    seat = " and take its seat" if release else ""
    agreed(desk, yes, f"Pay {much} back to {plain(found.name)}{seat}?")
    if key is None:
        key = secrets.token_hex(8)
        # Now: who is cut off in the middle, or gets no answer, needs it to ask again.
        desk.say(f"If this has to be repeated, add --key {key}")
    async with festival.lifespan():
        made = await festival.refunds.refund(by, found.team_id, body, key=key)
    pairs = [
        ("refund", made.refund_id),
        ("team", plain(found.name)),
        ("amount", money(made.amount, config.currency)),
        ("state", made.status),
        ("key", plain(key)),
    ]
    lines: list[Line] = [*facts(pairs)]
    if made.status in ("requested", "pending"):
        lines.append("The gateway is asked again until it has an end, where kurukshetra runs.")
    told = {**refund_out(made).model_dump(mode="json"), "key": key}
    return Answer(lines, told, ok=made.status != "failed")
