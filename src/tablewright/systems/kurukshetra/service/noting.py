"""What is done to others is written down with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from tablewright.model import Put
from tablewright.service.kit import audit
from tablewright.service.kit.audit import Actor
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.kurukshetra.rules.retention import BOOKS
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team


def recorded(
    actor: Actor,
    action: str,
    subject: str,
    *,
    at: datetime,
    detail: Mapping[str, object] | None = None,
) -> Put[AuditEntry]:
    """An entry of the audit log, to join a transaction; it is kept as long as the books."""
    return audit.record(actor, action, subject, at=at, detail=detail, kept=BOOKS)


def noted(by: Caller, team: Team, action: str, at: datetime) -> tuple[Put[AuditEntry], ...]:
    """What an organiser does in a leader's place; nothing for the leader, whose own business it is.

    It joins the transaction.
    """
    if by.participant_id == team.leader_participant_id:
        return ()
    subject = f"event/{team.event_id}/team/{team.team_id}"
    return (recorded(by.principal, action, subject, at=at),)
