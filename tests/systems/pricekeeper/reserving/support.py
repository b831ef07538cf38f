"""An organisation with reservations, and a look at its gates."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from tests.systems.pricekeeper.access.support import START, keeping

from tablewright.clock import Clock
from tablewright.model import Get, get, put, scan
from tablewright.systems.pricekeeper import reads
from tablewright.systems.pricekeeper.config import App, Label, Org
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.samples import NOW, ORG, TODAY, WEB, organisation
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.recording import Outcome
from tablewright.systems.pricekeeper.shapes import ALL, SLOTS, scope_of, slot_of
from tablewright.systems.pricekeeper.spend import Gate, Ledger, Reservation
from tablewright.testing.backends import Backend

WHOLE, OF_WEB = scope_of(ORG), scope_of(ORG, WEB)
OTHER = "other"
CENT = 10_000
PICOS = 1_000_000

__all__ = ["START", "keeping"]


@get(Gate, consistent=True)
def gate(scope: str, day: str, label: str) -> None:
    """One gate; the service never reads them."""


@scan(Ledger, admin=True)
def all_rows() -> None:
    """The whole ledger; the service reads it bucket by bucket."""


def org_with(**changes: Any) -> Org:
    """A dollar a day for the best label, and for all of them together; unlimited the second."""
    settings: dict[str, Any] = {
        "quota_scope": "ORG",
        "model_ordering": ["premium", "standard"],
        "quotas": {"premium": 100 * CENT, "standard": None, ALL: 150 * CENT},
        "quotas_week": {},
        "quotas_month": {},
        "reservations": "on",
        "reservations_from_epoch": NOW - timedelta(days=3),
        **changes,
    }
    return organisation().model_copy(update=settings)


def app_with(app_id: str = WEB, **changes: Any) -> App:
    return App(
        org_id=ORG,
        app_id=app_id,
        app_name=app_id,
        created_at_epoch=NOW,
        updated_at_epoch=NOW,
        **changes,
    )


@asynccontextmanager
async def reserving(
    backend: Backend, clock: Clock, org: Org | None = None, **app: Any
) -> AsyncIterator[Keeper]:
    """A keeper at work, with the organisation and two apps."""
    async with keeping(backend, clock) as keeper:
        await store(keeper, org or org_with(), app_with(**app), app_with(OTHER))
        # No more of the process: prices are for others to test, and take their time.
        await keeper.recorder.open()
        try:
            yield keeper
        finally:
            await keeper.recorder.close()


async def store(keeper: Keeper, *settings: Org | App) -> None:
    """Settings, and the labels that they name."""
    labels = [
        Label(label=name, bedrock_model_id=f"model-{name}", tier=name, family="x")
        for name in ("premium", "standard")
    ]
    for each in labels:
        await keeper.db.run(put(each))
    for setting in settings:
        version = await _version(keeper, setting)
        await keeper.db.run(put(setting.model_copy(update={"version": version})))
    keeper.directory.forget(ORG)


async def _version(keeper: Keeper, setting: Org | App) -> int:
    """That of what is stored, to replace it."""
    if isinstance(setting, Org):
        org = await keeper.db.run(reads.org(setting.org_id))
        return org.version if org else 0
    app = await keeper.db.run(reads.app(setting.org_id, setting.app_id))
    return app.version if app else 0


async def account_of(keeper: Keeper, app_id: str = WEB) -> Account:
    return await keeper.directory.account(ORG, app_id)


async def granted(
    keeper: Keeper, scope: str = WHOLE, label: str = "premium", day: str = TODAY
) -> int:
    """What a gate has let through, in micro-USD."""
    op: Get[Gate] = gate(scope, day, label)
    found = await keeper.db.run(op)
    return 0 if found is None else _micros(found.granted_picos)


def _micros(picos: int) -> int:
    assert picos % PICOS == 0
    return picos // PICOS


async def record(
    keeper: Keeper,
    cost: int,
    *,
    app_id: str = WEB,
    label: str = "premium",
    reservation_id: str | None = None,
    request_id: str | None = None,
    at: int | None = None,
) -> Outcome:
    """Report a call that cost so many micro-USD; no label has a price here."""
    usage = Usage(
        request_id=request_id or str(uuid.uuid4()),
        label=label,
        timestamp=keeper.now() if at is None else at,
        status="OK",
        input_tokens=10,
        output_tokens=1,
        cache_read_tokens=0,
        cache_write_tokens=0,
        bedrock_model_id=None,
        region_class=None,
        service_tier=None,
        cost_usd_micros=cost,
        reservation_id=reservation_id,
    )
    (outcome,) = await keeper.recorder.record(await account_of(keeper, app_id), [usage])
    return outcome


async def open_reservations(keeper: Keeper) -> list[Reservation]:
    """All rows that there are, ended or not."""
    far = NOW + timedelta(days=900)
    slots = {slot_of(ORG)} & set(range(SLOTS))
    return [
        row
        for slot in slots
        async for row in keeper.db.iterate(reads.ended_reservations(slot, now=far))
    ]


async def rows(keeper: Keeper) -> list[Ledger]:
    """The whole ledger."""
    return [row async for row in keeper.db.iterate(all_rows())]
