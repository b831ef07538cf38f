"""The form of an event's settings: what it shows, and the bodies that it makes.

Times are typed by the event's own clock and the fee in its currency; fields are called as the
bodies' are, so that what is wrong stands at its field.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import Final, get_args

from tablewright.service.forms import Typed, built
from tablewright.service.names import derive_slug
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.kurukshetra.bodies.events import ConfigChange, EventIn
from tablewright.systems.kurukshetra.events import TRACKS, Config, RequiredField
from tablewright.systems.kurukshetra.pages.asking import Asked, amount_text, local_text
from tablewright.systems.kurukshetra.rules.local_time import zone_of

_DEFAULT_ZONE: Final = "Asia/Kolkata"
#: Of a time that comes twice, an end is the second.
_MOMENTS: Final = {
    "registration_start": False,
    "registration_end": True,
    "event_start": False,
    "event_end": True,
    "roster_lock_at": True,
}
_NUMBERS: Final = (
    "min_team_size",
    "max_team_size",
    "max_teams",
    "max_waitlist",
    "hold_minutes",
    "grace_minutes",
    "offer_hours",
    "retention_days",
)
#: Lists of short names, which are derived from what people type: "AI & ML" is ai-ml.
_SLUGS: Final = ("tracks", "checkin_lists")
#: What is said of the whole, by a word of it: where it stands in the form.
_PLACES: Final = (
    ("min_team_size is above", "min_team_size"),
    ("end comes before", "registration_end"),
    ("a draft has no open registration", "visibility"),
    ("CAPACITY_IN_USE", "max_teams"),
    ("EVENT_EXISTS", "event_id"),
)
SHORT_NAME: Final = 'Use lowercase letters, digits and hyphens, for example "winter-jam".'
_FORMATS: Final = {
    "event_id": SHORT_NAME,
    "tracks": "Use letters, digits and hyphens, one track on each line.",
    "checkin_lists": "Use letters, digits and hyphens, one list on each line.",
    "currency": 'Use the three letters of a currency, for example "INR".',
    "vibejudge_hack_id": "Use the id of the event in VibeJudge: letters, digits, - and _.",
}
REQUIRABLE: Final[tuple[RequiredField, ...]] = get_args(RequiredField)
#: What a form that is changed must say.
_NEEDED: Final = ("event_name", "currency", "zone", *_NUMBERS, *_MOMENTS, "team_fee")

WORDS: Final = {
    "registration_open": "registration",
    "team_fee": "fee",
    "max_teams": "seats",
    "max_waitlist": "places on the waitlist",
    "vibejudge_hack_id": "hackathon in Vibejudge",
}


def values_of(config: Config) -> dict[str, str]:
    """Settings as their form shows them."""
    return {
        "event_name": config.event_name,
        "zone": config.zone,
        "registration_open": "1" if config.registration_open else "",
        **{name: local_text(getattr(config, name), config.zone) for name in _MOMENTS},
        "team_fee": amount_text(config.team_fee, config.currency),
        "currency": config.currency,
        **{name: str(getattr(config, name)) for name in _NUMBERS},
        "tracks": "\n".join(config.tracks),
        "checkin_lists": "\n".join(config.checkin_lists),
        "allowed_domains": "\n".join(sorted(config.allowed_domains)),
        "vibejudge_hack_id": config.vibejudge_hack_id or "",
        "contact_email": config.contact_email or "",
        "visibility": config.visibility,
        **{f"required.{name}": "1" for name in REQUIRABLE if name in config.required_fields},
    }


def first_values(now: datetime) -> dict[str, str]:
    """A new one is in six weeks, on a Saturday and Sunday, with the usual settings."""
    today = now.astimezone(zone_of(_DEFAULT_ZONE)).date()
    saturday = today + timedelta(days=42 + (5 - today.weekday()) % 7)

    def at(days: int, hour: int, minute: int = 0) -> str:
        day = datetime.combine(saturday + timedelta(days=days), time(hour, minute))
        return day.strftime("%Y-%m-%dT%H:%M")

    return {
        "zone": _DEFAULT_ZONE,
        "registration_start": f"{today}T09:00",
        "registration_end": at(-7, 23, 59),
        "event_start": at(0, 9),
        "event_end": at(1, 18),
        "roster_lock_at": at(-1, 23, 59),
        "team_fee": "999",
        "currency": "INR",
        "min_team_size": "2",
        "max_team_size": "4",
        "max_teams": "500",
        "max_waitlist": "200",
        "hold_minutes": "20",
        "grace_minutes": "5",
        "offer_hours": "24",
        "retention_days": "365",
        "tracks": "\n".join(TRACKS),
        "checkin_lists": "entry",
    }


def read_event(values: Typed) -> EventIn:
    """A new event, or a problem with what is wrong."""
    asked = Asked(values)
    typed = values.get("event_id", "").strip()
    event_id = typed.lower() or derive_slug(values.get("event_name", ""), most=60)
    if not event_id:
        asked.errors.append(FieldError("body.event_id", SHORT_NAME))
    problem_free = {"event_id": event_id or "event", **_said(asked)}
    return built(EventIn, problem_free, asked.errors, formats=_FORMATS)


def read_change(values: Typed) -> ConfigChange:
    """Changed settings: all that the form has."""
    asked = Asked(values)
    said = _said(asked)
    known = {each.field for each in asked.errors}
    for name in _NEEDED:
        if not values.get(name) and f"body.{name}" not in known:
            asked.errors.append(FieldError(f"body.{name}", "Is missing."))
    said["vibejudge_hack_id"] = asked.text("vibejudge_hack_id")
    said["contact_email"] = asked.text("contact_email")
    return built(ConfigChange, said, asked.errors, formats=_FORMATS)


def _said(asked: Asked) -> dict[str, object]:
    """Without what was left empty."""
    zone, currency = asked.values.get("zone", ""), asked.values.get("currency", "").upper()
    said: dict[str, object | None] = {
        "event_name": asked.text("event_name"),
        "zone": zone or None,
        "currency": currency or None,
        "registration_open": asked.ticked("registration_open"),
        "team_fee": asked.amount("team_fee", currency),
        "vibejudge_hack_id": asked.text("vibejudge_hack_id"),
        "contact_email": asked.text("contact_email"),
        "visibility": asked.text("visibility"),
        "required_fields": [name for name in REQUIRABLE if asked.ticked(f"required.{name}")],
        **{name: asked.moment(name, zone, later=end) for name, end in _MOMENTS.items()},
        **{name: asked.text(name) for name in _NUMBERS},
        **{name: [derive_slug(e, most=60) or e for e in asked.lines(name)] for name in _SLUGS},
        "allowed_domains": asked.lines("allowed_domains"),
    }
    return {name: value for name, value in said.items() if value is not None}


def at_its_field(problem: Problem) -> Problem:
    """What is said of the whole, where people look for it."""
    found = [each for each in problem.errors if each.field not in ("body", "")]
    loose = [each.message for each in problem.errors if each.field in ("body", "")]
    if problem.status == 409:
        loose.append(f"{problem.code}: {problem.detail}")
    placed = [
        FieldError(f"body.{field}", text.partition(": ")[2] or text)
        for text in loose
        for word, field in _PLACES
        if word in text
    ]
    if not placed:
        return problem
    return Problem(problem.status, problem.code, problem.detail, errors=[*found, *placed])


def words(field: str) -> str:
    """What a field is called, where it is spoken of beside the form."""
    return WORDS.get(field, field.replace("_", " "))
