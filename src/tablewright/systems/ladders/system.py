"""Ladders, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.systems.ladders.model import model
from tablewright.systems.ladders.options import Options


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
        knows_address=company.people.is_known,
        lifespan=company.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(company, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(company),
    )


system = System(
    name="ladders",
    title="Ladders",
    about="Career-ladder assessments: two honest views, one fair comparison, and what comes next.",
    model=model,
    build=build,
    # Of operators and their keys; everybody else has the roles of their user.
    roles=("admin",),
    options=Options,
    variables={
        "LADDERS_OIDC_ISSUER": "issuer_url",
        "LADDERS_OIDC_AUDIENCE": "issuer_audience",
    },
    # They name the address by which somebody is invited; access tokens of many issuers do not.
    tokens="id",
    icon="ladder",
    demo_people=DEMO_PEOPLE,
)
