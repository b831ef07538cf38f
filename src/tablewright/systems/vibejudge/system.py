"""Vibejudge, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.ports import Ports
from tablewright.service.runtime import Runtime
from tablewright.service.system import Allowance, Parts, System
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.options import Options

#: Files of submissions: Devpost's have a page of text for each; and the time to store them all.
IMPORTS = Allowance(max_bytes=20 * 1024 * 1024, timeout_secs=300)
#: Some repositories are read for an estimate.
ESTIMATES = Allowance(max_bytes=0, timeout_secs=75)


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.vibejudge import api, live_demo, pages, workers
    from tablewright.systems.vibejudge.api.reference import REFERENCE
    from tablewright.systems.vibejudge.service.courtroom import Courtroom
    from tablewright.systems.vibejudge.service.submissions import Neighbour

    courtroom = Courtroom(runtime)
    going_on = [live_demo.worker(courtroom)] if runtime.settings.local else []
    return Parts(
        routers=api.routers(courtroom),
        reference=REFERENCE,
        workers=[*workers.workers(courtroom), *going_on],
        allowances={
            "/api/v1/hackathons/{hack_id}/submissions": IMPORTS,
            "/api/v1/hackathons/{hack_id}/analyze/estimate": ESTIMATES,
        },
        sinks=[courtroom.pricekeeper.sink],
        address_of=courtroom.messages.address_of,
        lifespan=courtroom.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(courtroom, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(courtroom),
        offers=Ports(submissions=Neighbour(courtroom)),
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
    # Organisers run events; the table behind them is for operators.
    tool_roles=frozenset({"admin"}),
    keys=("vibejudge-people",),
    icon="gavel",
)
