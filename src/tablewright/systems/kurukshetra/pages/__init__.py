"""Pages: what the API can do, for people.

Each page is a route that calls the same use cases as the API and hands what they give to a
template; what it may show or do is decided by the same roles.

=====================  =====================================================================
``home``               the events, one's own first
``event``              what everybody sees of one, with its seats as they go
``register``           you, the team, the terms; ``registration_form`` reads it
``joining``            a team, by its code or an invitation
``team``               one's own; ``team_parts`` is what its page shows
``pay``                a seat is held and paid; ``receipt`` is what is left of it
``ticket``             what one shows at the door
``details``            what one has said when registering
``certificate_check``  whether a certificate is genuine
``me``                 what is known of oneself, to take along or to erase
``editor``             planning an event; ``setup`` changes it, with ``questions``, ``vouchers``
                       and ``roles``; ``event_form`` and ``question_form`` read their forms
``admin``              an event at a glance, for who runs it
``registrations``      its people; ``run_teams`` its teams, ``mailing`` and ``exporting`` beside
``payments``           money: each with its life, and paying back; ``reconcile`` compares books
``waitlist``           who waits for a seat
``certificates``       issued; ``handover`` sends teams to judging; ``jobs`` says how far they are
``audit``              who did what
``door``               where volunteers scan tickets
=====================  =====================================================================

Beside them: ``paths`` says where everything is, ``framing`` what all pages of an event have in
common, ``backstage`` what those for who runs it have, ``writing`` how money and times are written,
``asking`` how they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.system import NavItem

if TYPE_CHECKING:
    from fastapi import APIRouter

    from tablewright.service.pages import Pages
    from tablewright.systems.kurukshetra.service.festival import Festival

#: The events are everybody's.
NAVIGATION: tuple[NavItem, ...] = (
    NavItem("Events", "", "calendar-event", public=True),
    NavItem("Certificates", "certificates", "certificate", public=True),
    NavItem("My data", "me", "shield-lock", signed_in=True),
)

#: What is called by a name comes before what is called by an id.
_SUBJECTS: tuple[str, ...] = (
    "home",
    "certificate_check",
    "me",
    "editor",
    "event",
    "register",
    "joining",
    "team",
    "pay",
    "receipt",
    "ticket",
    "details",
    "door",
    "admin",
    "jobs",
    "mailing",
    "registrations",
    "run_teams",
    "payments",
    "reconcile",
    "waitlist",
    "certificates",
    "handover",
    "questions",
    "vouchers",
    "roles",
    "setup",
    "exporting",
    "audit",
)


def router(festival: Festival, pages: Pages) -> APIRouter:
    """All pages; each module has a ``router`` that makes its own."""
    from importlib import import_module

    from fastapi import APIRouter

    routes = APIRouter()
    for subject in _SUBJECTS:
        made = import_module(f"{__name__}.{subject}").router(festival, pages)
        routes.include_router(made)
    return routes
