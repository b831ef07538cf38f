"""People: who registered, what they answered, where they were, and how they are found."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias, get_args

from tablewright.model import Field, IsoSeconds, Key, Ttl, Uuid, shard_of
from tablewright.systems.kurukshetra.base import SHARDS, Changing, Kept, table
from tablewright.systems.kurukshetra.fields import (
    CertificateCode,
    EventId,
    Hash,
    Nonce,
    SealedAnswer,
    SealedForm,
    SealedPerson,
    Slug,
    slug_of,
)

RoleName: TypeAlias = Literal["volunteer", "finance", "organizer", "auditor", "admin"]
ROLE_NAMES: Final[tuple[RoleName, ...]] = get_args(RoleName)
ScanResult: TypeAlias = Literal[
    "ok", "already_redeemed", "unpaid", "revoked", "invalid", "wrong_event", "wrong_list"
]
#: The name of a list at the door, such as ``entry`` or ``lunch-1``.
ListId: TypeAlias = Slug
QuestionId: TypeAlias = Slug


def _college_slug(data: dict[str, Any]) -> str | None:
    return slug_of(data.get("college", ""))


class Participant(
    Changing,
    table=table,
    type="participant",
    keys={
        "primary": Key("EVENT#{event_id}#PARTICIPANT#{participant_id}", "PROFILE"),
        "by_email": Key(
            "EMAIL#{email_hash}", "EVENT#{event_id}#PARTICIPANT#{participant_id}", on="GSI1"
        ),
        "by_team": Key(
            "EVENT#{event_id}#TEAM#{team_id}", "PARTICIPANT#{participant_id}", on="GSI2"
        ),
        "by_college": Key(
            "EVENT#{event_id}#COLLEGE#{college_slug}", "PARTICIPANT#{participant_id}", on="GSI3"
        ),
    },
):
    """Somebody at one event. Who was erased stays as a row without a person in it."""

    event_id: EventId
    participant_id: Uuid
    first_name: SealedPerson | None = None
    last_name: SealedPerson | None = None
    email: SealedPerson | None = None
    phone: SealedPerson | None = None
    github_username: SealedPerson | None = None
    linkedin: SealedPerson | None = None
    email_hash: Hash | None = None
    phone_hash: Hash | None = None
    college: str = Field(default="", max_length=120)
    college_slug: Slug | None = Field(default_factory=_college_slug)
    year: str = Field(default="", max_length=20)
    student_status: bool = True
    registration_type: Literal["individual", "team_member"] = "individual"
    team_id: Uuid | None = None
    #: Of the sign-in: a hash too.
    firebase_uid: Hash | None = None
    #: Raising it makes older tickets worthless.
    ticket_version: int = Field(default=1, ge=1)
    erased_at: IsoSeconds | None = None


class Answer(
    Changing,
    table=table,
    type="answer",
    keys={"primary": Key("EVENT#{event_id}#PARTICIPANT#{participant_id}", "ANSWER#{question_id}")},
):
    """To a question of the event; sealed if the question asks for something personal."""

    event_id: EventId
    participant_id: Uuid
    question_id: QuestionId
    value: SealedAnswer


class CheckIn(
    Kept,
    table=table,
    type="checkin",
    keys={"primary": Key("EVENT#{event_id}#PARTICIPANT#{participant_id}", "CHECKIN#{list_id}")},
):
    event_id: EventId
    participant_id: Uuid
    list_id: ListId
    state: Literal["redeemed", "undone"] = "redeemed"
    at: IsoSeconds
    #: The volunteer, as a hash.
    by: Hash
    #: The scan that redeemed the ticket.
    nonce: Nonce | None = None


class Scan(
    Kept,
    table=table,
    type="scan",
    keys={"primary": Key("EVENT#{event_id}#NONCE#{nonce}", "SCAN")},
):
    """What one scan said; the same nonce gets the same answer."""

    event_id: EventId
    nonce: Nonce
    list_id: ListId
    participant_id: Uuid | None = None
    result: ScanResult
    at: IsoSeconds
    by: Hash
    #: Seven days later.
    ttl: Ttl


class Certificate(
    Changing,
    table=table,
    type="certificate",
    keys={"primary": Key("CERT#{code}", "META")},
):
    code: CertificateCode
    event_id: EventId
    participant_id: Uuid
    kind: Literal["participation", "completion", "winner"]
    name: SealedPerson | None = None


# --- how they are found --------------------------------------------------------------------------


class EmailLock(
    Kept,
    table=table,
    type="email_lock",
    keys={"primary": Key("EVENT#{event_id}#EMAIL#{email_hash}", "LOCK")},
):
    """An address registers once per event."""

    event_id: EventId
    email_hash: Hash
    #: A participant.
    owner: Uuid


class UidLink(
    Kept,
    table=table,
    type="uid_link",
    keys={"primary": Key("UID#{uid_hash}", "EVENT#{event_id}")},
):
    """Who a signed-in user is at an event."""

    uid_hash: Hash
    event_id: EventId
    #: A participant.
    target: Uuid


class PhoneLink(
    Kept,
    table=table,
    type="phone_link",
    keys={"primary": Key("EVENT#{event_id}#PHONE#{phone_hash}", "PARTICIPANT#{participant_id}")},
):
    """Who has a number; families share one."""

    event_id: EventId
    phone_hash: Hash
    participant_id: Uuid


def _shard(data: dict[str, Any]) -> int:
    return shard_of(data["participant_id"], SHARDS)


class PeopleLink(
    Kept,
    table=table,
    type="people_link",
    keys={"primary": Key("EVENT#{event_id}#PEOPLE#{shard}", "PARTICIPANT#{participant_id}")},
):
    """Everybody at an event, spread so that registration is not held up by one partition."""

    event_id: EventId
    participant_id: Uuid
    shard: int = Field(default_factory=_shard, ge=0, le=SHARDS - 1)


#: Stands for all events in roles that somebody has everywhere; no event can be called so.
EVERYWHERE: Final = "all-events"


class Role(
    Changing,
    table=table,
    type="role",
    keys={"primary": Key("UID#{uid_hash}", "ROLE#{event_id}")},
):
    """What somebody may do at an event; the hash is of a user, or of a verified address."""

    uid_hash: Hash
    event_id: EventId
    roles: set[RoleName]


class RoleHolder(
    Changing,
    table=table,
    type="role_holder",
    keys={"primary": Key("EVENT#{event_id}#ROLES", "ROLE#{uid_hash}")},
):
    """Who has roles at an event, for who gives them: a copy that can be listed."""

    event_id: EventId
    uid_hash: Hash
    #: The address or the user id that the roles were given to.
    who: SealedPerson
    roles: set[RoleName]


class Draft(
    Changing,
    table=table,
    type="draft",
    keys={"primary": Key("UID#{uid_hash}", "DRAFT#{event_id}")},
):
    """A registration form that is not sent yet; forgotten after 30 days."""

    uid_hash: Hash
    event_id: EventId
    data: SealedForm
    ttl: Ttl
