"""A keeper on a database of its own, with an organisation and an app that can log in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest

from tablewright.client import Retries
from tablewright.clock import Clock
from tablewright.model import put
from tablewright.service.auth import Principal
from tablewright.service.kit import kit_model
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.pricekeeper import writes
from tablewright.systems.pricekeeper.samples import NOW, ORG, WEB, application, organisation
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

R = TypeVar("R")

START = NOW.timestamp()
ADMIN = Principal(id="user:ann", name="Ann", kind="user", roles=frozenset({"admin"}))
#: Gives up soon, for tests in which the store is away.
QUICK = Retries(attempts=2, budget=0.2, base=0.001, cap=0.005)


@dataclass(frozen=True)
class Client:
    """Somebody who can log in."""

    client_id: str
    secret: str


@asynccontextmanager
async def keeping(
    backend: Backend, clock: Clock, *, quick: bool = False, **options: object
) -> AsyncIterator[Keeper]:
    """The use cases of one process; ``options`` are pricekeeper's own settings."""
    environ = {
        f"TABLEWRIGHT_PRICEKEEPER_{name.upper()}": str(value) for name, value in options.items()
    }
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            Settings(),
            clock=clock,
            environ=environ,
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        if quick:
            runtime.db.context = replace(runtime.db.context, retries=QUICK)
        yield Keeper(runtime)
    finally:
        await transport.close()


async def client(keeper: Keeper, app_id: str | None = None) -> Client:
    """The organisation, or one of its apps, with the secret that it was given."""
    issued = keeper.credentials.issue(ORG, app_id, keeper.now())
    if app_id is None:
        op: Any = writes.create_org(organisation(), issued.credential, issued.retrieval)
    else:
        op = writes.create_app(application(app_id), issued.credential, issued.retrieval)
    await keeper.db.run(op)
    found = await keeper.credentials.redeem(issued.token, ADMIN)
    return Client(found.client_id, found.secret)


async def both(keeper: Keeper) -> tuple[Client, Client]:
    """The organisation, and its app."""
    return await client(keeper), await client(keeper, WEB)


async def refused(work: Coroutine[Any, Any, object]) -> Problem:
    """The problem that something ends with."""
    with pytest.raises(Problem) as caught:
        await work
    return caught.value


async def save(keeper: Keeper, **changes: Any) -> None:
    """Change the organisation behind everybody's back."""
    org = await keeper.directory.org(ORG)
    assert org is not None
    await keeper.db.run(put(org.model_copy(update=changes)))
    keeper.directory.forget(ORG)
