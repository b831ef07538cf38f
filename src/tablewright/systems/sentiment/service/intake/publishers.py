"""Publishers: the first fifty are counted by name, the others together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, OutcomeUnknown
from tablewright.systems.sentiment.rules.publishers import counted_as, is_settled, slug
from tablewright.systems.sentiment.writes import add_source_key

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Publishers:
    """What publishers are counted as."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        #: Names never leave the settings, so what was there once is there.
        self._known: frozenset[str] = frozenset()

    async def key_of(self, name: str) -> str:
        """The key of a publisher, which is made known if there is room.

        One conditional update: there are fewer than fifty. Who is refused looks again, for another
        process may have made the same name known just now.
        """
        key = slug(name)
        if not is_settled(key, self._known):
            await self._look()
        if not is_settled(key, self._known):
            await self._add(key)
        return counted_as(key, self._known)

    async def _add(self, key: str) -> None:
        try:
            await self._newsroom.db.run(add_source_key(key))
            self._known |= {key}
        except (ConditionFailed, OutcomeUnknown):
            pass
        self._newsroom.setup.forget()
        await self._look()

    async def _look(self) -> None:
        settings = await self._newsroom.setup.current()
        self._known |= settings.source_keys
