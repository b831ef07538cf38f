"""The audit log as a REST API sends it."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, JsonValue

from tablewright.service.kit.entities import AuditEntry


class AuditOut(BaseModel):
    """Who did what to what."""

    entry_id: str
    at: datetime
    actor: str
    actor_kind: str
    action: str
    subject: str
    detail: dict[str, JsonValue]


def audit_out(entry: AuditEntry) -> AuditOut:
    return AuditOut.model_validate(entry.model_dump(include=set(AuditOut.model_fields)))
