"""What each system of a process runs on, made from settings and a connection to the database."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tablewright.client import AsyncDb
from tablewright.client.transports import AsyncTransport
from tablewright.clock import Clock, SystemClock, UlidSource
from tablewright.service.auth import Auth, Identity
from tablewright.service.events import Events
from tablewright.service.keys import Keys
from tablewright.service.kit import kit
from tablewright.service.limits import RateLimits
from tablewright.service.metrics import Metrics
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings, load
from tablewright.service.system import System

#: The physical name of a table, from its logical one.
Naming = Callable[[str], str]


@dataclass(frozen=True)
class Shared:
    """What the systems of a process have in common."""

    settings: Settings
    clock: Clock
    keys: Keys
    identity: Identity
    metrics: Metrics
    #: Where the systems' own settings come from.
    environ: Mapping[str, str]
    file: Path | None
    names: Naming


def shared_of(
    settings: Settings,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
    names: Naming | None = None,
) -> Shared:
    """``names`` is the deployment's naming of tables, where the settings do not say it."""
    environ = os.environ if environ is None else environ
    clock = clock or SystemClock()
    keys = Keys(None if settings.data is None else settings.data / "keys", environ)
    identity = Identity(settings, keys, clock)
    named = names or deployed(settings)
    return Shared(settings, clock, keys, identity, Metrics(), environ, file, named)


def runtime_of(
    system: System,
    transport: AsyncTransport,
    settings: Settings,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
    names: Naming | None = None,
    shared: Shared | None = None,
) -> Runtime:
    """One system's view of the process; nothing is read but settings and keys.

    Systems of one process are given the same ``shared``, which then has all the rest; they may have
    one transport.
    """
    if shared is None:
        shared = shared_of(settings, clock=clock, environ=environ, file=file, names=names)
    clock = shared.clock
    db = _db(system, transport, shared)
    limits = RateLimits(clock, mode=settings.rate_limits, db=db)
    return Runtime(
        system=system.name,
        db=db,
        clock=clock,
        ids=UlidSource(clock),
        settings=settings,
        own=load(system.options, system.name, file=shared.file, environ=shared.environ),
        keys=shared.keys,
        auth=Auth(
            system.name,
            shared.identity,
            db=db,
            limits=limits,
            roles=system.roles,
            people=system.demo_people,
            tokens=system.tokens,
        ),
        limits=limits,
        events=Events(db, clock),
        metrics=shared.metrics,
    )


def _db(system: System, transport: AsyncTransport, shared: Shared) -> AsyncDb:
    physical = naming(system.name, shared.names)
    logical = {physical(name): name for name in (*system.model.tables, kit.name)}
    return AsyncDb(
        transport,
        names=physical,
        clock=shared.clock,
        hook=shared.metrics.db_hook(system.name, logical, shared.clock),
        cursor_key=shared.keys.secret("cursors"),
    )


def deployed(settings: Settings) -> Naming:
    """``table_prefix = "osem"``, ``table_env = "prod"``: Users is ``osem-prod-Users`` there."""
    before = [part for part in (settings.table_prefix.rstrip("-"), settings.table_env) if part]
    return lambda table: "-".join((*before, table))


def naming(system: str, names: Naming) -> Naming:
    """Each system has a kit table of its own."""
    own = f"{system}-{kit.name}"
    return lambda table: names(own if table == kit.name else table)
