"""What components do beside running their own patterns: for policies of least privilege.

Submitting an assessment wakes who makes reports. Everything that works in the background holds a
lease, reads what others read too, and notes and tells what it does.
"""

from __future__ import annotations

from tablewright.deploy.templates.iam import Access
from tablewright.systems.ladders.entities import assessment_table

_LEASE = ("lease_named", "take_lease", "keep_lease")


def access() -> Access:
    return Access(
        feeds={"report-builder": (assessment_table.name,)},
        beside={
            "activation-resumer": (
                *_LEASE,
                *("plan", "team", "config", "write_audit", "add_message"),
                *("reminded", "note_reminded"),
            ),
            "api": (
                *("write_audit", "add_message", "audit_of_month"),
                # What workers do by themselves can be asked for as well.
                *("plans_by_status", "unfinished_activations", "start_assessment"),
                *("finish_activation", "end_activation"),
                *("assessment_pair", "build_report", "reminded", "note_reminded"),
            ),
            # Where somebody gets their mail is looked up when it is sent.
            "outbox": (*_LEASE, "user", "team", "users", "teams"),
            "reminders": (
                *_LEASE,
                *("plan", "team", "board", "report", "users", "teams", "add_message"),
            ),
            "report-builder": (
                *_LEASE,
                *("plan", "report", "config", "plans_by_status", "board", "reports_of_plan"),
                *("write_audit", "add_message"),
            ),
        },
    )
