"""What ladders brings into a process."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.ladders import api, live_demo, pages, workers
    from tablewright.systems.ladders.api.reference import REFERENCE
    from tablewright.systems.ladders.service.company import Company

    company = Company(runtime)
    return Parts(
        routers=api.routers(company),
        reference=REFERENCE,
        workers=workers.workers(company),
        address_of=company.messages.address_of,
        lifespan=company.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(company, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(company),
    )
