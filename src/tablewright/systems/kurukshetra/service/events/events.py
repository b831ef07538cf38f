"""Events: made, looked at, changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from tablewright.client import Page
from tablewright.model import Transaction, together
from tablewright.model.errors import Incomplete, TransactionCancelled
from tablewright.model.ops import InTransaction
from tablewright.service.conflicts import outdated, refused, refused_at, settled
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem, conflict, invalid, not_found
from tablewright.service.remembered import Remembered
from tablewright.service.typed import field_errors
from tablewright.systems.kurukshetra import lists, organising, reads
from tablewright.systems.kurukshetra.bodies.events import ConfigChange, EventIn
from tablewright.systems.kurukshetra.events import Config, Event, Question, Seats
from tablewright.systems.kurukshetra.fields import Moment
from tablewright.systems.kurukshetra.people import EVERYWHERE
from tablewright.systems.kurukshetra.reads import Setup
from tablewright.systems.kurukshetra.rules import local_time, windows
from tablewright.systems.kurukshetra.rules.windows import Phase
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.events.questions import Questions
from tablewright.systems.kurukshetra.service.events.roles import Roles
from tablewright.systems.kurukshetra.service.events.vouchers import Vouchers
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.service.versions import check_seen, outdated_change

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: How old the settings may be that a process goes by. Conditions of writes hold to the second.
_KNOWN_SECS: Final = 2.0
_SLUG: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_MOST_SLUG: Final = 60
#: Longer than a request may take: none that has begun before goes on writing after it.
_LAST_REQUESTS: Final = timedelta(minutes=1)
#: Items of one transaction, less those that every deletion has.
_MOST_DELETED: Final = 90
#: What pages and routes are called that stand where an event's name would.
_TAKEN: Final = {
    EVERYWHERE,
    *("admin", "api", "assets", "auth", "certificate", "certificates", "checkout", "docs"),
    *("door", "events", "health", "jobs", "keys", "me", "new", "openapi", "payment", "payments"),
    *("redoc", "sandbox", "sign-in", "sign-out", "static"),
}


@dataclass(frozen=True)
class PublicEvent:
    """What everybody may know."""

    config: Config
    seats: Seats
    questions: tuple[Question, ...]
    phase: Phase


class Events:
    """Events: made, looked at, changed."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self.questions = Questions(festival)
        self.vouchers = Vouchers(festival)
        self.roles = Roles(festival)
        # "There is none" is not kept: an event that was just made is there.
        self._setups: Remembered[str, Setup | None] = Remembered(
            self._read, festival.runtime.clock, secs=_KNOWN_SECS, nothing_secs=0.0, size=1000
        )

    # --- looking ---------------------------------------------------------------------------------

    async def all(self, limit: int | None = None, cursor: str | None = None) -> Page[Event]:
        """All events there are, by their ids. [1c]"""
        return await self._festival.db.run(lists.events(), limit=limit, cursor=cursor)

    async def listed(self, limit: int | None = None, cursor: str | None = None) -> Page[Event]:
        """The events that are on the public list; a page may be shorter than its limit. [1c]"""
        page = await self.all(limit, cursor)
        return Page(tuple(each for each in page if each.visibility == "public"), page.cursor)

    async def check_published(self, event_id: str) -> None:
        """Raise the problem 404 for a draft, as for an event that does not exist."""
        if (await self.config(event_id)).visibility == "draft":
            raise not_found("event")

    async def public(self, event_id: str, *, drafts: bool = False) -> PublicEvent:
        """What everybody may know, as of two seconds ago at most; a draft is not there for them."""
        found = await self.setup(event_id)
        if found.config.visibility == "draft" and not drafts:
            raise not_found("event")
        phase = windows.phase(found.config, self._festival.now())
        return PublicEvent(found.config, found.seats, found.questions, phase)

    async def setup(self, event_id: str) -> Setup:
        """Settings, seats and questions, as of two seconds ago at most; 404 if there are none."""
        return _there(await self._setups.get(event_id) if is_event_id(event_id) else None)

    async def setup_now(self, event_id: str) -> Setup:
        """The same as it is."""
        self._setups.forget(event_id)
        return await self.setup(event_id)

    async def config(self, event_id: str) -> Config:
        """The settings, as of two seconds ago at most; a problem 404 if there are none."""
        return (await self.setup(event_id)).config

    def moment(self, config: Config) -> Moment:
        """Now, and the day it is at the event's place."""
        return local_time.moment_of(self._festival.now(), config.zone)

    def forget(self, event_id: str) -> None:
        """This process has changed something about the event: seats, say."""
        self._setups.forget(event_id)

    async def _read(self, event_id: str) -> Setup | None:
        try:
            return await self._festival.db.run(reads.setup(event_id))
        except Incomplete:
            return None

    # --- making and changing ---------------------------------------------------------------------

    async def create(self, by_user: Caller, body: EventIn) -> Setup:
        """A new event, with all of its seats free.

        One transaction: the event's line in the list, settings and seats, each on condition that
        there is none, and the audit entry.
        """
        by_user.require("organizer")
        if body.event_id in _TAKEN:
            raise invalid(FieldError("body.event_id", "is the name of something else here"))
        now = self._festival.now()
        values = {**body.settings(), "created_at": now, "updated_at": now}
        config = _validated(values)
        subject, detail = f"event/{config.event_id}", {"max_teams": config.max_teams}
        noted = recorded(by_user.principal, "event.create", subject, at=now, detail=detail)
        op = together(organising.create_event(_line(config), config, _seats(config)), noted)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise conflict("EVENT_EXISTS", "There is an event of this id already.") from None
            raise
        return await self.setup_now(config.event_id)

    async def change(self, by: Caller, body: ConfigChange, said: Precondition) -> Setup:
        """Other settings, from those that somebody has seen; seats follow ``max_teams``. [T8]

        One transaction: the settings on condition that they are the latest, the seats on condition
        that as many are free as are to go, the event's line in the list, and the audit entry. From
        its commit on, no checkout gets a seat outside the window that it says.
        """
        by.require("organizer")

        def changed(before: Setup) -> tuple[Config, Sequence[InTransaction[Any]]]:
            after = _validated({**before.config.model_dump(), **body.settings()})
            return after, ()

        return await self.rewritten(by, "event.change", said, changed)

    async def delete(self, by: Caller) -> None:
        """Delete the caller's event, which nobody has ever registered for.

        One transaction: the settings at the version that was read, with registration closed; the
        seats, all free; the event's line in the list, its questions, roles and vouchers; and the
        audit entry. Registration has been closed for a minute, which is longer than any request
        takes: a registration that has begun before is stored by now, and is seen.
        """
        by.require("organizer")
        setup = await self.setup_now(by.event_id)
        config, db = setup.config, self._festival.db
        closed_for = self._festival.now() - config.updated_at
        if config.registration_open or (config.version > 1 and closed_for < _LAST_REQUESTS):
            raise conflict("EVENT_OPEN", "Close registration, wait a minute, and delete it then.")
        if await self._was_used(by.event_id):
            detail = "People have registered for this event. Hide it instead of deleting it."
            raise conflict("EVENT_IN_USE", detail)
        holders = [each async for each in db.iterate(lists.role_holders(by.event_id))]
        vouchers = [each async for each in db.iterate(lists.voucher_codes(by.event_id))]
        if 2 * (len(holders) + len(vouchers)) + len(setup.questions) > _MOST_DELETED:
            detail = "Remove some helpers or vouchers first: they are too many for one deletion."
            raise conflict("EVENT_IN_USE", detail)
        noted = self._festival.access.noted(by, "event.delete", event_name=config.event_name)
        op = together(organising.delete_event(config, setup.questions, holders, vouchers), noted)
        try:
            await settled(db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if outdated(cancelled) or refused(cancelled):
                raise outdated_change() from None
            raise
        self._setups.forget(by.event_id)
        self._festival.access.forget_event(by.event_id)

    async def _was_used(self, event_id: str) -> bool:
        """Whether anybody has ever registered: each registration is counted with it."""
        days = lists.statistics(event_id, date(2000, 1, 1), date(9000, 1, 1))
        return bool(await self._festival.db.run(days, limit=1))

    async def rewritten(
        self,
        by: Caller,
        action: str,
        said: Precondition,
        change: Callable[[Setup], tuple[Config, Sequence[InTransaction[Any]]]],
    ) -> Setup:
        """The set-up as ``change`` makes it of the latest, with what it writes besides. [T8]

        All changes of a set-up go through the version of its settings: of two at the same time, the
        second is refused.
        """
        before = await self.setup_now(by.event_id)
        check_seen(said, before.config.version)
        after, more = change(before)
        names = _changed(before.config, after)
        if not names and not more:
            return before
        op = self._written(by, action, before, after, more, names)
        try:
            # In its turn: the checkouts of a sale would be in its way all the time.
            async with self._festival.seats.turn(by.event_id):
                await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if outdated(cancelled):
                raise outdated_change() from None
            if refused_at(cancelled, Seats):
                raise _in_use() from None
            raise
        self._setups.forget(by.event_id)
        await self._festival.seats.freed(by.event_id)
        return await self.setup_now(by.event_id)

    def _written(
        self,
        by: Caller,
        action: str,
        before: Setup,
        after: Config,
        more: Sequence[InTransaction[Any]],
        names: list[str],
    ) -> Transaction[tuple[object, ...]]:
        now = self._festival.now()
        seats = after.max_teams - before.config.max_teams
        stored = after.model_copy(update={"updated_at": now})
        noted = self._festival.access.noted(by, action, changed=names)
        return together(organising.change_config(stored, seats, now), *more, noted)


def is_event_id(text: str) -> bool:
    """Whether an event could be called so; else it is not even looked for."""
    return len(text) <= _MOST_SLUG and _SLUG.match(text) is not None


def _there(found: Setup | None) -> Setup:
    if found is None:
        raise not_found("event")
    return found


def _line(config: Config) -> Event:
    return Event.model_validate(config.model_dump(include=set(Event.model_fields) - {"version"}))


def _seats(config: Config) -> Seats:
    said = config.model_dump(include=set(Seats.model_fields) - {"version"})
    return Seats.model_validate({**said, "capacity": config.max_teams, "free": config.max_teams})


def _validated(values: dict[str, object]) -> Config:
    """Settings of these values, or a problem 422 with all that is wrong."""
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        found = field_errors(error)
        raise invalid(*(FieldError(_place(each.field), each.message) for each in found)) from None


def _place(field: str) -> str:
    return "body" if field == "all of it" else f"body.{field}"


def _changed(before: Config, after: Config) -> list[str]:
    names = set(Config.model_fields) - {"updated_at", "version"}
    return sorted(each for each in names if getattr(before, each) != getattr(after, each))


def _in_use() -> Problem:
    detail = "More seats than that are taken or held. Seats that are in use cannot go."
    return conflict("CAPACITY_IN_USE", detail)
