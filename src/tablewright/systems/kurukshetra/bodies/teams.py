"""Teams, as their people write and see them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from tablewright.service.bodies import PLAIN, shown
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.rules.crockford import shown as grouped

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.teams import TeamView
    from tablewright.systems.kurukshetra.teams import Submission, Team

_TEAM: Final[dict[str, Any]] = {"name": "Code Warriors", "track": "ai-ml"}
_ID: Final = "00000001-0000-4000-8000-000000000001"
#: Of one request.
MOST_EMAILS: Final = 10

# How a name, a code or an address is written is looked at by its rule, which says what is wrong.
NameIn: TypeAlias = Annotated[
    str,
    Field(
        min_length=2,
        max_length=200,
        pattern=PLAIN,
        description="2 to 50 letters and digits of any script, spaces and - _ & ' . , ! + ( ).",
    ),
]
TrackIn: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=60, description="One of the event's tracks.")
]
EmailIn: TypeAlias = Annotated[str, Field(min_length=3, max_length=254, pattern=PLAIN)]
EmailsIn: TypeAlias = Annotated[list[EmailIn], Field(max_length=MOST_EMAILS)]


class TeamIn(BaseModel):
    """A new team."""

    model_config = shown(**_TEAM, invite=["meera@example.org"])

    name: NameIn
    track: TrackIn
    invite: EmailsIn = Field(
        default_factory=list, description="Who is asked by mail to join; each registers in person."
    )


class TeamRegistrationIn(BaseModel):
    """Somebody who registers with a new team."""

    model_config = shown(
        person={
            "first_name": "Asha",
            "last_name": "Verma",
            "phone": "+919876500001",
            "college": "Example University",
            "year": "3",
        },
        team={**_TEAM, "invite": ["meera@example.org"]},
    )

    person: RegistrationIn | None = Field(
        default=None, description="Not needed by who has registered before."
    )
    team: TeamIn


class TeamChange(BaseModel):
    """What is left out stays."""

    model_config = shown(name="Code Warriors II")

    name: NameIn | None = None
    track: TrackIn | None = None


class JoinIn(BaseModel):
    """A team's code, or a team that has invited the caller's address."""

    model_config = shown(code="7ZKX-3M9Q")

    code: Annotated[str, Field(min_length=1, max_length=40)] | None = None
    team_id: Annotated[str, Field(min_length=1, max_length=60)] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.code is None) == (self.team_id is None):
            raise ValueError("either a code or a team_id is needed")
        return self


class LeaderIn(BaseModel):
    """Who leads from now on."""

    model_config = shown(participant_id=_ID)

    participant_id: Annotated[str, Field(min_length=1, max_length=60)]


class InviteIn(BaseModel):
    """Who is to be asked; nobody: the team gets a new code."""

    model_config = shown(emails=["meera@example.org"])

    emails: EmailsIn = Field(default_factory=list)
    rotate: bool = Field(
        default=False, description="A new code, too. Without emails there always is one."
    )


class RepositoryIn(BaseModel):
    """Where the team's work is."""

    model_config = shown(repo_url="https://github.com/code-warriors/solution")

    repo_url: Annotated[str, Field(min_length=1, max_length=500)]


# --- what is answered ----------------------------------------------------------------------------


class MemberOut(BaseModel):
    """A member; the name is empty for who may not know it."""

    participant_id: str
    name: str
    leads: bool
    joined_at: datetime


class InvitedOut(BaseModel):
    """Somebody who was asked to join."""

    email_hash: str = Field(description="What the invitation is withdrawn by.")
    email: str
    until: datetime


class RepositoryOut(BaseModel):
    """Where the team's work is."""

    repo_url: str
    submitted: bool = Field(description="Whether judging has it.")
    updated_at: datetime


class TeamPaymentOut(BaseModel):
    """A payment of the team's."""

    payment_id: str
    status: PaymentStatus
    amount: int = Field(description="In minor units.")
    created_at: datetime


class TeamOut(BaseModel):
    """A team."""

    event_id: str
    team_id: str
    name: str
    track: str
    leader_participant_id: str
    payment_status: TeamStatus
    member_count: int
    max_members: int
    amount: int = Field(description="What was paid or is to pay, in minor units.")
    currency: str
    registration_complete: bool
    hold_expires_at: datetime | None
    created_at: datetime
    version: int


class TeamPageOut(TeamOut):
    """A team with all that belongs to it, as far as the caller may see it."""

    members: list[MemberOut]
    invited: list[InvitedOut]
    repository: RepositoryOut | None
    payments: list[TeamPaymentOut]
    ahead: int | None = Field(description="How many teams wait before it, if it waits.")
    invite_code: str | None = Field(description="For members, and who runs the event.")


def team_out(team: Team) -> TeamOut:
    return TeamOut(**_team(team))


def team_page_out(view: TeamView) -> TeamPageOut:
    return TeamPageOut(
        **_team(view.team),
        members=[
            MemberOut(
                participant_id=each.participant_id,
                name=each.name,
                leads=each.leads,
                joined_at=each.joined_at,
            )
            for each in view.members
        ],
        invited=[
            InvitedOut(email_hash=each.email_hash, email=each.email, until=each.until)
            for each in view.invited
        ],
        repository=None if view.submission is None else repository_out(view.submission),
        payments=[
            TeamPaymentOut(
                payment_id=each.payment_id,
                status=each.status,
                amount=each.amount,
                created_at=each.created_at,
            )
            for each in view.payments
        ],
        ahead=view.ahead,
        invite_code=None if view.invite_code is None else grouped(view.invite_code),
    )


def repository_out(submission: Submission) -> RepositoryOut:
    return RepositoryOut(
        repo_url=submission.repo_url,
        submitted=submission.sub_id is not None,
        updated_at=submission.updated_at,
    )


def _team(team: Team) -> dict[str, Any]:
    return {name: getattr(team, name) for name in TeamOut.model_fields}
