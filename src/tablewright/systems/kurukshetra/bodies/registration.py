"""Registering, drafts, and what is known about oneself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from tablewright.service.bodies import line, shown
from tablewright.service.web_urls import UrlError, clean_url, strip_paste_marks
from tablewright.systems.kurukshetra.bodies.tickets import CertificateKind
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.people import RoleName

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.people import Me, MyEvent, PersonView

_GITHUB: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?\Z")
_GITHUB_PAGE: Final = re.compile(
    r"(?:https?://)?(?:www\.)?github\.com/([^/?#\s]+)/?(?:[?#].*)?\Z", re.IGNORECASE
)
_PROFILE: Final[dict[str, Any]] = {
    "first_name": "Asha",
    "last_name": "Verma",
    "phone": "+91 98765 43210",
    "github_username": "asha-v",
    "linkedin": "https://www.linkedin.com/in/asha-v",
    "college": "Example University",
    "year": "3",
    "answers": {"shirt": "M"},
}


def _github(text: str) -> str:
    """The user name in what was pasted: ``@asha``, ``github.com/asha`` or the name itself."""
    pasted = strip_paste_marks(text)
    found = _GITHUB_PAGE.match(pasted)
    name = found[1] if found else pasted.removeprefix("@")
    if name and not _GITHUB.match(name):
        raise ValueError('Enter your user name on GitHub, for example "asha-verma".')
    return name


def _linkedin(text: str) -> str:
    """The address in what was pasted: ``linkedin.com/in/asha`` and ``in/asha`` are understood."""
    pasted = strip_paste_marks(text)
    if not pasted:
        return ""
    if pasted.startswith("in/"):
        pasted = f"www.linkedin.com/{pasted}"
    try:
        address = clean_url(pasted, hosts=("linkedin.com",), most=200)
    except UrlError:
        raise ValueError("Enter an address such as https://www.linkedin.com/in/asha.") from None
    return f"https://{address.partition('://')[2]}"


AnswerIn: TypeAlias = (
    Annotated[str, Field(max_length=2000)]
    | bool
    | Annotated[list[Annotated[str, Field(max_length=120)]], Field(max_length=50)]
)
Answers: TypeAlias = Annotated[
    dict[Annotated[str, Field(max_length=60)], AnswerIn], Field(max_length=40)
]


class RegistrationIn(BaseModel):
    """What somebody says about themselves. The address is that of the sign-in."""

    model_config = shown(**_PROFILE)

    first_name: Annotated[str, *line(1, 60)]
    last_name: Annotated[str, *line(0, 60)] = Field(
        default="", description="Who has one name leaves it empty."
    )
    phone: Annotated[str, *line(0, 60)] = ""
    github_username: Annotated[str, *line(0, 100), AfterValidator(_github)] = ""
    linkedin: Annotated[str, *line(0, 300), AfterValidator(_linkedin)] = ""
    college: Annotated[str, *line(0, 120)] = ""
    year: Annotated[str, *line(0, 20)] = ""
    student_status: bool = True
    answers: Answers = Field(default_factory=dict, description="By the ids of questions.")


class ProfileIn(RegistrationIn):
    """The same, as it should be from now on: what is left out is empty then."""

    model_config = shown(**_PROFILE)


class DraftIn(BaseModel):
    """A form as far as it is filled in."""

    model_config = shown(data={"first_name": "Asha"})

    data: dict[str, JsonValue] = Field(description="At most 60,000 bytes of JSON.")


# --- answers -------------------------------------------------------------------------------------


class DraftOut(BaseModel):
    """A form that is not sent yet; it is forgotten after thirty days."""

    data: dict[str, JsonValue]
    updated_at: datetime | None = Field(description="null if there is no draft.")


class CheckInOut(BaseModel):
    """Where somebody was let in."""

    list_id: str
    state: Literal["redeemed", "undone"]
    at: datetime


class PersonOut(BaseModel):
    """Somebody at an event. What the caller may not see is null."""

    event_id: str
    participant_id: str
    detail: Literal["full", "masked", "name"] = Field(
        description="How much of it is shown, and whether it stands for the person only."
    )
    first_name: str
    last_name: str
    email: str | None
    phone: str | None
    github_username: str | None
    linkedin: str | None
    college: str | None
    year: str | None
    student_status: bool | None
    team_id: str | None
    team_name: str | None
    answers: dict[str, str | bool | list[str]] | None
    checkins: list[CheckInOut] | None
    version: int
    created_at: datetime
    updated_at: datetime


class MyPaymentOut(BaseModel):
    """A payment of one's team."""

    payment_id: str
    status: PaymentStatus
    amount: int = Field(description="In minor units.")
    created_at: datetime


class MyCertificateOut(BaseModel):
    """A certificate of one's own."""

    model_config = ConfigDict(from_attributes=True)

    code: str
    kind: CertificateKind
    name: str = Field(description="As it is printed.")
    issued: date


class MyEventOut(BaseModel):
    """What is known about oneself at one event."""

    event_id: str
    event_name: str
    person: PersonOut | None
    team_status: TeamStatus | None
    leads: bool
    payments: list[MyPaymentOut]
    certificates: list[MyCertificateOut]
    roles: list[RoleName]
    draft: dict[str, JsonValue] | None


class MeOut(BaseModel):
    """Everything that is known about oneself, in all events."""

    user_id: str
    name: str
    email: str | None
    email_verified: bool
    roles: list[RoleName] = Field(description="At all events.")
    events: list[MyEventOut]


def person_out(person: PersonView) -> PersonOut:
    return PersonOut.model_validate(
        {name: getattr(person, name) for name in PersonOut.model_fields if name != "checkins"}
        | {"checkins": None if person.checkins is None else list(map(_checkin, person.checkins))}
    )


def _checkin(checkin: Any) -> CheckInOut:
    return CheckInOut(list_id=checkin.list_id, state=checkin.state, at=checkin.at)


def me_out(me: Me) -> MeOut:
    return MeOut(
        user_id=me.user_id,
        name=me.name,
        email=me.email,
        email_verified=me.verified,
        roles=sorted(me.roles),
        events=[_my_event(each) for each in me.events],
    )


def _my_event(mine: MyEvent) -> MyEventOut:
    return MyEventOut(
        event_id=mine.event_id,
        event_name=mine.event_name,
        person=None if mine.person is None else person_out(mine.person),
        team_status=mine.team_status,
        leads=mine.leads,
        payments=[
            MyPaymentOut.model_validate(each.model_dump(include=set(MyPaymentOut.model_fields)))
            for each in mine.payments
        ],
        certificates=[MyCertificateOut.model_validate(each) for each in mine.certificates],
        roles=sorted(mine.roles),
        draft=mine.draft,
    )


def draft_out(data: Mapping[str, JsonValue] | None, at: datetime | None) -> DraftOut:
    return DraftOut(data=dict(data or {}), updated_at=at)
