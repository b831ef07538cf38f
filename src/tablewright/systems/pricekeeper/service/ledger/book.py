"""The book: one record with its corrections, and the way to everything that reads them all."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.problems import not_found
from tablewright.systems.pricekeeper.reads import ledger_row
from tablewright.systems.pricekeeper.service.ledger.export import ledger_csv, totals_csv
from tablewright.systems.pricekeeper.service.ledger.reconciling import Reconciled, Reconciling
from tablewright.systems.pricekeeper.service.ledger.repricing import Repriced, Repricing
from tablewright.systems.pricekeeper.service.ledger.scanning import (
    ALL_DAYS,
    Days,
    apps_of,
    bookkeeping,
    rows_of_app,
)
from tablewright.systems.pricekeeper.shapes import bucket_of
from tablewright.systems.pricekeeper.spend import Ledger

if TYPE_CHECKING:
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.pricekeeper.service.keeper import Keeper


@dataclass(frozen=True)
class Record:
    """One record, and its corrections, the latest first."""

    row: Ledger
    corrections: tuple[Ledger, ...] = ()


class LedgerBook:
    """What can be learnt from the ledger, and put right by it."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def record(self, org_id: str, app_id: str, request_id: str) -> Record:
        """One record, whatever it is; a problem 404 if there is none, or none any more."""
        found = await self._row(org_id, app_id, request_id)
        if found is None:
            raise not_found("record")
        corrections: list[Ledger] = []
        latest = found.last_correction if found.kind == "USAGE" else None
        while latest is not None:
            row = await self._row(org_id, app_id, latest)
            if row is None:  # the oldest ones may have ended
                break
            corrections.append(row)
            latest = row.last_correction
        return Record(found, tuple(corrections))

    def rows(self, org_id: str, app_id: str, days: Days = ALL_DAYS) -> AsyncIterator[Ledger]:
        """All rows of an app, in no particular order."""
        return rows_of_app(self._keeper.db, org_id, app_id, days)

    # --- exports ---------------------------------------------------------------------------------

    def export_ledger(
        self, org_id: str, app_id: str | None = None, days: Days = ALL_DAYS
    ) -> AsyncIterator[bytes]:
        """The rows of an app, or of all apps, as CSV."""
        return ledger_csv(self._keeper.db, org_id, app_id, days)

    def export_totals(
        self, org_id: str, app_id: str | None, first: str, last: str
    ) -> AsyncIterator[bytes]:
        """The totals of days, label by label, as CSV."""
        return totals_csv(self._keeper.db, org_id, app_id, first, last)

    # --- putting right ---------------------------------------------------------------------------

    async def reconcile(
        self,
        org_id: str,
        app_id: str | None = None,
        *,
        fix: bool = False,
        force: bool = False,
    ) -> Reconciled:
        """Compare the ledger with counters and totals, of one app or of all.

        ``fix`` counts what counters lack; ``force`` also takes away what the ledger lacks.
        """
        return await Reconciling(self._keeper, fix=fix, force=force).run(org_id, app_id)

    async def reprice(
        self,
        org_id: str,
        app_id: str | None = None,
        *,
        days: Days = ALL_DAYS,
        label: str | None = None,
        apply: Actor | None = None,
    ) -> Repriced:
        """What records would cost at the prices that are known now.

        Nothing is changed unless ``apply`` says who has it changed, by corrections.
        """
        repricing = Repricing(self._keeper, days=days, label=label, actor=apply)
        for each in await apps_of(self._keeper.db, org_id, app_id):
            account = await bookkeeping(self._keeper, org_id, each)
            if account is None:
                raise not_found("organisation")
            await repricing.run(account)
        return repricing.result

    async def _row(self, org_id: str, app_id: str, request_id: str) -> Ledger | None:
        op = ledger_row(org_id, app_id, bucket_of(request_id), request_id)
        return await self._keeper.db.run(op)
