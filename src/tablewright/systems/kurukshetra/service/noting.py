"""What organisers do in a leader's place is written down with it."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import Put
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team


def noted(by: Caller, team: Team, action: str, at: datetime) -> tuple[Put[AuditEntry], ...]:
    """What joins the transaction; nothing for its leader, whose own business it is."""
    if by.participant_id == team.leader_participant_id:
        return ()
    subject = f"event/{team.event_id}/team/{team.team_id}"
    return (audit.record(by.principal, action, subject, at=at),)
