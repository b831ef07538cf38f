"""The audit log."""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue

from tablewright.systems.pricekeeper.bodies.fields import Out


class AuditOut(Out):
    """Who did what to what."""

    entry_id: str
    at: datetime
    actor: str
    actor_kind: str
    action: str
    subject: str
    detail: dict[str, JsonValue]
