"""Forms that are not sent yet: kept sealed, forgotten after thirty days."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import orjson
from pydantic import JsonValue

from tablewright.model.errors import VersionConflict
from tablewright.service.conflicts import busy
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.kurukshetra import reads, registering
from tablewright.systems.kurukshetra.people import Draft
from tablewright.systems.kurukshetra.plain import Plain, text_of
from tablewright.systems.kurukshetra.rules import retention
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

MOST_BYTES: Final = 60_000
#: Two tabs that save at the same time; the last one counts.
_TRIES: Final = 8


@dataclass(frozen=True)
class KeptDraft:
    """A form as far as it is filled in."""

    data: dict[str, JsonValue]
    updated_at: datetime


class Drafts:
    """Forms that are not sent yet."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def read(self, by: Caller) -> KeptDraft | None:
        """The caller's own. [1c]"""
        found = await self._festival.db.run(reads.draft(by.uid_hash, by.event_id))
        return None if found is None else self.opened(found)

    def opened(self, draft: Draft) -> KeptDraft:
        """What a stored draft says."""
        data: dict[str, JsonValue] = orjson.loads(
            text_of(self._festival.privacy.vault.opened(draft).data)
        )
        return KeptDraft(data, draft.updated_at)

    async def save(self, by: Caller, data: dict[str, JsonValue]) -> KeptDraft:
        """Keep it in place of what was there: one write, at the version that was just read."""
        text = _text(data)
        for _ in range(_TRIES):
            before = await self._festival.db.run(reads.draft(by.uid_hash, by.event_id))
            made = self._made(by, text, before)
            try:
                await self._festival.db.run(registering.save_draft(made))
            except VersionConflict:
                continue
            return KeptDraft(data, made.updated_at)
        raise busy("BUSY")

    async def drop(self, by: Caller) -> None:
        """Forget it; a second time changes nothing."""
        await self._festival.db.run(registering.drop_draft(by.uid_hash, by.event_id))

    def _made(self, by: Caller, text: str, before: Draft | None) -> Draft:
        now = self._festival.now()
        made = Draft(
            uid_hash=by.uid_hash,
            event_id=by.event_id,
            data=Plain(text),
            ttl=retention.ends(now, retention.DRAFT),
            created_at=now if before is None else before.created_at,
            updated_at=now,
            version=0 if before is None else before.version,
        )
        return self._festival.privacy.vault.sealed(made)


def _text(data: dict[str, JsonValue]) -> str:
    # Lone surrogates are JSON, but no text: they are written as escapes.
    text = json.dumps(data, separators=(",", ":"))
    if len(text) > MOST_BYTES:
        raise invalid(FieldError("body.data", f"has more than {MOST_BYTES} bytes"))
    return text
