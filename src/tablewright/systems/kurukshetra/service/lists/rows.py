"""People with their teams, opened for who may see them and masked for who may not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.kurukshetra import model as m

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


@dataclass(frozen=True)
class Row:
    """Somebody who registered."""

    participant: m.Participant
    team: m.Team | None


class Rows:
    """Reads them, many at once."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def of(self, event_id: str, ids: Sequence[str], *, masked: bool) -> list[Row]:
        """In this order, without who is gone."""
        if not ids:
            return []
        found = await self._festival.db.run(m.participants(event_id, ids))
        people = [each for each in found if each is not None and each.erased_at is None]
        teams = await self._teams(event_id, people)
        return [Row(self.shown(each, masked), teams.get(each.team_id or "")) for each in people]

    def shown(self, person: m.Participant, masked: bool) -> m.Participant:
        privacy = self._festival.privacy
        if masked:
            return privacy.masks.masked(person, sign_of(person))
        return privacy.vault.opened(person)

    async def _teams(self, event_id: str, people: Iterable[m.Participant]) -> dict[str, m.Team]:
        wanted = sorted({each.team_id for each in people if each.team_id is not None})
        if not wanted:
            return {}
        found = await self._festival.db.run(m.teams_listed(event_id, wanted))
        return {each.team_id: each for each in found if each is not None}


def sign_of(person: m.Participant) -> str:
    """Who it is in all exports: the same person has the same mask at every event."""
    return person.email_hash or person.participant_id
