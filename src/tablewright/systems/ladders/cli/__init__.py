"""``tablewright ladders ...``: the use cases, typed.

================  ==========================================================================
``configs``       config: the ladder, written, compared, activated; from a file: ``texts``
``admins``        admin: who runs people and ladders
``reports``       report: as a file
``demo``          demo: something to look at
``meant``         whom and what somebody means who types
================  ==========================================================================

``tables`` says what the tables are called in an account; the command line makes commands of it.

What help shows is imported for every one of them, so these modules import what they work with when
they are called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Tables
from tablewright.systems.ladders.cli import admins, configs, demo, reports

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

__all__ = ["app", "given", "tables"]

tables = Tables(prefix="osem", env="dev")

app = App(name="ladders", help="Tables, ladders, administrators and reports of ladders.")
app.command(configs.app)
app.command(admins.app)
app.command(reports.app)
app.command(demo.app)


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.ladders.service.company import Company

    return {"company": Company(runtime)}
