"""Hackathons: made, changed, opened, released, put away."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from tablewright.client import Page
from tablewright.model import Op, Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused_at, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import FieldError, Problem, conflict, invalid, not_found, stale
from tablewright.service.typed import field_errors
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.analysis import HackathonCost
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.entities import Hackathon, HackathonDetail, OrgUsage
from tablewright.systems.vibejudge.reads import PublicHackathon
from tablewright.systems.vibejudge.rules.editing import (
    BLENDED,
    EDITABLE,
    SCORED,
    check_act,
    check_edit,
)
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions and jobs change a hackathon too; so often an edit is tried on what they have left.
_TRIES = 8


def revision(hackathon: HackathonDetail) -> int:
    """What a change is made with: another number when something that can be edited is another.

    Not the version, which every submission raises: who edits would never be done.
    """
    said = hackathon.model_dump(
        mode="json", include=set(EDITABLE) | {"status", "release_id", "released_at"}
    )
    digest = sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS, default=str)).digest()
    return int.from_bytes(digest[:6], "big")


class Hackathons:
    """Hackathons: made, changed, opened, released, put away."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- looking ---------------------------------------------------------------------------------

    async def owned(self, caller: Caller, hack_id: str) -> HackathonDetail:
        """A hackathon of the caller's, as it is now; a problem 404 if it is not theirs. [AP4]"""
        found = await self._found(hack_id)
        if found is None or not (caller.admin or found.org_id == caller.org_id):
            raise not_found("hackathon")
        return found

    async def of(
        self, caller: Caller, limit: int | None = None, cursor: str | None = None
    ) -> Page[Hackathon]:
        """The caller's own hackathons, the latest first. [AP3]"""
        op = reads.hackathons_of_organizer(caller.registered())
        return await self._courtroom.db.run(op, limit=limit, cursor=cursor)

    async def public(
        self, limit: int | None = None, cursor: str | None = None
    ) -> Page[PublicHackathon]:
        """The gallery, the latest start first; a page may be short, since drafts are not in it."""
        op = reads.public_hackathons()
        page = await self._courtroom.db.run(op, limit=limit, cursor=cursor)
        return Page(tuple(each for each in page if each.status != "draft"), page.cursor)

    async def public_one(self, hack_id: str) -> HackathonDetail:
        """One that everybody may see; a problem 404 if it is private, or still a draft."""
        found = await self._found(hack_id)
        if found is None or found.visibility != "public" or found.status == "draft":
            raise not_found("hackathon")
        return found

    async def _found(self, hack_id: str) -> HackathonDetail | None:
        if not is_id(hack_id):
            return None
        return await self._courtroom.db.run(reads.hackathon(hack_id))

    # --- making and changing ---------------------------------------------------------------------

    async def create(self, caller: Caller, body: HackathonIn) -> HackathonDetail:
        """A new draft. [T2]

        One transaction: the hackathon, its row in the list, its costs, its timer, the year's usage
        on condition that the tier allows one more, the organiser, and the audit entry.
        """
        org_id = caller.registered()
        allowance = await self._courtroom.organizers.allowance(org_id)
        now = self._courtroom.now()
        made = _validated(
            {**body.settings(), "org_id": org_id, "created_at": now, "updated_at": now}
        )
        self._courtroom.models.check_known(made)
        op = writes.create_hackathon(made, allowance.hackathons_a_year, now)
        noted = self._noted(caller, "hackathon.create", made, {"name": made.name})
        try:
            await self._settle(together(op, noted))
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, OrgUsage):
                raise _tier_limit(allowance.hackathons_a_year) from None
            raise
        return await self.owned(caller, made.hack_id)

    async def edit(
        self, caller: Caller, hack_id: str, body: HackathonIn, said: Precondition = UNSAID
    ) -> HackathonDetail:
        """Other settings, from those that somebody has seen. [T3]

        One transaction: the hackathon on condition that it is the latest, its row in the list, with
        another budget its costs on condition that so much is left, its timer, the audit entry.
        """

        def edited(before: HackathonDetail) -> HackathonDetail:
            said.check(revision(before))
            after = _validated({**before.model_dump(), **body.settings()})
            changed = _changed(before, after)
            check_edit(before, changed)
            if {"agent_models", "agent_provider", "agents_enabled"} & set(changed):
                self._courtroom.models.check_known(after)
            return after

        return await self._rewritten(caller, hack_id, "hackathon.change", edited)

    async def activate(self, caller: Caller, hack_id: str) -> HackathonDetail:
        """A draft takes submissions from now on. [T3]"""

        def activated(before: HackathonDetail) -> HackathonDetail:
            check_act(before, "activate")
            if before.start_date is None or before.end_date is None:
                raise conflict("NOT_READY", "It needs a start_date and an end_date first.")
            return before.model_copy(update={"status": "configured"})

        return await self._rewritten(caller, hack_id, "hackathon.activate", activated)

    async def reopen(self, caller: Caller, hack_id: str) -> HackathonDetail:
        """A completed one takes changes again; its results are taken back. [T3]"""

        def reopened(before: HackathonDetail) -> HackathonDetail:
            check_act(before, "reopen")
            return before.model_copy(
                update={
                    "status": "configured",
                    "release_id": None,
                    "released_at": None,
                    "public_ranks": None,
                }
            )

        return await self._rewritten(caller, hack_id, "hackathon.reopen", reopened)

    async def archive(
        self, caller: Caller, hack_id: str, said: Precondition = UNSAID
    ) -> HackathonDetail:
        """Put away for good, to be read and nothing else. A second time changes nothing. [T3]"""

        def archived(before: HackathonDetail) -> HackathonDetail:
            said.check_if_given(revision(before))
            if before.status != "archived":
                check_act(before, "archive")
            return before.model_copy(update={"status": "archived"})

        return await self._rewritten(caller, hack_id, "hackathon.archive", archived)

    # --- inside ----------------------------------------------------------------------------------

    async def _rewritten(
        self,
        caller: Caller,
        hack_id: str,
        action: str,
        change: Callable[[HackathonDetail], HackathonDetail],
    ) -> HackathonDetail:
        """What ``change`` makes of the latest; again, if something was written in between."""
        for _ in range(_TRIES):
            before = await self.owned(caller, hack_id)
            after = change(before)
            changed = _changed(before, after)
            if not changed and before.status == after.status:
                return before
            noted = self._noted(caller, action, after, {"changed": sorted(changed)})
            # What judges gave weighs something else now: final scores are computed again.
            reweighed = before.status != "draft" and bool(changed & (BLENDED | SCORED))
            again = [self._courtroom.judging.blending.request(hack_id)] if reweighed else []
            try:
                await self._settle(together(self._edit(before, after), noted, *again))
            except TransactionCancelled as cancelled:
                if outdated(cancelled):
                    continue
                if refused_at(cancelled, HackathonCost):
                    raise _budget_spent() from None
                raise
            if reweighed:
                self._courtroom.judging.blending.nudge(hack_id)
            return await self.owned(caller, hack_id)
        raise stale()

    async def _settle(self, op: Op[object]) -> None:
        await settled(self._courtroom.db, lambda: op)

    def _edit(self, before: HackathonDetail, after: HackathonDetail) -> Op[object]:
        now = self._courtroom.now()
        stays = after.end_date is not None and after.status != "archived"
        moved = stays and (before.end_date != after.end_date)
        return writes.edit_hackathon(
            after.model_copy(update={"updated_at": now}),
            now,
            budget_change=after.budget_limit_usd - before.budget_limit_usd,
            timer=writes.timer_of(after, now) if moved else None,
            untimed=before.end_date is not None and not stays,
        )

    def _noted(
        self, caller: Caller, action: str, hackathon: HackathonDetail, detail: dict[str, object]
    ) -> Put[AuditEntry]:
        now = self._courtroom.now()
        subject = f"hackathon/{hackathon.hack_id}"
        return audit.record(caller.principal, action, subject, at=now, detail=detail)


def _validated(values: dict[str, object]) -> HackathonDetail:
    """A hackathon of these values, or a problem 422 with all that is wrong."""
    try:
        return HackathonDetail.model_validate(values)
    except ValidationError as error:
        raise invalid(
            *(
                FieldError(
                    "body" if each.field == "all of it" else f"body.{each.field}", each.message
                )
                for each in field_errors(error)
            )
        ) from None


def _changed(before: HackathonDetail, after: HackathonDetail) -> set[str]:
    return {name for name in EDITABLE if getattr(before, name) != getattr(after, name)}


def _tier_limit(limit: int | None) -> Problem:
    detail = f"Your tier allows {limit} hackathons a year, and you have made them."
    return Problem(403, "TIER_LIMIT", detail)


def _budget_spent() -> Problem:
    detail = "More than that is spent or set aside already. Choose a larger budget."
    return conflict("BUDGET_SPENT", detail)
