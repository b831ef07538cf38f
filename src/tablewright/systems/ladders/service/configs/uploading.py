"""New versions of the ladder, and what is wrong with a text."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused_at
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.ladders import reporting
from tablewright.systems.ladders.entities import ConfigVersion
from tablewright.systems.ladders.rules import ladder_text
from tablewright.systems.ladders.rules.ladder_text import Parsed
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.configs.looking import Looking
from tablewright.systems.ladders.service.configs.refusals import faulty, version_exists
from tablewright.systems.ladders.service.settling import settled

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Texts that are read at the same time: each takes a processor for a while.
_AT_ONCE = 2


class Uploading(Looking):
    """New versions."""

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self._reading = asyncio.Semaphore(_AT_ONCE)

    async def validate(self, by: Caller, text: bytes | str) -> Parsed:
        """The ladder that a text says, or all that is wrong with it. Nothing is stored."""
        by.require("manage_configs")
        return await self._parsed(text)

    async def upload(self, by: Caller, version: str, text: bytes | str) -> ConfigVersion:
        """A new version, which is not active yet.

        One transaction: the version, which is new; the audit entry. A text with faults is not
        stored at all.
        """
        by.require("manage_configs")
        parsed = await self._parsed(text)
        if parsed.ladder is None:
            raise faulty(parsed.errors)
        now = self._company.now()
        config = _checked(
            {
                "version": version,
                "config_content": text if isinstance(text, str) else text.decode(),
                "parsed_config": parsed.ladder,
                "created_by": by.user_id,
                "created_at": now,
                "updated_at": now,
            }
        )
        await self._stored(by, config)
        return await self._config(config.config_id)

    async def _stored(self, by: Caller, config: ConfigVersion) -> None:
        noted = self._company.auditing.noted(
            by, "config.upload", f"config/{config.config_id}", version=config.version
        )
        try:
            await settled(self._company.db, together(reporting.upload_config(config), noted))
        except TransactionCancelled as cancelled:
            raise (
                version_exists() if refused_at(cancelled, ConfigVersion) else cancelled
            ) from None

    async def _parsed(self, text: bytes | str) -> Parsed:
        """Read beside the loop: a large text can take seconds."""
        async with self._reading:
            return await asyncio.to_thread(ladder_text.parse, text)


def _checked(values: dict[str, object]) -> ConfigVersion:
    try:
        return ConfigVersion.model_validate(values)
    except ValidationError:
        raise invalid(
            FieldError("body.version", "must be three numbers, for example 1.1.0")
        ) from None
