"""All rows of an app: its 256 buckets, several at a time, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from tablewright.client import AsyncDb
from tablewright.systems.pricekeeper.config import App
from tablewright.systems.pricekeeper.reads import apps, ledger_bucket
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.spend import Ledger

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_BUCKETS = tuple(f"{number:02x}" for number in range(256))
#: Queries at the same time, and rows that each may bring: what is held in memory.
_AT_ONCE, _PAGE = 8, 500
#: Days of totals, unless others are asked for.
USUAL_DAYS = 35


def days_before(day: str, days: int) -> str:
    """The day so many days before another."""
    return f"{date.fromisoformat(day) - timedelta(days=days):%Y%m%d}"


@dataclass(frozen=True)
class Days:
    """A range of days, both ends included; an end that is None is open."""

    first: str | None = None
    last: str | None = None

    def __contains__(self, day: object) -> bool:
        if not isinstance(day, str):
            return False
        return (self.first or "") <= day and (self.last is None or day <= self.last)

    def closed(self, today: str) -> tuple[str, str]:
        """Both ends, where an open one would be too much: up to today, and the usual days of it."""
        last = self.last or today
        return self.first or days_before(last, USUAL_DAYS - 1), last


ALL_DAYS = Days()


async def rows_of_app(
    db: AsyncDb, org_id: str, app_id: str, days: Days = ALL_DAYS
) -> AsyncIterator[Ledger]:
    """Every row of an app's ledger, in no particular order."""
    waiting: list[tuple[str, str | None]] = [(bucket, None) for bucket in _BUCKETS]
    while waiting:
        reading, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        pages = await asyncio.gather(
            *(
                db.run(ledger_bucket(org_id, app_id, bucket), limit=_PAGE, cursor=cursor)
                for bucket, cursor in reading
            )
        )
        for (bucket, _), page in zip(reading, pages, strict=True):
            if page.cursor is not None:
                waiting.insert(0, (bucket, page.cursor))
            for row in page:
                if row.day in days:
                    yield row
        # Where the engine is near, nothing above has waited: let others have a turn.
        await asyncio.sleep(0)


async def apps_of(db: AsyncDb, org_id: str, app_id: str | None) -> list[str]:
    """The one app that is asked for, or all that an organisation has had."""
    if app_id is not None:
        return [app_id]
    return [app.app_id async for app in db.iterate(apps(org_id))]


async def bookkeeping(keeper: Keeper, org_id: str, app_id: str) -> Account | None:
    """An app's account as books need it: also if the app, or all, is disabled or deleted."""
    org = await keeper.directory.org(org_id)
    if org is None:
        return None
    app = await keeper.directory.app(org_id, app_id)
    if app is None:
        app = App(
            org_id=org_id,
            app_id=app_id,
            app_name=app_id,
            status="DELETED",
            created_at_epoch=org.created_at_epoch,
            updated_at_epoch=org.updated_at_epoch,
        )
    return Account(org, app)
