"""Organisers, their profiles and their keys."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import AfterValidator, BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.service.email_addresses import MOST_CHARACTERS, parse_email
from tablewright.systems.vibejudge.bodies.common import Line, UsdOut
from tablewright.systems.vibejudge.entities import Tier

if TYPE_CHECKING:
    from tablewright.service.kit.entities import ApiKey
    from tablewright.systems.vibejudge.entities import Organizer
    from tablewright.systems.vibejudge.service.organizers import Profile


Email: TypeAlias = Annotated[
    str, Field(min_length=3, max_length=MOST_CHARACTERS), AfterValidator(parse_email)
]
_EXAMPLE: Final = {
    "email": "ada@example.org",
    "name": "Ada Organiser",
    "organization": "Example Guild",
}


class OrganizerIn(BaseModel):
    """Somebody who wants to organise hackathons."""

    model_config = shown(**_EXAMPLE)

    email: Email = Field(description="In any case; it belongs to one organiser.")
    name: Line
    organization: Line | None = None


class OrganizerChange(BaseModel):
    """What is left out stays as it is."""

    model_config = shown(name="Ada O.", organization=None)

    email: Email | None = Field(default=None, description="null leaves it as it is.")
    name: Line | None = Field(default=None, description="null leaves it as it is.")
    organization: Line | None = Field(default=None, description="null takes it away.")


class TierIn(BaseModel):
    """Another tier."""

    model_config = shown(tier="premium")

    tier: Tier


class KeyIn(BaseModel):
    """A key to be made."""

    model_config = shown(name="Nightly import")

    name: Line


class UsageOut(BaseModel):
    """What is used of a year."""

    year: int
    hackathons: int
    hackathons_limit: int | None = Field(description="null is without a limit.")
    submissions_limit: int = Field(description="In each hackathon.")
    spend_usd: UsdOut


class OrganizerOut(BaseModel):
    """An organiser."""

    org_id: str
    email: str
    name: str
    organization: str | None
    tier: Tier
    hackathon_count: int
    version: int
    created_at: datetime


class RegisteredOut(OrganizerOut):
    """A new organiser; the key is shown this once."""

    api_key: str


class ProfileOut(OrganizerOut):
    """An organiser, and what they have used."""

    usage: UsageOut


class KeyOut(BaseModel):
    """A key, without its secret."""

    key_id: str
    name: str
    created_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="To the hour.")


class NewKeyOut(KeyOut):
    """A new key; its text is shown this once."""

    api_key: str


def organizer_out(organizer: Organizer) -> OrganizerOut:
    return OrganizerOut(
        org_id=organizer.org_id,
        email=organizer.email,
        name=organizer.name,
        organization=organizer.organization,
        tier=organizer.tier,
        hackathon_count=organizer.hackathon_count,
        version=organizer.version,
        created_at=organizer.created_at,
    )


def profile_out(profile: Profile) -> ProfileOut:
    usage = UsageOut(
        year=profile.usage.year,
        hackathons=profile.usage.hackathons,
        hackathons_limit=profile.allowance.hackathons_a_year,
        submissions_limit=profile.allowance.submissions,
        spend_usd=profile.usage.spend_usd,
    )
    return ProfileOut(**organizer_out(profile.organizer).model_dump(), usage=usage)


def key_out(key: ApiKey) -> KeyOut:
    return KeyOut(
        key_id=key.key_id,
        name=key.name,
        created_at=key.created_at,
        revoked_at=key.revoked_at,
        last_used_at=key.last_used_at,
    )
