"""Labels: names that callers know, and the models behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tablewright.client import Page
from tablewright.model import together
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.problems import FieldError, invalid, not_found
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.bodies import LabelIn
from tablewright.systems.pricekeeper.config import Label
from tablewright.systems.pricekeeper.rules.ids import checked_label
from tablewright.systems.pricekeeper.rules.models import class_of

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


class SavedLabel(NamedTuple):
    """A label as it is now, and whether there was none."""

    label: Label
    created: bool


class Labels:
    """The labels, as administrators see them."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def page(self, *, limit: int | None = None, cursor: str | None = None) -> Page[Label]:
        """All labels, by name."""
        return await self._keeper.db.run(reads.labels(), limit=limit, cursor=cursor)

    async def get(self, name: str) -> Label:
        """One label; a problem 404 if there is none."""
        found = await self._keeper.db.run(reads.label(checked_label(name)))
        if found is None:
            raise not_found("label")
        return found

    async def put(self, name: str, body: LabelIn, by: Principal) -> SavedLabel:
        """Set what is behind a label. One transaction with its audit entry; the last one counts.

        Spend is counted by label, so what was recorded before keeps the model that it names.
        """
        before = await self._keeper.db.run(reads.label(checked_label(name)))
        label = _label(name, body)
        if label != before:
            entry = audit.record(
                by,
                "label.put",
                f"label/{name}",
                at=self._keeper.now(),
                detail={
                    "bedrock_model_id": label.bedrock_model_id,
                    "was": before and before.bedrock_model_id,
                },
            )
            await self._keeper.db.run(together(writes.save_label(label), entry))
        self._keeper.directory.forget_label(name)
        return SavedLabel(label, before is None)


def _label(name: str, body: LabelIn) -> Label:
    """The label; how far its requests travel is said by the id of a profile, or else the body."""
    known, given = class_of(body.bedrock_model_id), body.region_class
    if known is not None and given not in (None, known):
        message = f"is {given}, but the model's id is that of a profile of the class {known}"
        raise invalid(FieldError("body.region_class", message))
    fields = body.model_dump(exclude={"region_class"})
    return Label(**fields, label=name, region_class=given or known or "region")
