"""What holds for the whole system, and its first values."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import AlreadyExists, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.problems import FieldError, conflict, invalid
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.analysers import vader
from tablewright.systems.sentiment.config import Settings
from tablewright.systems.sentiment.shapes import MAX_SHARDS

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: How long a process goes by what it has read.
_KEPT_SECS = 3.0


class Setup:
    """The settings of the whole system."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._kept: Remembered[str, Settings] = Remembered(
            self._load, newsroom.runtime.clock, secs=_KEPT_SECS, stale_secs=300
        )

    async def open(self) -> None:
        """The first settings and the bundled models, if they are not there."""
        for model in self._newsroom.models.bundled():
            with suppress(AlreadyExists):
                await self._newsroom.db.run(writes.register_model(model))
        await self.install()

    async def install(self) -> None:
        """The first settings; what is set stays. One update that changes nothing twice."""
        await self._newsroom.db.run(writes.install_settings(vader.version()))
        self.forget()

    async def current(self) -> Settings:
        """The settings, as they were a few seconds ago at most."""
        return await self._kept.get("")

    def forget(self) -> None:
        """Read them again: this process has changed them."""
        self._kept.forget("")

    async def raise_shards(self, shards: int, by: Principal) -> Settings:
        """Spread counts over more items. One transaction with its audit entry; its condition: there
        are fewer now. Readers look at all of them from then on, whatever old writers still use."""
        if not 1 <= shards <= MAX_SHARDS:
            raise invalid(FieldError("shards", f"must be between 1 and {MAX_SHARDS}"))
        before = (await self.current()).shards
        entry = audit.record(
            by,
            "settings.shards",
            "settings",
            at=self._newsroom.now(),
            detail={"shards": [before, shards]},
        )
        try:
            await self._newsroom.db.run(together(writes.raise_shards(shards), entry))
        except TransactionCancelled as refused:
            detail = "Counts are spread over as many items already, or more; never over fewer."
            raise conflict("SHARDS_ONLY_RISE", detail) from refused
        finally:
            self.forget()
        return await self.current()

    async def _load(self, _: str) -> Settings:
        found = await self._newsroom.db.run(config_reads.settings())
        if found is None:
            await self._newsroom.db.run(writes.install_settings(vader.version()))
            found = await self._newsroom.db.require(config_reads.settings())
        return found
