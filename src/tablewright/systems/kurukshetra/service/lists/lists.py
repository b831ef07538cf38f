"""Registrations and payments, for who runs an event."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from tablewright.client import Page
from tablewright.model import PageOp
from tablewright.model.errors import Incomplete, KeyValueError
from tablewright.service.problems import forbidden
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.fields import (
    PaymentStatus,
    folded,
    slug_of,
)
from tablewright.systems.kurukshetra.rules import phones
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.lists.rows import Row, Rows
from tablewright.systems.kurukshetra.service.lists.walking import (
    Wanted,
    payment_lanes,
    team_lanes,
    walk,
    walk_teams,
)

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: The order in which payments are listed.
_MONEY_FIRST: tuple[PaymentStatus, ...] = (
    *("paid", "partially_refunded", "refunded", "late"),
    *("authorized", "failed", "created", "expired"),
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_NUMBER = re.compile(r"\+?[0-9][0-9 ()/-]{5,24}\Z")


class Lists:
    """Page by page, as far as a role may see it."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self.rows = Rows(festival)

    # --- people ----------------------------------------------------------------------------------

    async def registrations(
        self, by: Caller, wanted: Wanted, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Row]:
        """Who registered: opened for organisers, masked for auditors. [4a, 4b, 4e]

        A filter by college looks at the people of that college, one by state or track at teams;
        without any, all are listed. What is left out afterwards makes a page shorter.
        """
        masked = self.masked_for(by)
        if wanted.q is not None:
            ids = await self._found(by, wanted.q.strip(), masked)
            rows = await self.rows.of(by.event_id, ids[:limit], masked=masked)
            return Page(tuple(each for each in rows if wanted.fits(each)))
        if wanted.by_team:
            return await self._by_team(by.event_id, wanted, masked, limit, cursor)

        async def read(links: Sequence[m.PeopleLink | m.Registration]) -> list[Row]:
            ids = [each.participant_id for each in links]
            rows = await self.rows.of(by.event_id, ids, masked=masked)
            return [each for each in rows if wanted.fits(each)]

        lanes = self._lanes(by.event_id, wanted)
        found, after = await walk(self._festival.db, lanes, cursor, limit, read)
        return Page(tuple(found), after)

    async def by_name(self, by: Caller, start: int, size: int) -> tuple[list[Row], int]:
        """Who registered in the order of their names, from a place on; and how many there are.

        For organisers: the order is that of the directory of the door, as of a minute ago at most.
        """
        by.require("organizer")
        ids, total = await self._festival.door.directories.page(by.event_id, start, size)
        return await self.rows.of(by.event_id, ids, masked=False), total

    def masked_for(self, by: Caller) -> bool:
        """Whether a role sees masks; a problem 403 if it sees nobody at all."""
        by.require("organizer", "auditor")
        return not by.has("organizer")

    def _lanes(self, event_id: str, wanted: Wanted) -> list[PageOp[Any]]:
        if wanted.college is None:
            return [m.people(event_id, shard) for shard in range(SHARDS)]
        slug = slug_of(wanted.college)
        return [] if slug is None else [m.people_of_college(event_id, slug)]

    async def _by_team(
        self, event_id: str, wanted: Wanted, masked: bool, limit: int, cursor: str | None
    ) -> Page[Row]:
        async def members(line: m.TeamLine) -> list[str]:
            return await self._members(event_id, line.team_id)

        lanes = team_lanes(event_id, wanted)
        ids, after = await walk_teams(self._festival.db, lanes, cursor, limit, members)
        return Page(tuple(await self.rows.of(event_id, ids, masked=masked)), after)

    async def _members(self, event_id: str, team_id: str) -> list[str]:
        try:
            page = await self._festival.db.run(m.team_page(event_id, team_id))
        except Incomplete:
            return []
        return [each.participant_id for each in page.members]

    # --- one person ------------------------------------------------------------------------------

    async def _found(self, by: Caller, q: str, masked: bool) -> list[str]:
        """Whom a text leads to; who sees masks finds whole teams by their name, and no person."""
        if _UUID.match(q):
            return [q]
        personal = "@" in q or _NUMBER.match(q) is not None
        if personal and masked:
            raise forbidden("Your role may not look for people.")
        try:
            if "@" in q:
                return await self._with_email(by.event_id, q)
            return await (
                self._with_phone(by.event_id, q)
                if personal
                else self._named(by.event_id, q, masked)
            )
        except (KeyValueError, ValueError):  # nobody can be called that
            return []

    async def _with_email(self, event_id: str, address: str) -> list[str]:
        found = self._festival.privacy.blind.email(address)
        lock = await self._festival.db.run(m.email_lock(event_id, found))
        return [] if lock is None else [lock.owner]

    async def _with_phone(self, event_id: str, number: str) -> list[str]:
        try:
            code = phones.code_of(self._festival.options.country)
            parsed = phones.parse(number, code)
        except phones.BadPhone:
            return []
        found = self._festival.privacy.blind.phone(parsed)
        links = await self._festival.db.run(m.people_with_phone(event_id, found), limit=100)
        return [each.participant_id for each in links]

    async def _named(self, event_id: str, q: str, masked: bool) -> list[str]:
        """The team that is called so, or everybody whose name or team has all words of a text."""
        team = await self._in_team(event_id, q)
        return team if team or masked else await self._festival.door.directories.ids_of(event_id, q)

    async def _in_team(self, event_id: str, name: str) -> list[str]:
        lock = await self._festival.db.run(m.team_name(event_id, folded(name)))
        return [] if lock is None else await self._members(event_id, lock.owner)

    # --- money -----------------------------------------------------------------------------------

    async def payments(
        self,
        by: Caller,
        *,
        status: PaymentStatus | None = None,
        since: date | None = None,
        until: date | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[m.Payment]:
        """Payments in one state after the other, each by day; they name nobody. [4c]

        Those that money came for are first, and those that nobody has finished last.
        """
        by.require("finance", "organizer", "auditor")
        statuses = _MONEY_FIRST if status is None else (status,)
        lanes = payment_lanes(by.event_id, statuses, since=since, until=until)

        async def read(lines: Sequence[m.PaymentLine]) -> list[m.Payment]:
            ids = [each.payment_id for each in lines]
            found = await self._festival.db.run(m.payments_listed(by.event_id, ids)) if ids else ()
            return [each for each in found if each is not None]

        rows, after = await walk(self._festival.db, lanes, cursor, limit, read)
        return Page(tuple(rows), after)

    async def find_payments(self, by: Caller, q: str) -> list[m.Payment]:
        """Payments by the name of their team, or by an id: ours, or one of the gateway's. [5b]"""
        by.require("finance", "organizer", "auditor")
        try:
            ids = await self._payment_ids(by.event_id, q.strip())
            found = await self._festival.db.run(m.payments_listed(by.event_id, ids)) if ids else ()
        except (KeyValueError, ValueError):  # nothing can be called that
            return []
        payments = [each for each in found if each is not None]
        return sorted(payments, key=lambda each: each.created_at, reverse=True)

    async def _payment_ids(self, event_id: str, text: str) -> list[str]:
        db = self._festival.db
        if _UUID.match(text.lower()):
            return [text.lower()]
        if text.startswith("pay_"):
            lock = await db.run(m.payment_lock(text[:80]))
            return [] if lock is None else [lock.owner]
        if text.startswith("order_"):
            link = await db.run(m.order_link(text[:80]))
            return [] if link is None else [link.payment_id]
        team = await db.run(m.team_name(event_id, folded(text)[:300]))
        if team is None:
            return []
        lines = await db.run(m.payments_of_team(event_id, team.owner))
        return [each.payment_id for each in lines]

    async def teams_of(self, by: Caller, payments: Sequence[m.Payment]) -> dict[str, m.Team]:
        """Whose payments these are, by the ids of teams. [5b]"""
        by.require("finance", "organizer", "auditor")
        ids = sorted({each.team_id for each in payments})
        found = await self._festival.db.run(m.teams_listed(by.event_id, ids)) if ids else ()
        return {each.team_id: each for each in found if each is not None}
