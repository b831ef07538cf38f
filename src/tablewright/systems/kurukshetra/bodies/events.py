"""Events, their settings, and what everybody may know of them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from tablewright.service.bodies import Seconds, line, shown
from tablewright.service.email_addresses import comparison_key, parse_email
from tablewright.systems.kurukshetra.events import TRACKS, RequiredField, Visibility
from tablewright.systems.kurukshetra.fields import EventId, Money, Slug
from tablewright.systems.kurukshetra.rules import local_time
from tablewright.systems.kurukshetra.rules.fees import currencies_in_use
from tablewright.systems.kurukshetra.rules.windows import Phase

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.events import Config, Event, Question, Seats
    from tablewright.systems.kurukshetra.service.events import PublicEvent

_EXAMPLE: Final[dict[str, Any]] = {
    "event_name": "Kurukshetra 2026",
    "registration_open": True,
    "registration_start": "2026-11-01T04:30:00Z",
    "registration_end": "2026-12-01T18:29:59Z",
    "event_start": "2026-12-05T03:30:00Z",
    "event_end": "2026-12-06T12:30:00Z",
    "roster_lock_at": "2026-12-04T18:29:59Z",
    "max_teams": 500,
}


def _zone(name: str) -> str:
    local_time.zone_of(name)
    return name


def _domain(text: str) -> str:
    name = comparison_key(text)
    parse_email(f"somebody@{name.removeprefix('*.')}")
    return name


def _distinct(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("one is named twice")
    return names


def _contact(text: object) -> object:
    """An address as it is stored; an empty text is none."""
    if not isinstance(text, str):
        return text
    return parse_email(text) if text.strip() else None


def _currency(code: str) -> str:
    known = code.strip().upper()
    if known not in currencies_in_use():
        raise ValueError("use the code of a currency, such as INR, USD or EUR")
    return known


CurrencyIn: TypeAlias = Annotated[str, Field(max_length=10), AfterValidator(_currency)]
EventName: TypeAlias = Annotated[str, *line(1, 120)]
Zone: TypeAlias = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_zone)]
Slugs: TypeAlias = Annotated[
    list[Slug], Field(min_length=1, max_length=30), AfterValidator(_distinct)
]
Domain: TypeAlias = Annotated[str, Field(min_length=3, max_length=200), AfterValidator(_domain)]
Domains: TypeAlias = Annotated[list[Domain], Field(max_length=200)]
Size: TypeAlias = Annotated[int, Field(ge=1, le=20)]
Seated: TypeAlias = Annotated[int, Field(ge=0, le=100_000)]
Minutes: TypeAlias = Annotated[int, Field(ge=1, le=1440)]
Grace: TypeAlias = Annotated[int, Field(ge=0, le=1440)]
Hours: TypeAlias = Annotated[int, Field(ge=1, le=720)]
Days: TypeAlias = Annotated[int, Field(ge=1, le=3650)]
ContactIn: TypeAlias = Annotated[str | None, Field(max_length=300), BeforeValidator(_contact)]
RequiredIn: TypeAlias = Annotated[list[RequiredField], Field(max_length=10)]
HackId: TypeAlias = Annotated[str, Field(min_length=1, max_length=60, pattern="^[A-Za-z0-9_-]+$")]


class EventIn(BaseModel):
    """A new event. What is left out has its default."""

    model_config = shown(event_id="kurukshetra-2026", **_EXAMPLE)

    event_id: EventId = Field(description="A slug: it is part of all addresses of the event.")
    event_name: EventName
    registration_open: bool = False
    registration_start: Seconds
    registration_end: Seconds
    event_start: Seconds
    event_end: Seconds
    roster_lock_at: Seconds | None = Field(
        default=None, description="Until then people join and leave teams; else the event's start."
    )
    team_fee: Money = Field(default=99900, description="In minor units: paise.")
    currency: CurrencyIn = "INR"
    min_team_size: Size = 2
    max_team_size: Size = 4
    max_teams: Seated = 500
    tracks: Slugs = Field(default_factory=lambda: list(TRACKS))
    zone: Zone = "Asia/Kolkata"
    hold_minutes: Minutes = Field(default=20, description="How long a checkout holds its seat.")
    grace_minutes: Grace = Field(default=5, description="How much later money is still in time.")
    offer_hours: Hours = Field(default=24, description="How long a seat is offered to who waits.")
    max_waitlist: Seated = 200
    retention_days: Days = Field(default=365, description="Then the people are forgotten.")
    allowed_domains: Domains = Field(
        default_factory=list, description="Of addresses; `*.ac.in` is all below it. None: anybody."
    )
    checkin_lists: Slugs = Field(default_factory=lambda: ["entry"])
    contact_email: ContactIn = Field(
        default=None, description="Answers to the event's mails go there."
    )
    required_fields: RequiredIn = Field(
        default_factory=list,
        description="What people have to fill in when they register, beside their first name.",
    )
    visibility: Visibility = Field(
        default="public",
        description="`draft`: only for those who run it. `hidden`: on no list, for those who know "
        "its address.",
    )
    vibejudge_hack_id: HackId | None = None

    def settings(self) -> dict[str, object]:
        """What the event's settings take over."""
        said = self.model_dump()
        said["roster_lock_at"] = self.roster_lock_at or self.event_start
        said["allowed_domains"] = set(self.allowed_domains)
        said["required_fields"] = set(self.required_fields)
        return said


class ConfigChange(BaseModel):
    """Other settings. What is left out stays as it is."""

    model_config = shown(registration_open=False, max_teams=520)

    event_name: EventName | None = None
    registration_open: bool | None = None
    registration_start: Seconds | None = None
    registration_end: Seconds | None = None
    event_start: Seconds | None = None
    event_end: Seconds | None = None
    roster_lock_at: Seconds | None = None
    team_fee: Money | None = None
    currency: CurrencyIn | None = None
    min_team_size: Size | None = None
    max_team_size: Size | None = None
    max_teams: Seated | None = None
    tracks: Slugs | None = None
    zone: Zone | None = None
    hold_minutes: Minutes | None = None
    grace_minutes: Grace | None = None
    offer_hours: Hours | None = None
    max_waitlist: Seated | None = None
    retention_days: Days | None = None
    allowed_domains: Domains | None = None
    checkin_lists: Slugs | None = None
    contact_email: ContactIn = Field(default=None, description="null takes it away.")
    required_fields: RequiredIn | None = None
    visibility: Visibility | None = None
    vibejudge_hack_id: HackId | None = Field(default=None, description="null takes it away.")

    def settings(self) -> dict[str, object]:
        """What changes."""
        said = self.model_dump(exclude_unset=True)
        kept = {name: each for name, each in said.items() if each is not None}
        if self.allowed_domains is not None:
            kept["allowed_domains"] = set(self.allowed_domains)
        if self.required_fields is not None:
            kept["required_fields"] = set(self.required_fields)
        for name in ("vibejudge_hack_id", "contact_email"):
            if name in said:
                kept[name] = getattr(self, name)
        return kept


class SeatsIn(BaseModel):
    """How many teams there may be. Fewer only as far as seats are free."""

    model_config = shown(max_teams=520)

    max_teams: Seated

    def change(self) -> ConfigChange:
        return ConfigChange(max_teams=self.max_teams)


# --- answers -------------------------------------------------------------------------------------


class HealthOut(BaseModel):
    """All is well."""

    status: Literal["ok"] = "ok"


class EventRow(BaseModel):
    """An event in the list."""

    event_id: str
    event_name: str
    event_start: datetime
    event_end: datetime
    visibility: Visibility


class SeatsOut(BaseModel):
    """What is left."""

    capacity: int
    free: int
    taken: int = Field(description="Paid, or held while somebody pays.")
    waiting: int


class QuestionOut(BaseModel):
    """A question of the registration form."""

    question_id: str
    label: str
    kind: Literal["text", "choice", "multi", "bool", "date"]
    choices: list[str]
    required: bool
    pii: bool = Field(description="Answers are encrypted.")


class PublicOut(BaseModel):
    """An event, as everybody may know it."""

    event_id: str
    event_name: str
    phase: Phase = Field(description="Whether one can register now, and if not, why.")
    registration_start: datetime
    registration_end: datetime
    event_start: datetime
    event_end: datetime
    roster_lock_at: datetime
    zone: str
    team_fee: int = Field(description="In minor units.")
    currency: str
    min_team_size: int
    max_team_size: int
    tracks: list[str]
    allowed_domains: list[str]
    contact_email: str | None
    required_fields: list[RequiredField]
    visibility: Visibility
    seats: SeatsOut
    questions: list[QuestionOut]


class TracksOut(BaseModel):
    """What teams choose from."""

    tracks: list[str]


class ConfigOut(BaseModel):
    """The settings of an event. Their ETag is what a change is made with."""

    event_id: str
    event_name: str
    registration_open: bool
    registration_start: datetime
    registration_end: datetime
    event_start: datetime
    event_end: datetime
    roster_lock_at: datetime
    team_fee: int
    currency: str
    min_team_size: int
    max_team_size: int
    max_teams: int
    tracks: list[str]
    zone: str
    hold_minutes: int
    grace_minutes: int
    offer_hours: int
    max_waitlist: int
    retention_days: int
    allowed_domains: list[str]
    checkin_lists: list[str]
    contact_email: str | None
    required_fields: list[RequiredField]
    visibility: Visibility
    vibejudge_hack_id: str | None
    version: int
    created_at: datetime
    updated_at: datetime


def event_row(event: Event) -> EventRow:
    return EventRow.model_validate(event.model_dump(include=set(EventRow.model_fields)))


def seats_out(seats: Seats) -> SeatsOut:
    return SeatsOut(
        capacity=seats.capacity,
        free=seats.free,
        taken=seats.capacity - seats.free,
        waiting=seats.waiting,
    )


def question_out(question: Question) -> QuestionOut:
    return QuestionOut.model_validate(question.model_dump(include=set(QuestionOut.model_fields)))


def config_out(config: Config) -> ConfigOut:
    said = config.model_dump(include=set(ConfigOut.model_fields))
    return ConfigOut.model_validate({**said, **_sorted_sets(config)})


def _sorted_sets(config: Config) -> dict[str, list[str]]:
    return {
        "allowed_domains": sorted(config.allowed_domains),
        "required_fields": sorted(config.required_fields),
    }


def public_out(event: PublicEvent) -> PublicOut:
    said = event.config.model_dump(include=set(PublicOut.model_fields))
    return PublicOut.model_validate(
        {
            **said,
            **_sorted_sets(event.config),
            "phase": event.phase,
            "seats": seats_out(event.seats),
            "questions": [question_out(each) for each in event.questions],
        }
    )
