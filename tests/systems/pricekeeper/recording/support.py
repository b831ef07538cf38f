"""An organisation whose apps report usage, and a look at its books."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.systems.pricekeeper.access.support import keeping

from tablewright.client import RequestEvent
from tablewright.clock import Clock
from tablewright.model import put
from tablewright.model.errors import AlreadyExists
from tablewright.systems.pricekeeper.config import App, Label, Org, Price
from tablewright.systems.pricekeeper.reads import usage_shards
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.rows import UsageId, sums_of
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.samples import (
    BATCH,
    NOW,
    ORG,
    PRICED_FROM,
    WEB,
    label_named,
    organisation,
    price_of,
)
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import Outcome
from tablewright.systems.pricekeeper.shapes import UsageKey
from tablewright.systems.pricekeeper.spend import AMOUNTS, Ledger
from tablewright.testing.backends import Backend

START = int(NOW.timestamp())
LABELS = ("premium", "standard", "economy")
#: More shards than any organisation here has.
MOST_SHARDS = 16

__all__ = ["BATCH", "NOW", "ORG", "START", "WEB", "keeping"]


def org_with(org_id: str = ORG, **changes: Any) -> Org:
    """An organisation in New York without reservations."""
    off = {"reservations": "off", "reservations_from_epoch": None}
    return organisation(org_id).model_copy(update={**off, **changes})


def app_with(app_id: str = WEB, org_id: str = ORG) -> App:
    return App(
        org_id=org_id, app_id=app_id, app_name=app_id, created_at_epoch=NOW, updated_at_epoch=NOW
    )


def settings(*orgs: Org) -> list[Org | App | Label | Price]:
    """Organisations with two apps each, and all labels with a price."""
    found: list[Org | App | Label | Price] = []
    for org in orgs:
        found += (org, app_with(WEB, org.org_id), app_with(BATCH, org.org_id))
    for name in LABELS:
        found += (label_named(name), price_of(name, PRICED_FROM - timedelta(days=100)))
    return found


@asynccontextmanager
async def recording(
    backend: Backend,
    clock: Clock,
    *orgs: Org,
    heard: list[RequestEvent] | None = None,
    **options: Any,
) -> AsyncIterator[Keeper]:
    """A keeper at work. ``heard`` gets all requests to the store, from here on."""
    async with keeping(backend, clock, **options) as keeper:
        for each in settings(*(orgs or (org_with(),))):
            with suppress(AlreadyExists):  # from an earlier start
                await keeper.db.run(put(each))
        if heard is not None:
            keeper.db.context = replace(keeper.db.context, hook=heard.append)
        async with keeper.lifespan():
            yield keeper


async def account_of(keeper: Keeper, app_id: str = WEB, org_id: str = ORG) -> Account:
    return await keeper.directory.account(org_id, app_id)


def usage(request_id: str | None = None, **changes: Any) -> Usage:
    """A report of a call of the best model."""
    said: dict[str, Any] = {
        "request_id": request_id or str(uuid.uuid4()),
        "label": "premium",
        "timestamp": START,
        "input_tokens": 1200,
        "output_tokens": 300,
        **changes,
    }
    return Usage(**said)


async def record(keeper: Keeper, *usages: Usage, app_id: str = WEB) -> list[Outcome]:
    return await keeper.recorder.record(await account_of(keeper, app_id), usages)


def results(outcomes: Iterable[Outcome]) -> list[str]:
    """What became of each: its result, or the code of its problem."""
    return [each.problem.code if each.problem else each.result for each in outcomes]


def flushes(heard: Sequence[RequestEvent]) -> list[RequestEvent]:
    """The flushes among requests."""
    return [event for event in heard if event.pattern == "flush"]


# --- books ---------------------------------------------------------------------------------------


async def rows_of(keeper: Keeper, *app_ids: str, org_id: str = ORG) -> list[Ledger]:
    """The whole ledger."""
    apps = app_ids or (WEB, BATCH)
    return [row for app_id in apps async for row in keeper.ledger.rows(org_id, app_id)]


async def counted(keeper: Keeper, key: UsageId) -> dict[str, int]:
    """What the counters of a count say in all."""
    shards = await keeper.db.run(usage_shards(UsageKey(*key, MOST_SHARDS)))
    found = [shard for shard in shards if shard is not None]
    return {name: sum(getattr(shard, name) for shard in found) for name in AMOUNTS}


async def check_books(keeper: Keeper, *app_ids: str, org_id: str = ORG) -> Mapping[UsageId, int]:
    """The counters are the sum of the ledger, to the pico; gives the rows of each count."""
    rows = await rows_of(keeper, *app_ids, org_id=org_id)
    numbers: dict[UsageId, int] = defaultdict(int)
    for key, sums in sums_of(rows).items():
        assert await counted(keeper, key) == sums.values(), key
        numbers[key] = sums.rev
    return numbers
