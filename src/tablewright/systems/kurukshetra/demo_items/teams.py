"""Teams, by name, with those who belong to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from tablewright.model import Entity
from tablewright.systems.kurukshetra.demo_items.made_up import (
    FEE,
    MAIN,
    NOW,
    OPENED,
    SMALL,
    blind,
    sealed,
    uuid,
)
from tablewright.systems.kurukshetra.demo_items.people import person, registered
from tablewright.systems.kurukshetra.fields import TeamStatus, folded
from tablewright.systems.kurukshetra.teams import (
    Hold,
    Invited,
    InviteLock,
    Member,
    Submission,
    Team,
    TeamNameLock,
)

#: Leader, name, track and state of each team of the large event; one more member each.
TEAMS: dict[str, tuple[int, str, TeamStatus]] = {
    "Code Warriors": (1, "ai-ml", "paid"),
    "Null Pointers": (3, "web-mobile", "pending"),
    "Slow Payers": (5, "blockchain", "pending"),
    "Byte Brigade": (7, "ai-ml", "unpaid"),
    "Free Riders": (9, "open-innovation", "unpaid"),
    "Second Thoughts": (11, "iot-hardware", "paid"),
    "Late Comers": (13, "social-impact", "unpaid"),
    "Loose Ends": (15, "web-mobile", "unpaid"),
}
#: And of the small one.
WAITING_TEAMS: dict[str, tuple[int, str, TeamStatus]] = {
    "First In": (31, "ai-ml", "paid"),
    "Lucky Ones": (33, "ai-ml", "offered"),
    "Next Up": (35, "ai-ml", "waitlisted"),
    "Patient People": (37, "blockchain", "waitlisted"),
    "Just Arrived": (39, "ai-ml", "unpaid"),
}


def team(name: str) -> Team:
    """A team, by its name, as it is stored."""
    event_id = MAIN if name in TEAMS else SMALL
    leader, track, status = (TEAMS | WAITING_TEAMS)[name]
    paying = status in ("paid", "pending")
    return Team(
        event_id=event_id,
        team_id=uuid(2, leader),
        name=name,
        track=track,
        leader_participant_id=uuid(1, leader),
        payment_status=status,
        payment_id=uuid(3, leader) if paying else None,
        payment_order_id=f"order_{leader:04d}" if status == "paid" else None,
        amount=FEE if paying else 0,
        member_count=2,
        registration_complete=status == "paid",
        hold_expires_at=_held_until(name) if status in ("pending", "offered") else None,
        wait_position=list(WAITING_TEAMS).index(name) if status == "waitlisted" else None,
        invite_code=sealed(f"JOIN{leader:04d}"),
        invite_hash=blind(f"JOIN{leader:04d}"),
        created_at=OPENED + timedelta(hours=leader),
        updated_at=OPENED + timedelta(hours=leader),
    )


def _held_until(name: str) -> datetime:
    # One hold ran out an hour ago.
    return NOW + (timedelta(hours=-1) if name == "Slow Payers" else timedelta(minutes=15))


def hold(of: Team) -> Hold:
    assert of.hold_expires_at is not None
    return Hold(
        event_id=of.event_id,
        expires_at=of.hold_expires_at,
        team_id=of.team_id,
        created_at=of.updated_at,
    )


def founded(of: Team) -> Iterator[Entity]:
    """A team with its people and locks."""
    leader = int(of.leader_participant_id[-12:], 16)
    at = of.created_at
    yield of
    yield TeamNameLock(
        event_id=of.event_id, folded_name=folded(of.name), owner=of.team_id, created_at=at
    )
    assert of.invite_hash is not None
    yield InviteLock(
        event_id=of.event_id, invite_hash=of.invite_hash, owner=of.team_id, created_at=at
    )
    for number in (leader, leader + 1):
        yield from registered(person(number, of.event_id, of.team_id))
        yield Member(
            event_id=of.event_id,
            team_id=of.team_id,
            participant_id=uuid(1, number),
            joined_at=at + timedelta(minutes=number),
            created_at=at,
        )


def submission(leader: int) -> Submission:
    return Submission(
        event_id=MAIN,
        team_id=uuid(2, leader),
        repo_url=f"https://github.com/demo/team-{leader}",
        repository=f"github.com/demo/team-{leader}",
        created_at=NOW,
        updated_at=NOW,
    )


def invited(number: int) -> Invited:
    return Invited(
        event_id=MAIN,
        team_id=uuid(2, 7),
        email_hash=blind(f"friend-{number}"),
        email=sealed(f"friend{number}@example.com"),
        ttl=NOW + timedelta(days=14),
        created_at=NOW,
        updated_at=NOW,
    )
