"""The items of the demo: a hackathon in full swing, and a small one that is sold out.

People and texts are made up. What stands in sealed fields only looks encrypted.
"""

from __future__ import annotations

from tablewright.systems.kurukshetra.demo_items.door import certificate, checkin, scan
from tablewright.systems.kurukshetra.demo_items.events import config, event, question, seats
from tablewright.systems.kurukshetra.demo_items.everything import items
from tablewright.systems.kurukshetra.demo_items.made_up import (
    FEE,
    MAIN,
    NOW,
    OPENED,
    SMALL,
    TODAY,
    blind,
    sealed,
    stored,
    uuid,
)
from tablewright.systems.kurukshetra.demo_items.money import (
    finding,
    notice,
    order_link,
    ordered,
    payment,
    refund,
    refund_due,
    voucher,
)
from tablewright.systems.kurukshetra.demo_items.people import (
    answer,
    draft,
    erasure,
    person,
    registered,
    role,
    role_holder,
)
from tablewright.systems.kurukshetra.demo_items.teams import (
    TEAMS,
    WAITING_TEAMS,
    founded,
    hold,
    invited,
    submission,
    team,
)
from tablewright.systems.kurukshetra.demo_items.work import job, mail_day, turn

__all__ = [
    "FEE",
    "MAIN",
    "NOW",
    "OPENED",
    "SMALL",
    "TEAMS",
    "TODAY",
    "WAITING_TEAMS",
    "answer",
    "blind",
    "certificate",
    "checkin",
    "config",
    "draft",
    "erasure",
    "event",
    "finding",
    "founded",
    "hold",
    "invited",
    "items",
    "job",
    "mail_day",
    "notice",
    "order_link",
    "ordered",
    "payment",
    "person",
    "question",
    "refund",
    "refund_due",
    "registered",
    "role",
    "role_holder",
    "scan",
    "sealed",
    "seats",
    "stored",
    "submission",
    "team",
    "turn",
    "uuid",
    "voucher",
]
