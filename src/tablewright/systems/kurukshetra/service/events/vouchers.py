"""Vouchers: what they take off the fee, and how often."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import not_found
from tablewright.systems.kurukshetra import lists, paying, reads
from tablewright.systems.kurukshetra.bodies.organising import VoucherIn
from tablewright.systems.kurukshetra.payments import Voucher
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.versions import check_new, check_seen, outdated_change

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_CODE: Final = re.compile(r"[A-Z0-9-]{3,40}\Z")


class Vouchers:
    """Vouchers: what they take off the fee, and how often."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def list(
        self, by: Caller, limit: int | None = None, cursor: str | None = None
    ) -> Page[Voucher]:
        """All vouchers of the event, by their codes. [5b]"""
        by.require("organizer", "finance", "auditor")
        db = self._festival.db
        page = await db.run(lists.voucher_codes(by.event_id), limit=limit, cursor=cursor)
        if not page:
            return Page((), page.cursor)
        found = await db.run(reads.vouchers(by.event_id, [each.code for each in page]))
        return Page(tuple(each for each in found if each is not None), page.cursor)

    async def read(self, by: Caller, code: str) -> Voucher:
        """One voucher; a problem 404 if there is none."""
        by.require("organizer", "finance", "auditor")
        found = await self._found(by.event_id, code)
        if found is None:
            raise not_found("voucher")
        return found

    async def save(self, by: Caller, body: VoucherIn, said: Precondition) -> Voucher:
        """A voucher, new or as somebody has seen it.

        One transaction: the voucher on condition that it is the latest, or that there is none; its
        line in the list; and the audit entry. Each use of it counts as a change: what ``remaining``
        is set to is what the author has seen.
        """
        by.require("organizer")
        before = await self._found(by.event_id, body.code)
        if before is None:
            check_new(said)
        else:
            check_seen(said, before.version)
        made = self._made(by.event_id, body, before)
        noted = self._festival.access.noted(
            by, "voucher.save", code=body.code, remaining=body.remaining
        )
        op = together(paying.save_voucher(made), noted)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if outdated(cancelled) or refused(cancelled):
                raise outdated_change() from None
            raise
        return await self.read(by, body.code)

    def _made(self, event_id: str, body: VoucherIn, before: Voucher | None) -> Voucher:
        now = self._festival.now()
        own = {"event_id": event_id, "created_at": now, "updated_at": now}
        if before is not None:
            own |= {"created_at": before.created_at, "version": before.version}
        return Voucher.model_validate({**body.model_dump(), **own})

    async def _found(self, event_id: str, code: str) -> Voucher | None:
        if not _CODE.match(code):
            return None
        return await self._festival.db.run(reads.voucher(event_id, code))
