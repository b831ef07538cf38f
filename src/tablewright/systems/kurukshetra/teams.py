"""Teams: their people, invitations, repositories, and their place among the seats."""

from __future__ import annotations

from tablewright.model import Field, IsoSeconds, Key, Ttl, Uuid
from tablewright.systems.kurukshetra.base import Changing, Kept, table
from tablewright.systems.kurukshetra.fields import (
    Currency,
    EventId,
    GatewayId,
    Hash,
    Money,
    Sealed,
    SealedPerson,
    Slug,
    TeamName,
    TeamStatus,
)


class Team(
    Changing,
    table=table,
    type="team",
    keys={
        "primary": Key("EVENT#{event_id}#TEAM#{team_id}", "PROFILE"),
        "by_status": Key(
            "EVENT#{event_id}#PAYMENT_STATUS#{payment_status}",
            "TRACK#{track}#TEAM#{team_id}",
            on="GSI3",
        ),
    },
):
    event_id: EventId
    team_id: Uuid
    name: TeamName
    track: Slug
    leader_participant_id: Uuid
    payment_status: TeamStatus = "unpaid"
    #: Our own id of the payment that the seat is held or paid with.
    payment_id: Uuid | None = None
    payment_order_id: GatewayId | None = None
    amount: Money = 0
    currency: Currency = "INR"
    member_count: int = Field(default=1, ge=0)
    max_members: int = Field(default=4, ge=1, le=20)
    #: The same as paid.
    registration_complete: bool = False
    #: Until when a seat is held.
    hold_expires_at: IsoSeconds | None = None
    wait_position: int | None = Field(default=None, ge=0)
    invite_code: Sealed | None = None
    invite_hash: Hash | None = None


class Member(
    Kept,
    table=table,
    type="member",
    keys={"primary": Key("EVENT#{event_id}#TEAM#{team_id}", "MEMBER#{participant_id}")},
):
    event_id: EventId
    team_id: Uuid
    participant_id: Uuid
    joined_at: IsoSeconds


class Invited(
    Changing,
    table=table,
    type="invited",
    keys={"primary": Key("EVENT#{event_id}#TEAM#{team_id}", "INVITED#{email_hash}")},
):
    """Somebody who was asked to join; each registers in person. Forgotten after 14 days."""

    event_id: EventId
    team_id: Uuid
    email_hash: Hash
    email: SealedPerson
    ttl: Ttl


class Submission(
    Changing,
    table=table,
    type="submission",
    keys={"primary": Key("EVENT#{event_id}#TEAM#{team_id}", "SUBMISSION")},
):
    """The repository that is handed over to judging."""

    event_id: EventId
    team_id: Uuid
    repo_url: str = Field(max_length=300)
    #: The address in the one form that all spellings of it have in common.
    repository: str = Field(min_length=1, max_length=200)
    #: What judging calls it.
    sub_id: str | None = Field(default=None, max_length=80)


# --- locks ---------------------------------------------------------------------------------------


class TeamNameLock(
    Kept,
    table=table,
    type="team_name_lock",
    keys={"primary": Key("EVENT#{event_id}#TEAMNAME#{folded_name}", "LOCK")},
):
    event_id: EventId
    #: A letter can become several when it is folded.
    folded_name: str = Field(min_length=1, max_length=300)
    #: A team.
    owner: Uuid


class InviteLock(
    Kept,
    table=table,
    type="invite_lock",
    keys={"primary": Key("EVENT#{event_id}#INVITE#{invite_hash}", "LOCK")},
):
    """A code leads to one team."""

    event_id: EventId
    invite_hash: Hash
    #: A team.
    owner: Uuid


class RepositoryLock(
    Kept,
    table=table,
    type="repository_lock",
    keys={"primary": Key("EVENT#{event_id}#REPO#{repository}", "LOCK")},
):
    event_id: EventId
    repository: str = Field(min_length=1, max_length=200)
    #: A team.
    owner: Uuid


# --- seats ---------------------------------------------------------------------------------------


class Hold(
    Kept,
    table=table,
    type="hold",
    keys={"primary": Key("EVENT#{event_id}#HOLD", "{expires_at}#{team_id}")},
):
    """A seat that is held, by the time at which it is free again."""

    event_id: EventId
    expires_at: IsoSeconds
    team_id: Uuid


class Wait(
    Kept,
    table=table,
    type="wait",
    keys={"primary": Key("EVENT#{event_id}#WAIT", "{position:012d}#{team_id}")},
):
    """A place in the queue for a seat."""

    event_id: EventId
    position: int = Field(ge=0)
    team_id: Uuid
