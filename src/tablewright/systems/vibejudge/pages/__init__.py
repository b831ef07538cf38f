"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same roles, and by whose hackathon it is.

================  ==========================================================================
``home``          leads everybody to what is theirs
``register``      becoming an organiser
``hackathons``    the organiser's own; ``editor`` plans and changes one, ``acts`` moves it on
``overview``      one hackathon at a glance
``submissions``   of a hackathon; ``adding`` takes in, ``managing`` takes out
``run``           analyses: started, followed, cancelled, resumed
``leaderboard``   ranks, how scores lie, rescoring and releasing
``costs``         what was spent and set aside, and another budget
``scorecard``     one submission: scores, findings, runs, and overriding
``judging``       of a hackathon by people; ``rounds``, ``judge_forms`` and ``appeals`` are below it
``invitations``   where a judge begins; ``desk`` is where they work
``team_results``  a team's own card, and its appeal
``gallery``       public hackathons and handing in, without signing in
``settings``      profile, usage and keys of an organiser; ``keys`` are everybody's
================  ==========================================================================

Beside them: ``paths`` says where everything is, ``framing`` what all pages of a hackathon have in
common, ``hackathon_form`` reads the editor's form, ``weighing`` is what dimensions weigh;
``run_tiles``, ``leaderboard_rows`` and ``scorecard_lines`` are what pages show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_ORGANIZERS = frozenset({"organizer", "admin"})

#: Who can do something sees where; the gallery is everybody's.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("Hackathons", "hackathons", "trophy", _ORGANIZERS),
    NavItem("Judge desk", "desk", "gavel", frozenset({"judge"})),
    NavItem("Gallery", "gallery", "world", public=True),
    NavItem("Settings", "settings", "settings", _ORGANIZERS),
    NavItem("Access", "access", "key", frozenset({"admin"})),
)

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = (
    "home",
    "register",
    "gallery",
    "settings",
    "keys",
    "hackathons",
    "editor",
    "overview",
    "acts",
    "adding",
    "submissions",
    "managing",
    "run",
    "leaderboard",
    "costs",
    "scorecard",
    "judging",
    "rounds",
    "judge_forms",
    "appeals",
    "invitations",
    "desk",
    "team_results",
)


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made = import_module(f"{__name__}.{subject}").router(courtroom, pages)
        routes.include_router(made)
    return routes
