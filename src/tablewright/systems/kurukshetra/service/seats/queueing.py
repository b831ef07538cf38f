"""The queue, as who runs the event sees it: who waits, and who was offered a seat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tablewright.client import Page
from tablewright.systems.kurukshetra import lists, model
from tablewright.systems.kurukshetra.teams import Team, Wait

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Offers that are shown; there are never more than seats that became free within a day.
_OFFERS: Final = 100


@dataclass(frozen=True)
class Queued:
    """A team that waits."""

    team: Team
    #: Its number in the queue; lower ones come first.
    position: int
    since: datetime


class Queueing:
    """The queue, read."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def queue(self, by: Caller, limit: int, cursor: str | None) -> Page[Queued]:
        """Who waits at the caller's event, in their order. [5a]"""
        by.require("organizer", "auditor")
        page = await self._festival.db.run(lists.queue(by.event_id), limit=limit, cursor=cursor)
        waits = list(page)
        teams = await self._teams(by.event_id, [each.team_id for each in waits])
        found = (_queued(each, teams.get(each.team_id)) for each in waits)
        return Page(tuple(each for each in found if each is not None), page.cursor)

    async def offers(self, by: Caller) -> list[Team]:
        """Who was offered a seat and has not begun to pay, the first to lose it first. [4a]"""
        by.require("organizer", "auditor")
        op = lists.teams_by_status(by.event_id, "offered")
        lines = await self._festival.db.run(op, limit=_OFFERS)
        teams = await self._teams(by.event_id, [each.team_id for each in lines])
        open_ = [each for each in teams.values() if each.payment_status == "offered"]
        return sorted(open_, key=lambda each: each.hold_expires_at or each.updated_at)

    async def _teams(self, event_id: str, ids: Sequence[str]) -> dict[str, Team]:
        if not ids:
            return {}
        found = await self._festival.db.run(model.teams_listed(event_id, ids))
        return {each.team_id: each for each in found if each is not None}


def _queued(wait: Wait, team: Team | None) -> Queued | None:
    """None for who has left since the queue was read."""
    if team is None or team.wait_position != wait.position:
        return None
    return Queued(team, wait.position, wait.created_at)
