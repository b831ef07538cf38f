"""Events: settings, seats, questions and statistics."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import model_validator

from tablewright.model import (
    Attribute,
    Counter,
    Field,
    IsoSeconds,
    Key,
    Shard,
    Update,
    attr,
    increment,
)
from tablewright.systems.kurukshetra.base import SHARDS, Changing, table
from tablewright.systems.kurukshetra.fields import Currency, EventId, Moment, Money, Slug
from tablewright.systems.kurukshetra.people import ListId, QuestionId

Visibility: TypeAlias = Literal["draft", "public", "hidden"]
RequiredField: TypeAlias = Literal["last_name", "phone", "college", "year", "github_username"]

TRACKS = ("ai-ml", "web-mobile", "blockchain", "iot-hardware", "social-impact", "open-innovation")


class Event(
    Changing, table=table, type="event", keys={"primary": Key("EVENTS", "EVENT#{event_id}")}
):
    """A line of the list of events."""

    event_id: EventId
    event_name: str = Field(min_length=1, max_length=120)
    event_start: IsoSeconds
    event_end: IsoSeconds
    visibility: Visibility = "public"


class Window(Changing):
    """When registration is open."""

    registration_open: bool = False
    registration_start: IsoSeconds
    registration_end: IsoSeconds


class Config(
    Window,
    table=table,
    type="config",
    keys={"primary": Key("EVENT#{event_id}#CONFIG", "HACKATHON")},
):
    event_id: EventId
    event_name: str = Field(min_length=1, max_length=120)
    event_start: IsoSeconds
    event_end: IsoSeconds
    team_fee: Money = 99900
    currency: Currency = "INR"
    min_team_size: int = Field(default=2, ge=1, le=20)
    max_team_size: int = Field(default=4, ge=1, le=20)
    max_teams: int = Field(default=500, ge=0)
    tracks: list[Slug] = Field(default=list(TRACKS), min_length=1, max_length=30)
    zone: str = Field(default="Asia/Kolkata", max_length=60)
    hold_minutes: int = Field(default=20, ge=1)
    #: How much later a payment is still in time.
    grace_minutes: int = Field(default=5, ge=0)
    offer_hours: int = Field(default=24, ge=1)
    max_waitlist: int = Field(default=200, ge=0)
    roster_lock_at: IsoSeconds
    retention_days: int = Field(default=365, ge=1)
    allowed_domains: set[str] = Field(default=set())
    checkin_lists: list[ListId] = Field(default=["entry"], max_length=30)
    #: Where people write to: answers to mails go there.
    contact_email: str | None = Field(default=None, max_length=254)
    #: What people have to fill in when they register, beside their first name.
    required_fields: set[RequiredField] = Field(default=set())
    #: A draft and a hidden event are on no list; nobody but who runs it sees a draft.
    visibility: Visibility = "public"
    #: The event's counterpart in judging.
    vibejudge_hack_id: str | None = Field(default=None, max_length=60)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_team_size > self.max_team_size:
            raise ValueError("min_team_size is above max_team_size")
        if self.registration_start > self.registration_end or self.event_start > self.event_end:
            raise ValueError("an end comes before its start")
        if self.visibility == "draft" and self.registration_open:
            raise ValueError("a draft has no open registration")
        return self


class Seats(
    Window,
    table=table,
    type="seats",
    keys={"primary": Key("EVENT#{event_id}#CONFIG", "SEATS")},
):
    """What is left. ``free`` and the teams with a seat are together ``capacity``, at any time.

    The window is a copy, so that a checkout can be refused by the item that it writes.
    """

    event_id: EventId
    capacity: int = Field(ge=0)
    free: int = Field(ge=0)
    waiting: int = Field(default=0, ge=0)
    next_position: int = Field(default=0, ge=0)


class Question(
    Changing,
    table=table,
    type="question",
    keys={"primary": Key("EVENT#{event_id}#CONFIG", "QUESTION#{number:02d}#{question_id}")},
):
    event_id: EventId
    number: int = Field(ge=1, le=40)
    question_id: QuestionId
    label: str = Field(min_length=1, max_length=300)
    kind: Literal["text", "choice", "multi", "bool", "date"] = "text"
    choices: list[str] = Field(default=[], max_length=50)
    required: bool = False
    #: Answers are sealed.
    pii: bool = False


class Statistics(
    Counter,
    table=table,
    type="statistics",
    shards=SHARDS,
    keys={"primary": Key("EVENT#{event_id}#STATS", "DAILY#{day}#{shard:01d}")},
):
    """Counts of one day. Teams in an event's own tracks are counted in :class:`TrackStatistics`."""

    event_id: EventId
    day: date
    shard: Shard = 0
    created_at: IsoSeconds | None = None
    registrations: int = 0
    teams: int = 0
    joins: int = 0
    checkouts: int = 0
    expired: int = 0
    paid: int = 0
    revenue: int = 0
    refunded: int = 0
    checkins: int = 0
    paid_ai_ml: Annotated[int, Attribute("paid_ai-ml")] = 0
    paid_web_mobile: Annotated[int, Attribute("paid_web-mobile")] = 0
    paid_blockchain: int = 0
    paid_iot_hardware: Annotated[int, Attribute("paid_iot-hardware")] = 0
    paid_social_impact: Annotated[int, Attribute("paid_social-impact")] = 0
    paid_open_innovation: Annotated[int, Attribute("paid_open-innovation")] = 0
    #: Not written any more; the nightly comparison moves what is left to the tracks themselves.
    paid_other: int = 0


class TrackStatistics(
    Counter,
    table=table,
    type="track_statistics",
    shards=SHARDS,
    keys={"primary": Key("EVENT#{event_id}#STATS", "TRACK#{day}#{track}#{shard:01d}")},
):
    """Payments of one day in one of the event's own tracks."""

    event_id: EventId
    day: date
    track: Slug
    shard: Shard = 0
    created_at: IsoSeconds | None = None
    paid: int = 0


def counted(event_id: str, now: Moment, lane: str, **amounts: int) -> Update[Statistics]:
    """Add to the statistics of the day; the lane, an id, decides the shard."""
    added = increment(Statistics, lane=lane, event_id=event_id, day=now.day, **amounts)
    return added.do(attr(Statistics.created_at).set_if_missing(now.at))


def count_own_track(
    event_id: str, now: Moment, lane: str, track: str, paid: int
) -> Update[TrackStatistics]:
    """Add to the payments of one of the event's own tracks on a day."""
    added = increment(
        TrackStatistics, lane=lane, event_id=event_id, day=now.day, track=track, paid=paid
    )
    return added.do(attr(TrackStatistics.created_at).set_if_missing(now.at))


def count_paid_team(
    event_id: str, now: Moment, team_id: str, track: str, revenue: int = 0
) -> tuple[Update[Statistics], *tuple[Update[TrackStatistics], ...]]:
    """Count a team that has paid, with its track: a usual one or one of the event's own."""
    amounts = {"paid": 1} | ({"revenue": revenue} if revenue else {})
    if track in TRACKS:
        return (counted(event_id, now, team_id, **amounts, **{paid_track(track): 1}),)
    daily = counted(event_id, now, team_id, **amounts)
    return daily, count_own_track(event_id, now, team_id, track, 1)


def paid_track(track: str) -> str:
    """Return the field of :class:`Statistics` that counts paid teams of a usual track."""
    return "paid_" + track.replace("-", "_")
