"""``tablewright kurukshetra ...``: the use cases, typed.

================  ==========================================================================
``demo``          something to look at
``events``        event, seats; from a file: ``event_files``
``vouchers``      voucher
``moneys``        reconcile, refund
``people``        export, erase
``keys``          keys
``roles``         roles
``figures``       stats
``certs``         certs, handover; jobs that are followed: ``doing``
``sandboxing``    sandbox
``verifying``     verify
``meant``         whom and what somebody means who types
================  ==========================================================================

What help shows is imported for every one of them, so these modules import what they work with when
they are called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.systems.kurukshetra.cli import (
    certs,
    demo,
    events,
    figures,
    keys,
    moneys,
    people,
    roles,
    sandboxing,
    verifying,
    vouchers,
)
from tablewright.systems.kurukshetra.cli.words import example

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

__all__ = ["app", "given"]

app = App(name="kurukshetra", help="Events, seats, payments and people of kurukshetra.")
app.command(demo.demo, help_epilogue=example("demo --data tablewright-data"))
app.command(events.app)
app.command(events.seats, help_epilogue=example("seats kurukshetra-2026 --set 520"))
app.command(vouchers.app)
app.command(moneys.reconcile, help_epilogue=example("reconcile kurukshetra-2026 --day 2026-12-05"))
app.command(
    moneys.refund,
    help_epilogue=example(
        "refund kurukshetra-2026 'Code Warriors' --reason 'They cannot come' --release"
    ),
)
app.command(
    people.export,
    help_epilogue=example("export kurukshetra-2026 registrations --out registrations.csv"),
)
app.command(people.erase, help_epilogue=example("erase kurukshetra-2026 asha@example.org"))
app.command(roles.app)
app.command(keys.app)
app.command(figures.stats, help_epilogue=example("stats kurukshetra-2026 --since 2026-11-01"))
app.command(certs.app)
app.command(certs.handover, help_epilogue=example("handover kurukshetra-2026"))
app.command(
    sandboxing.sandbox,
    help_epilogue=example("sandbox --port 8099 --file sandbox.db --fault drop=0.2"),
)
app.command(verifying.verify, help_epilogue=example("verify kurukshetra-2026"))


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.kurukshetra.service.festival import Festival

    return {"festival": Festival(runtime)}
