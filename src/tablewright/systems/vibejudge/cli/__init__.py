"""``tablewright vibejudge ...``: the use cases, typed.

================  ==========================================================================
``demo``          something to look at
``analysing``     analyze-repo; the repository that was asked for: ``asked``; by which rubric:
                  ``rubric_files``; what is shown: ``cards``, as text: ``card_text``, as a page:
                  ``card_page``
================  ==========================================================================

What help shows is imported for every one of them, so these modules import what they work with when
they are called, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.systems.vibejudge.cli import analysing, demo
from tablewright.systems.vibejudge.cli.words import example

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime

__all__ = ["app", "given"]

app = App(name="vibejudge", help="Hackathons, submissions and scorecards of vibejudge.")
app.command(demo.demo, help_epilogue=example("demo --data tablewright-data"))
app.command(
    analysing.analyze_repo,
    help_epilogue=example("analyze-repo . --html scorecard.html --fail-under 60"),
)


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

    return {"courtroom": Courtroom(runtime)}
