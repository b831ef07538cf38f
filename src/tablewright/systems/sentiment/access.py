"""What components do beside running their own patterns: for policies of least privilege.

Changes of the table wake the analysis, and the live list follows them. Whoever changes something on
behalf of a person writes an audit entry in the same transaction; alerts leave a message. Everything
that works in the background holds a lease.
"""

from __future__ import annotations

from tablewright.deploy.templates.iam import Access
from tablewright.service.kit.table import kit
from tablewright.systems.sentiment.articles import items

_LEASE = ("lease_named", "take_lease", "keep_lease")


def access() -> Access:
    return Access(
        feeds={"analysis": (items.name,), "live": (items.name,)},
        # What was analysed up to when: what waits behind that is not lost, only late.
        asking=("requeue",),
        backups={"backup": (items.name, kit.name)},
        beside={
            "admin": ("write_audit",),
            "alerts": (*_LEASE, "add_message"),
            "analysis": _LEASE,
            "backup": _LEASE,
            "dashboard": ("audit_of_month", "events_after"),
            "editor": ("write_audit",),
            # A source that refuses our key is switched off, which is noted and told.
            "ingest": (*_LEASE, "write_audit", "add_message"),
            "live": (*_LEASE, "add_event"),
            "metrics": _LEASE,
            "reanalysis": (*_LEASE, "write_audit"),
            "requeue": (*_LEASE, "write_audit"),
        },
    )
