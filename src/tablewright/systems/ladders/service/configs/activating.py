"""Which version is active.

A pointer says so, and the version itself has a mark for the index. All of it changes in one
transaction, at the revision of the pointer that was read: of two who change it at the same time one
wins, and the other one is told.
"""

from __future__ import annotations

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.systems.ladders import reporting
from tablewright.systems.ladders.entities import ActiveConfig, ConfigVersion
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.configs.looking import ActiveVersion, Looking
from tablewright.systems.ladders.service.configs.refusals import config_conflict, no_previous
from tablewright.systems.ladders.service.revisions import check_if_given, revision_conflict
from tablewright.systems.ladders.service.settling import settled


class Activating(Looking):
    """Which version is active."""

    async def activate(
        self, by: Caller, config_id: str, said: Precondition = UNSAID
    ) -> ActiveVersion:
        """Make a version the active one; plans that have begun keep theirs.

        One transaction: the old version, if there is one, loses its mark; the new one, which
        exists, gets it; the pointer, at the revision that was read; the audit entry. What is active
        already stays as it is. ``said`` is about the pointer. For admins; who may not even read the
        version is told that there is none.
        """
        chosen = await self.read(by, config_id)
        by.require("manage_configs")
        pointer = await self._pointer()
        if pointer is not None and pointer.active_config_id == chosen.config_id:
            return ActiveVersion(chosen, pointer)
        return await self._switched(by, chosen, pointer, said, "config.activate")

    async def rollback(self, by: Caller, said: Precondition = UNSAID) -> ActiveVersion:
        """Make the version active that was so before. The same transaction as activating."""
        by.require("manage_configs")
        pointer = await self._pointer()
        if pointer is None or pointer.previous_config_id is None:
            raise no_previous()
        chosen = await self._config(pointer.previous_config_id)
        return await self._switched(by, chosen, pointer, said, "config.rollback")

    # --- inside ----------------------------------------------------------------------------------

    async def _switched(
        self,
        by: Caller,
        chosen: ConfigVersion,
        pointer: ActiveConfig | None,
        said: Precondition,
        action: str,
    ) -> ActiveVersion:
        check_if_given(said, 0 if pointer is None else pointer.revision)
        try:
            await settled(self._company.db, self._switch(by, chosen, pointer, action))
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            return await self._lost(chosen, said, cancelled)
        return await self.active(by)

    def _switch(
        self, by: Caller, chosen: ConfigVersion, pointer: ActiveConfig | None, action: str
    ) -> Op[object]:
        now = self._company.now()
        after = ActiveConfig(
            active_config_id=chosen.config_id,
            previous_config_id=None if pointer is None else pointer.active_config_id,
            version=chosen.version,
            created_by=by.user_id if pointer is None else pointer.created_by,
            created_at=now if pointer is None else pointer.created_at,
            updated_at=now,
            revision=0 if pointer is None else pointer.revision,
        )
        noted = self._company.auditing.noted(
            by, action, f"config/{chosen.config_id}", version=chosen.version
        )
        return together(reporting.activate_config(chosen.config_id, after, now), noted)

    async def _lost(
        self, chosen: ConfigVersion, said: Precondition, cancelled: TransactionCancelled
    ) -> ActiveVersion:
        """Somebody was quicker: perhaps they wanted the same."""
        pointer = await self._pointer()
        if pointer is not None and pointer.active_config_id == chosen.config_id:
            return ActiveVersion(await self._config(chosen.config_id), pointer)
        given = said.if_match is not None and outdated(cancelled)
        raise revision_conflict() if given else config_conflict()
