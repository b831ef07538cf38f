"""Whom and what somebody means who types: an event, a team, a person."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from tablewright.service.commands import Desk
from tablewright.service.problems import FieldError, Problem, invalid, missing
from tablewright.service.wording import plain
from tablewright.systems.kurukshetra.cli.given import Festival

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.teams import Team


async def typist(festival: Festival, desk: Desk, event: str) -> Caller:
    """Who types, at an event: they may do everything, and what they do is written down."""
    try:
        return await festival.access.caller(desk.by, event)
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        hint = "tablewright kurukshetra event list shows which there are."
        raise missing(f"There is no event {plain(event)!r}.", hint) from None


async def team(festival: Festival, by: Caller, text: str) -> Team:
    """A team by its id, or by its name in any case."""
    from tablewright.systems.kurukshetra import reads
    from tablewright.systems.kurukshetra.fields import folded
    from tablewright.systems.kurukshetra.rules.ids import is_uuid

    found: str | None = text.lower()
    if not is_uuid(text.lower()):
        lock = None
        if 1 <= len(folded(text)) <= 300:
            lock = await festival.db.run(reads.team_name(by.event_id, folded(text)))
        found = None if lock is None else lock.owner
    stored = None if found is None else await festival.db.run(reads.team(by.event_id, found))
    if stored is None:
        raise missing(f"There is no team {plain(text)!r} at {by.event_id}.")
    return stored


async def person(festival: Festival, by: Caller, text: str) -> str:
    """The id of somebody: it may be typed, or their e-mail address."""
    from tablewright.service.email_addresses import EmailError, parse_email
    from tablewright.systems.kurukshetra import reads
    from tablewright.systems.kurukshetra.rules.ids import is_uuid

    if is_uuid(text.lower()):
        return text.lower()
    try:
        hashed = festival.privacy.blind.email(parse_email(text))
    except EmailError:
        raise invalid(FieldError("who", "is an e-mail address, or the id of a person")) from None
    lock = await festival.db.run(reads.email_lock(by.event_id, hashed))
    if lock is None:
        raise missing(f"Nobody has registered for {by.event_id} with this address.")
    return lock.owner


def amount(text: str, option: str, currency: str) -> int:
    """An amount in the currency itself, in its minor units: 499.50 rupees are 49950 paise."""
    from tablewright.service.amounts import AmountError, parse_amount
    from tablewright.systems.kurukshetra.rules.fees import minor_digits

    decimals = minor_digits(currency)
    try:
        parsed = parse_amount(text, decimals=decimals, currency=currency)
    except AmountError as error:
        raise invalid(FieldError(option, str(error))) from None
    return int(parsed.scaleb(decimals))


def day(text: str | None, option: str) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise invalid(FieldError(option, f"{plain(text)!r} is no day: 2026-12-05")) from None
