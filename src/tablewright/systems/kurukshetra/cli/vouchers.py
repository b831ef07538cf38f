"""``voucher ...``: what takes something off the fee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.problems import Problem
from tablewright.service.typed import checked, facts
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import example, moment, money

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.payments import Voucher
    from tablewright.systems.kurukshetra.service.callers import Caller

app = App(name="voucher", help="Vouchers: a part or an amount off the fee, so many times.")


@app.command(name="list", help_epilogue=example("voucher list kurukshetra-2026"))
async def list_vouchers(festival: Festival, desk: Desk, /, event: str) -> Answer:
    """List the vouchers of an event.

    Parameters
    ----------
    event
        Its id.
    """
    from tablewright.systems.kurukshetra.bodies.organising import voucher_out

    by = await meant.typist(festival, desk, event)
    found = await _all(festival, by)
    if not found:
        return Answer(["There is no voucher yet: tablewright kurukshetra voucher save"], [])
    config = await festival.events.config(event)
    rows = [
        (
            each.code,
            _takes(each, config.currency),
            f"{each.remaining:,}",
            moment(each.valid_until, config.zone),
        )
        for each in found
    ]
    lines = columns(("voucher", "takes off", "left", "until"), rows, {"left"})
    return Answer(lines, [voucher_out(each).model_dump(mode="json") for each in found])


@app.command(
    help_epilogue=example(
        "voucher save kurukshetra-2026 EARLYBIRD --percent 10 --uses 50 --until 2026-11-30"
    )
)
async def save(
    festival: Festival,
    desk: Desk,
    /,
    event: str,
    code: str,
    *,
    percent: int | None = None,
    fixed: str | None = None,
    uses: int | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Answer:
    """Make a voucher, or change one; of one that is there, what is not said stays.

    Parameters
    ----------
    event
        Its id.
    code
        What people type: letters, digits and hyphens.
    percent
        What it takes off, of a hundred; 100 makes the seat free.
    fixed
        What it takes off, in the currency of the event, such as 250 or 99.50 rupees, instead of a
        percentage.
    uses
        How often it can still be used.
    since
        From when on: a day, or a time, at the event's place; else from now on.
    until
        Until when; else until registration ends.
    """
    from tablewright.service.preconditions import UNSAID, Precondition
    from tablewright.systems.kurukshetra.bodies.organising import VoucherIn, voucher_out

    by = await meant.typist(festival, desk, event)
    before = await _found(festival, by, code.strip().upper())
    values = await _values(festival, event, before, since, until)
    config = await festival.events.config(event)
    minor = None if fixed is None else meant.amount(fixed, "--fixed", config.currency)
    off = {"percent": percent, "fixed": minor}
    if percent is not None or fixed is not None:
        values |= off
    values |= {"code": code.strip().upper()} | ({} if uses is None else {"remaining": uses})
    seen = UNSAID if before is None else Precondition.seen(before.version)
    made = await festival.events.vouchers.save(by, checked(VoucherIn, values), seen)
    pairs = [
        ("voucher", made.code),
        ("takes off", _takes(made, config.currency)),
        ("left", f"{made.remaining:,}"),
        ("from", moment(made.valid_from, config.zone)),
        ("until", moment(made.valid_until, config.zone)),
    ]
    return Answer(facts(pairs), voucher_out(made).model_dump(mode="json"))


async def _values(
    festival: Festival, event: str, before: Voucher | None, since: str | None, until: str | None
) -> dict[str, object]:
    """As it was; or for a new one, from now until registration ends."""
    from tablewright.systems.kurukshetra.cli.event_files import moment_of

    config = await festival.events.config(event)
    kept: dict[str, object] = {
        "valid_from": festival.now(),
        "valid_until": config.registration_end,
    }
    if before is not None:
        names = {"percent", "fixed", "remaining", "valid_from", "valid_until"}
        kept = before.model_dump(include=names)
    if since is not None:
        kept["valid_from"] = moment_of("--since", False, since, config.zone)
    if until is not None:
        kept["valid_until"] = moment_of("--until", True, until, config.zone)
    return kept


async def _found(festival: Festival, by: Caller, code: str) -> Voucher | None:
    try:
        return await festival.events.vouchers.read(by, code)
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        return None


async def _all(festival: Festival, by: Caller) -> list[Voucher]:
    found: list[Voucher] = []
    cursor: str | None = None
    while True:
        page = await festival.events.vouchers.list(by, 100, cursor)
        found += page
        cursor = page.cursor
        if cursor is None:
            return found


def _takes(voucher: Voucher, currency: str) -> str:
    if voucher.percent is not None:
        return f"{voucher.percent} %"
    return money(voucher.fixed or 0, currency)
