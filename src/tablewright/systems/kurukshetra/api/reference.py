"""What the OpenAPI document says beyond the routes."""

from __future__ import annotations

from typing import Final

from tablewright.service.system import Reference

_ABOUT: Final = """\
Registration and payments of events: people register, team up, hold a seat, pay, and are let in.
"""

REFERENCE: Final = Reference(
    about=_ABOUT,
    subjects={
        "Events": "What events there are, and what everybody may know of them.",
        "Registration": "Registering, drafts, and oneself.",
        "Teams": "Founding, joining, leading and naming teams.",
        "Seats and checkout": "Holding a seat, paying, waiting.",
        "Payments": "What the gateway says.",
        "Refunds": "Money that goes back, and our books against the gateway's.",
        "Tickets": "Tickets, the door, certificates.",
        "Organising": "Settings, seats, questions, vouchers, roles.",
        "Administration": "Registrations, statistics, exports, audit, mail.",
    },
)
