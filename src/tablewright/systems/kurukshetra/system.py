"""Kurukshetra, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.auth import DemoPerson
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.systems.kurukshetra.model import model
from tablewright.systems.kurukshetra.options import Options


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.kurukshetra import api, live_demo, pages, workers
    from tablewright.systems.kurukshetra.api.reference import REFERENCE
    from tablewright.systems.kurukshetra.service.festival import Festival

    festival = Festival(runtime)
    return Parts(
        routers=api.routers(festival),
        reference=REFERENCE,
        workers=workers.workers(festival),
        address_of=festival.messages.address_of,
        lifespan=festival.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(festival, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(festival),
        joined=festival.handover.joined,
        warnings=festival.warnings,
    )


system = System(
    name="kurukshetra",
    title="Kurukshetra",
    about="Registration and payments of paid events: teams, seats, tickets, certificates.",
    model=model,
    build=build,
    # At all events; at one event people have the roles that they are given there.
    roles=("admin", "organizer", "finance", "volunteer", "auditor"),
    options=Options,
    keys=(
        "kurukshetra-fields",
        "kurukshetra-index",
        "kurukshetra-masks",
        "kurukshetra-tickets",
        "kurukshetra-certificates",
        "kurukshetra-sandbox",
    ),
    icon="ticket",
    demo_people=tuple(
        DemoPerson(f"demo-{name.lower()}", name, f"{name.lower()}@example.org", "takes part")
        for name in ("Asha", "Ravi", "Meera", "Kabir", "Diya")
    ),
)
