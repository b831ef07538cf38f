"""Pricekeeper, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.systems.pricekeeper.model import model
from tablewright.systems.pricekeeper.options import Options


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.pricekeeper import api, live_demo, pages, workers
    from tablewright.systems.pricekeeper.api.reference import REFERENCE
    from tablewright.systems.pricekeeper.service.keeper import Keeper

    keeper = Keeper(runtime)
    return Parts(
        routers=api.routers(keeper),
        reference=REFERENCE,
        workers=workers.workers(keeper),
        lifespan=keeper.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(keeper, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(keeper),
    )


system = System(
    name="pricekeeper",
    title="Pricekeeper",
    about="Which model each app may still afford, and what every call has cost.",
    model=model,
    build=build,
    roles=("admin", "operator", "auditor"),
    options=Options,
    keys=("pricekeeper-secrets", "pricekeeper-tokens"),
    icon="coin",
)
