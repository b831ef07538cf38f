"""Versions of the ladder, who may read them, and what one changes in another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import ActiveConfig, ConfigVersion, Plan
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.rules import ladder_diff
from tablewright.systems.ladders.rules.ladder_diff import LadderDiff
from tablewright.systems.ladders.rules.rights import Fact
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Ladders that a process remembers: what a version says does not change.
_REMEMBERED = 8
_IN_USE: frozenset[Fact] = frozenset(("in_use",))
_WHAT = "version of the ladder"


@dataclass(frozen=True)
class ActiveVersion:
    """The active version, and the pointer to it, whose revision an activation is made with."""

    config: ConfigVersion
    pointer: ActiveConfig


@dataclass(frozen=True)
class Versions:
    """All versions, the highest first."""

    configs: tuple[ConfigVersion, ...]
    #: None until one is activated.
    pointer: ActiveConfig | None


class Looking:
    """Finding versions."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._ladders: dict[str, Ladder] = {}

    async def list(self, by: Caller) -> Versions:
        """Every version, for admins. There are never many, and each is read whole. [C3, C4]"""
        by.require("manage_configs")
        pointer = await self._pointer()
        found = [each async for each in self._company.db.iterate(reads.all_configs())]
        found.sort(key=lambda each: _numbers(each.version), reverse=True)
        return Versions(tuple(found), pointer)

    async def active(self, by: Caller) -> ActiveVersion:
        """The active version, for everybody who has signed in. [C4]"""
        by.require("read_active_config")
        pointer = await self._pointer()
        if pointer is None:
            raise not_found("active ladder")
        return ActiveVersion(await self._config(pointer.active_config_id), pointer)

    async def read(self, by: Caller, config_id: str) -> ConfigVersion:
        """A version, for admins; the active one, and those of one's own reviews, for others. [C1]

        Its text is ``config_content``, as it was uploaded.
        """
        facts = frozenset[Fact]() if by.admin else await self._facts(by, config_id)
        by.require("read_config", facts, what=_WHAT)
        return await self._config(config_id)

    async def diff(self, by: Caller, config_id: str, other_id: str) -> LadderDiff:
        """What the other version changes, as seen from the first one, for admins.

        Who may not even read both is told that there are none.
        """
        old, new = await self.read(by, config_id), await self.read(by, other_id)
        by.require("manage_configs")
        return ladder_diff.diff(old.parsed_config, new.parsed_config)

    async def ladder(self, plan: Plan) -> Ladder:
        """The ladder of a plan, whoever asks."""
        known = await self._ladder(plan.config_id)
        if known is None:
            raise not_found(_WHAT)
        return known

    async def ladder_of(self, version: str) -> Ladder | None:
        """The ladder of a version by its number, whoever asks."""
        return await self._ladder(ids.config_id(version))

    async def by_version(self, version: str) -> ConfigVersion | None:
        """A version by its number, whoever asks. [C5]"""
        return await self._company.db.run(reads.config(ids.config_id(version)))

    async def pointer(self) -> ActiveConfig | None:
        """Which version is active, whoever asks. [C4]"""
        return await self._pointer()

    # --- inside ----------------------------------------------------------------------------------

    async def _ladder(self, config_id: str) -> Ladder | None:
        known = self._ladders.get(config_id)
        if known is None:
            config = await self._company.db.run(reads.config(config_id))
            if config is None:
                return None
            known = config.parsed_config
            while len(self._ladders) >= _REMEMBERED:
                del self._ladders[next(iter(self._ladders))]
            self._ladders[config_id] = known
        return known

    async def _pointer(self) -> ActiveConfig | None:
        return await self._company.db.run(reads.active_config())

    async def _config(self, config_id: str) -> ConfigVersion:
        db = self._company.db
        found = await db.run(reads.config(config_id)) if ids.is_uuid(config_id) else None
        if found is None:
            raise not_found(_WHAT)
        return found

    async def _facts(self, by: Caller, config_id: str) -> frozenset[Fact]:
        """Whether it is the active one, or that of a review that the caller had a part in."""
        pointer = await self._pointer()
        if pointer is not None and pointer.active_config_id == config_id:
            return _IN_USE
        async for plan_ids in self._reviews(by):
            if any(each.config_id == config_id for each in await self._plans(plan_ids)):
                return _IN_USE
        return frozenset()

    async def _reviews(self, by: Caller) -> AsyncIterator[Sequence[str]]:
        """Plans in which the caller was assessed, then those of the teams of today."""
        db = self._company.db
        lines = db.iterate(reads.assessments_of_user(by.user_id))
        yield sorted({each.plan_id async for each in lines})
        for team_id in sorted(by.user.team_ids | by.user.managed_team_ids):
            yield [each.plan_id async for each in db.iterate(reads.plans_of_team(team_id))]

    async def _plans(self, plan_ids: Sequence[str]) -> tuple[Plan, ...]:
        found = await self._company.db.run(reads.plans(plan_ids)) if plan_ids else ()
        return tuple(each for each in found if each is not None)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
