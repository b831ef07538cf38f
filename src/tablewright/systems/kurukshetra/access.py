"""What components do beside running their own patterns: for policies of least privilege.

Everything that works in the background holds a lease. To forget somebody takes reads of many
subjects, and ends what their team has begun; what is done without anybody asking is noted all the
same. What is told to people leaves with the transaction that it is about.
"""

from __future__ import annotations

from tablewright.deploy.templates.iam import Access
from tablewright.service.kit.table import kit
from tablewright.systems.kurukshetra.base import table

_LEASE = ("lease_named", "take_lease", "keep_lease")
#: What every worker that goes through events looks at.
_EVENTS = ("events", "config", "setup")


def access() -> Access:
    return Access(
        backups={"backup": (table.name, kit.name)},
        beside={
            "api": ("write_audit", "add_message", "audit_of_month", "people", "events"),
            "backup": _LEASE,
            "export": ("write_audit", "participant", "team", "payment", "submission", *_EVENTS),
            "handover": (*_LEASE, *_EVENTS, "write_audit"),
            "jobs": (*_LEASE, *_EVENTS, "people", "participants", "add_message", "write_audit"),
            "outbox": (*_LEASE, "participant", "team"),
            "poller": (
                *(*_LEASE, *_EVENTS, "capture_payment", "capture_late", "replace_payment"),
                *("add_message", "team_page"),
            ),
            "promoter": (*_LEASE, *_EVENTS, "team", "seats", "add_message"),
            # An item is written on condition that it is as it was read.
            "re-encrypt": (*_LEASE, "every_team", "write_audit"),
            "reconcile": (
                *(*_LEASE, *_EVENTS, "capture_payment", "capture_late", "replace_payment"),
                *("add_message", "team_page"),
            ),
            "refund-sender": (*_LEASE, "payment_page", "add_message"),
            "retention": (
                *_LEASE,
                *_EVENTS,
                *("people", "participant", "participant_page", "team_page", "teams_by_status"),
                *("payments_of_team", "payment", "payments_by_status", "payment_page", "findings"),
                *("team", "submission", "statistics", "every_invited", "certificates"),
                "every_payment",
                *("begin_erasure", "erase_certificate", "withdraw_invitation", "edit_participant"),
                *("leave_queue", "disband_team", "write_audit"),
            ),
            "stats-audit": (
                *_LEASE,
                *_EVENTS,
                *("statistics", "every_participant", "every_team", "write_audit"),
            ),
            "sweeper": (*_LEASE, *_EVENTS, "team", "payment", "add_message"),
            "webhook": ("add_message", "replace_payment", "team_page"),
        },
    )
