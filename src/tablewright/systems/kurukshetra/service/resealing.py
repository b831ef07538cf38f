"""New keys for what is sealed: everything is sealed again under the newest, while work goes on.

All keys of the ring open, the newest seals. So nobody waits for this, and an item that somebody
writes meanwhile is left to them: it is sealed under the newest key by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.model import PageOp
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.kit.audit import Actor
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import is_sealed
from tablewright.systems.kurukshetra.privacy.opening import FIELDS
from tablewright.systems.kurukshetra.privacy.vault import sealed_fields
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

Every: TypeAlias = Callable[[], PageOp[Any]]

#: Everything that holds sealed texts.
EVERY: tuple[Every, ...] = (
    m.every_participant,
    m.every_answer,
    m.every_team,
    m.every_invited,
    m.every_draft,
    m.every_certificate,
    m.every_role_holder,
)
#: Other processes look for new keys once a minute; until then they seal under the old one.
SETTLED_SECS = 120.0


@dataclass
class Resealed:
    """What was done."""

    looked_at: int = 0
    resealed: int = 0
    #: By the kind of item.
    kinds: Counter[str] = field(default_factory=Counter)
    #: Somebody else wrote them at the same time.
    passed_over: int = 0


class Resealing:
    """Keys of personal data: a new one, and everything under it."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        #: The newest key, since when this process knows it, and whether all is under it.
        self._kid, self._since, self._clean = "", 0.0, False

    async def rotate(self, actor: Actor) -> str:
        """Add a key, which seals from now on; its id. The worker does the rest."""
        kid = self._festival.keys.rotate(FIELDS)
        self._festival.keys.ring(FIELDS).renew()
        now = self._festival.now()
        noted = recorded(actor, "keys.rotate", f"key/{FIELDS}/{kid}", at=now)
        await self._festival.db.run(noted)
        return kid

    def due(self) -> bool:
        """Whether something may lie under an older key."""
        ring, clock = self._festival.keys.ring(FIELDS), self._festival.runtime.clock
        if len(ring) < 2:
            return False
        if ring.current.kid != self._kid:
            self._kid, self._since, self._clean = ring.current.kid, clock.now(), False
        return not self._clean

    async def work(self) -> Resealed:
        """Seal again what lies under an older key; nothing is read if there is none."""
        if not self.due():
            return Resealed()
        began = self._festival.runtime.clock.now()
        done = await self.run()
        # Only a look that found nothing, late enough, says that nothing is left.
        late = began - self._since >= SETTLED_SECS
        self._clean = late and not done.resealed and not done.passed_over
        return done

    async def run(self) -> Resealed:
        """Look at everything there is."""
        done = Resealed()
        async for item in self._all():
            done.looked_at += 1
            if self._festival.privacy.vault.outdated(item):
                await self._reseal(item, done)
        return done

    async def under(self) -> dict[str, int]:
        """How many texts lie under each key: one may be retired when nothing does."""
        found: Counter[str] = Counter({key.kid: 0 for key in self._festival.keys.ring(FIELDS)})
        async for item in self._all():
            for each in sealed_fields(type(item)):
                text = getattr(item, each.name)
                if isinstance(text, str) and is_sealed(text):
                    found[text.split(".", 2)[1]] += 1
        return dict(found)

    async def _reseal(self, item: m.Sealing, done: Resealed) -> None:
        """One transaction, on condition that the item is as it was read."""
        renewed = self._festival.privacy.vault.renewed(item)
        try:
            await settled(self._festival.db, lambda: m.reseal(renewed))
        except TransactionCancelled as cancelled:
            if not (refused(cancelled) or outdated(cancelled)):
                raise
            done.passed_over += 1
            return
        done.resealed += 1
        done.kinds[type(item).__name__] += 1

    async def _all(self) -> AsyncIterator[m.Sealing]:
        for every in EVERY:
            async for item in self._festival.db.iterate(every()):
                yield item
