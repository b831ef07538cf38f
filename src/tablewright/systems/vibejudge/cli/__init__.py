"""``tablewright vibejudge ...``: the use cases, typed.

================  ==========================================================================
``demo``          something to look at
``organizers``    organizer
``hackathons``    hackathon; from a file: ``hackathon_files``
``submitting``    submit
``running``       run, cancel, resume, watch: ``following`` a job, ``working`` on it where nobody
                  does; ``agreeing`` to what it costs
``results``       leaderboard, scorecard, export; a card of what is stored: ``stored_cards``
``auditing``      audit
``meant``         whom and what somebody means who types; ``erasing`` what belongs to it
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

from tablewright.systems.vibejudge.cli import (
    analysing,
    auditing,
    demo,
    hackathons,
    organizers,
    results,
    running,
    submitting,
)
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
app.command(organizers.app)
app.command(hackathons.app)
app.command(
    submitting.submit,
    help_epilogue=example(
        "submit 'Winter Code Jam' https://github.com/night-owls/lantern --team 'Night Owls'"
    ),
)
app.command(running.run, help_epilogue=example("run 'Winter Code Jam'"))
app.command(running.watch, help_epilogue=example("watch 'Winter Code Jam'"))
app.command(running.cancel, help_epilogue=example("cancel 'Winter Code Jam'"))
app.command(running.resume, help_epilogue=example("resume 'Winter Code Jam'"))
app.command(results.leaderboard, help_epilogue=example("leaderboard 'Winter Code Jam' --limit 10"))
app.command(
    results.scorecard,
    help_epilogue=example("scorecard 'Night Owls' --hackathon 'Winter Code Jam' --html card.html"),
)
app.command(results.export, help_epilogue=example("export 'Winter Code Jam' --out results.csv"))
app.command(auditing.audit, help_epilogue=example("audit --fix"))


def given(runtime: Runtime) -> dict[str, object]:
    """What commands are given, by name."""
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

    return {"courtroom": Courtroom(runtime)}
