"""People, what they have answered, and what somebody may do."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from tablewright.model import Entity
from tablewright.systems.kurukshetra.demo_items.made_up import (
    MAIN,
    NOW,
    OPENED,
    blind,
    sealed,
    uuid,
)
from tablewright.systems.kurukshetra.forgetting import Erasure
from tablewright.systems.kurukshetra.people import (
    Answer,
    Draft,
    EmailLock,
    Participant,
    PeopleLink,
    PhoneLink,
    Role,
    RoleHolder,
    UidLink,
)

_FIRST = ("Asha", "Ravi", "Meera", "Arjun", "Divya", "Kabir", "Leela", "Nikhil", "Priya", "Rohan")
_LAST = ("Sharma", "Iyer", "Khan", "Das", "Patel", "Reddy", "Nair")


def first_name(number: int) -> str:
    return _FIRST[number % len(_FIRST)]


def person(number: int, event_id: str = MAIN, team_id: str | None = None) -> Participant:
    first, last = first_name(number), _LAST[number % len(_LAST)]
    email = f"{first}.{last}.{number}@example.com".lower()
    return Participant(
        event_id=event_id,
        participant_id=uuid(1, number),
        first_name=sealed(first),
        last_name=sealed(last),
        email=sealed(email),
        phone=sealed(f"+9198765{number:05d}"),
        github_username=sealed(f"{first.lower()}{number}"),
        linkedin=sealed(f"https://example.com/in/{first.lower()}{number}"),
        email_hash=blind(email),
        phone_hash=blind(f"+9198765{number:05d}"),
        college="Example University" if number % 2 else "Institute of Examples",
        year="3rd Year",
        registration_type="individual" if team_id is None else "team_member",
        team_id=team_id,
        firebase_uid=blind(f"user-{number}"),
        created_at=OPENED + timedelta(minutes=number),
        updated_at=OPENED + timedelta(minutes=number),
    )


def registered(who: Participant) -> Iterator[Entity]:
    """A participant with locks and links, as registration writes them."""
    event_id, me, at = who.event_id, who.participant_id, who.created_at
    assert who.email_hash is not None
    assert who.phone_hash is not None
    assert who.firebase_uid is not None
    yield who
    yield EmailLock(event_id=event_id, email_hash=who.email_hash, owner=me, created_at=at)
    yield UidLink(event_id=event_id, uid_hash=who.firebase_uid, target=me, created_at=at)
    yield PhoneLink(event_id=event_id, phone_hash=who.phone_hash, participant_id=me, created_at=at)
    yield PeopleLink(event_id=event_id, participant_id=me, created_at=at)


def answer(number: int, event_id: str = MAIN) -> Answer:
    return Answer(
        event_id=event_id,
        participant_id=uuid(1, number),
        question_id="diet",
        value=sealed("vegetarian"),
        created_at=OPENED,
        updated_at=OPENED,
    )


def draft(number: int) -> Draft:
    return Draft(
        uid_hash=blind(f"user-{number}"),
        event_id=MAIN,
        data=sealed('{"first_name": "Tara", "college": "Example University"}'),
        ttl=NOW + timedelta(days=30),
        created_at=NOW,
        updated_at=NOW,
    )


def role(number: int, *roles: str) -> Role:
    return Role.model_validate(
        {
            "uid_hash": blind(f"user-{number}"),
            "event_id": MAIN,
            "roles": set(roles),
            "created_at": OPENED,
            "updated_at": OPENED,
        }
    )


def role_holder(number: int, *roles: str) -> RoleHolder:
    return RoleHolder.model_validate(
        {**role(number, *roles).model_dump(), "who": sealed(f"user-{number}@example.org")}
    )


def erasure(number: int) -> Erasure:
    return Erasure(
        event_id=MAIN,
        participant_id=uuid(1, number),
        email_hash=person(number).email_hash,
        uid_hash=blind(f"user-{number}"),
        resume_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )
