"""Vibejudge, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.options import Options


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.vibejudge import api, pages, workers
    from tablewright.systems.vibejudge.api.reference import REFERENCE
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

    courtroom = Courtroom(runtime)
    return Parts(
        routers=api.routers(courtroom),
        reference=REFERENCE,
        workers=workers.workers(courtroom),
        lifespan=courtroom.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(courtroom, renderer),
        templates=Path(__file__).parent / "templates",
    )


system = System(
    name="vibejudge",
    title="Vibejudge",
    about="Judging of hackathons: agents score repositories with evidence, people decide.",
    model=model,
    build=build,
    # "judge" comes with an invitation; what an organiser sees is their own.
    roles=("admin", "organizer", "judge"),
    options=Options,
    icon="gavel",
)
