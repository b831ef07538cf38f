"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same rights.

=================  =========================================================================
``home``           what somebody has to do, and the reviews that they are part of
``assessment``     filled in by its author, read by others; ``assessment_parts`` is what its
                   pages show, ``assessment_form`` reads what is typed
``report``         both sides next to each other; ``report_parts`` is what its page shows
``actions``        growth actions, on the pages of reports and of growth
``growth``         one's goal, and what the ladder asks for there
``history``        somebody's levels over the seasons
``ladder``         the active ladder, for everybody to read
``teams``          one's own, and all there are; ``team`` is one, with members and plans
``plan``           drafted, activated, completed; ``plan_form`` reads it, ``plan_list`` lists them
``board``          how far everybody in a review is, live; ``heatmap`` which levels they have
``users``          people, for administrators
``versions``       of the ladder: compared, activated; ``ladder_editor`` writes one
``audit``          who did what; ``audit_words`` is what it is called
=================  =========================================================================

Beside them: ``paths`` says where everything is, ``framing`` what all pages have in common,
``names`` what people are called, ``due`` how long there is, ``rendered`` the texts of ladders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.ladders.service.company import Company

_ADMIN = frozenset(("admin",))
#: Who may do what on them is decided there.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("My tasks", "", "checklist", signed_in=True),
    NavItem("Growth", "growth", "target", signed_in=True),
    NavItem("History", "history", "timeline", signed_in=True),
    NavItem("The ladder", "ladder", "ladder", signed_in=True),
    NavItem("Teams", "teams", "users-group", signed_in=True),
    NavItem("People", "admin/users", "users", roles=_ADMIN),
    NavItem("All teams", "admin/teams", "sitemap", roles=_ADMIN),
    NavItem("Versions", "admin/ladders", "stack-2", roles=_ADMIN),
    NavItem("Audit", "admin/audit", "history", roles=_ADMIN),
)

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = (
    "home",
    "assessment",
    "report",
    "actions",
    "growth",
    "history",
    "ladder",
    "heatmap",
    "plan",
    "board",
    "team",
    "teams",
    "users",
    "ladder_editor",
    "versions",
    "audit",
)


def router(company: Company, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made = import_module(f"{__name__}.{subject}").router(company, pages)
        routes.include_router(made)
    return routes
