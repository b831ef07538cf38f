"""The life of a team: from unpaid to a seat and back, and the ends of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.fields import SEATED, TeamStatus
from tablewright.systems.kurukshetra.rules import windows
from tablewright.systems.kurukshetra.teams import Team

RosterFault: TypeAlias = Literal[
    "roster_locked", "team_ended", "team_full", "too_few", "leader_must_hand_over"
]

#: What can follow; from refunded and cancelled nothing does.
NEXT: Mapping[TeamStatus, frozenset[TeamStatus]] = {
    # Paid at once: a fee that a voucher takes off, or a payment that came late to a free seat.
    "unpaid": frozenset({"pending", "waitlisted", "cancelled", "paid"}),
    "pending": frozenset({"paid", "unpaid"}),
    "waitlisted": frozenset({"offered", "unpaid"}),
    "offered": frozenset({"pending", "unpaid", "paid"}),
    "paid": frozenset({"refunded"}),
    "refunded": frozenset(),
    "cancelled": frozenset(),
}


def may(before: TeamStatus, after: TeamStatus) -> bool:
    """Whether a team goes from one state to the other."""
    return after in NEXT[before]


def is_over(status: TeamStatus) -> bool:
    """Whether nothing more will happen to a team."""
    return not NEXT[status]


def join_fault(team: Team, config: Config, at: datetime) -> RosterFault | None:
    """Why nobody may join; the transaction asks for the room again."""
    if is_over(team.payment_status):
        return "team_ended"
    if not windows.roster_open(config, at):
        return "roster_locked"
    return "team_full" if team.member_count >= team.max_members else None


def leave_fault(team: Team, member: str, config: Config, at: datetime) -> RosterFault | None:
    """Why a member may not leave; the transaction asks for the others again.

    A team that has ended keeps nobody, neither its leader nor after the roster is locked: without a
    team they can be in another one.
    """
    if is_over(team.payment_status):
        return None
    if not windows.roster_open(config, at):
        return "roster_locked"
    if member == team.leader_participant_id:
        return "leader_must_hand_over"
    return "too_few" if team.member_count <= least_left(team, config) else None


def least_left(team: Team, config: Config) -> int:
    """How many must be there before one leaves, and one more: with a seat, a whole team stays."""
    return config.min_team_size if team.payment_status in SEATED else 1
