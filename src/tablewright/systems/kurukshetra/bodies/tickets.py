"""Tickets, the door, certificates and jobs, as requests and answers say them."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from tablewright.model import Uuid
from tablewright.service.bodies import Seconds, line, shown
from tablewright.systems.kurukshetra.fields import Nonce
from tablewright.systems.kurukshetra.jobs import JobState
from tablewright.systems.kurukshetra.people import ListId, ScanResult

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.jobs import Job
    from tablewright.systems.kurukshetra.service.certificates import CheckedCertificate
    from tablewright.systems.kurukshetra.service.door import Outfit, Passing
    from tablewright.systems.kurukshetra.service.tickets import Issued

#: Scans of one batch; participants of one order.
MOST_SCANS, MOST_PEOPLE = 200, 500

_TICKET = (
    "CK1.kurukshetra-2026.0b0e7f6e-5c5d-4c06-9a0c-4a7d1f2f3a11.1."
    "c2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJlc2lnbmF0dXJl"
)
_PERSON = "0b0e7f6e-5c5d-4c06-9a0c-4a7d1f2f3a11"

#: Whatever a camera or a person read; what is no ticket is told so.
TicketText = Annotated[str, Field(min_length=1, max_length=1000)]


# --- tickets -------------------------------------------------------------------------------------


class TicketOut(BaseModel):
    """What to show at the door."""

    model_config = ConfigDict(frozen=True)

    ticket: str = Field(description="The text that is in the QR code.")
    version: int = Field(ge=1, description="Of several tickets, only the last one is let in.")
    event_name: str
    first_name: str
    last_name: str
    short_code: str = Field(description="To be said or typed at the door, if it cannot be scanned.")
    team_id: str
    team_name: str
    qr_svg: str = Field(description="The QR code as a picture.")


def ticket_out(issued: Issued) -> TicketOut:
    return TicketOut(
        ticket=issued.text,
        version=issued.version,
        event_name=issued.event_name,
        first_name=issued.first_name,
        last_name=issued.last_name,
        short_code=issued.short_code,
        team_id=issued.team.team_id,
        team_name=issued.team.name,
        qr_svg=issued.svg,
    )


# --- the door ------------------------------------------------------------------------------------


class ScanIn(BaseModel):
    """A ticket in front of the door."""

    model_config = shown(ticket=_TICKET, list_id="entry", nonce="d1-000017-4f9a")

    ticket: TicketText
    list_id: ListId
    nonce: Nonce = Field(description="Made by the door, for this scan: sent again, it is the same.")


class PastScanIn(ScanIn):
    """A ticket that was scanned without a connection."""

    model_config = shown(
        ticket=_TICKET, list_id="entry", nonce="d1-000017-4f9a", at="2026-12-05T03:30:00Z"
    )

    at: Seconds = Field(description="When it was scanned, by the door's clock.")


class BatchIn(BaseModel):
    """What a door has scanned while it was offline."""

    model_config = shown(
        scans=[
            {
                "ticket": _TICKET,
                "list_id": "entry",
                "nonce": "d1-000017-4f9a",
                "at": "2026-12-05T03:30:00Z",
            }
        ],
        sent_at="2026-12-05T03:35:00Z",
    )

    scans: Annotated[list[PastScanIn], Field(min_length=1, max_length=MOST_SCANS)]
    sent_at: Seconds | None = Field(
        default=None,
        description="What the door's clock shows when it sends this. The times of its scans are "
        "corrected by the difference to the server's clock.",
    )

    @model_validator(mode="after")
    def _once(self) -> Self:
        nonces = [each.nonce for each in self.scans]
        if len(set(nonces)) < len(nonces):
            raise ValueError("a nonce is there twice")
        return self


class SearchIn(BaseModel):
    """Somebody who has no ticket with them."""

    model_config = shown(q="Asha Verma", list_id="entry")

    q: Annotated[str, *line(1, 200)] = Field(
        description="Words of the name or the team, the end of the phone number, or a short code."
    )
    list_id: ListId


class ManualIn(BaseModel):
    """A check-in by hand."""

    model_config = shown(
        participant_id=_PERSON,
        list_id="entry",
        reason="Phone is dead, identity card seen",
        nonce="d1-000018-7c2e",
    )

    participant_id: Uuid
    list_id: ListId
    reason: Annotated[str, *line(3, 200)] = Field(description="Kept in the audit log.")
    nonce: Nonce = Field(description="Made by the door: sent again, it is the same check-in.")


class UndoIn(BaseModel):
    """A check-in that was a mistake."""

    model_config = shown(participant_id=_PERSON, list_id="entry")

    participant_id: Uuid
    list_id: ListId


class ScanOut(BaseModel):
    """What a scan says."""

    model_config = ConfigDict(frozen=True)

    nonce: str
    result: ScanResult | Literal["nonce_reused"] = Field(
        description="`nonce_reused` is for a nonce that was used for another ticket before."
    )
    at: datetime
    participant_id: str | None = None
    first_name: str = ""
    last_name: str = ""
    team_name: str = ""
    redeemed_at: datetime | None = Field(
        default=None, description="When another scan has redeemed the ticket."
    )


class BatchOut(BaseModel):
    """What each scan says, in the order in which they were sent."""

    model_config = ConfigDict(frozen=True)

    results: list[ScanOut]


class DoorPersonOut(BaseModel):
    """Somebody who was found, as the door may see them."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    participant_id: str
    first_name: str
    last_name: str
    team: str
    paid: bool = Field(description="Whether the team's seat is paid.")
    redeemed_at: datetime | None = Field(description="When they passed the list, if they did.")


class DoorPeopleOut(BaseModel):
    """Who was found: the first twenty by name."""

    model_config = ConfigDict(frozen=True)

    people: list[DoorPersonOut]


class PublicKey(BaseModel):
    """An Ed25519 key, as a JSON Web Key."""

    model_config = ConfigDict(frozen=True, extra="allow")

    kid: str
    kty: str
    crv: str
    x: str


class OutfitOut(BaseModel):
    """What a door needs to check signatures without a connection."""

    model_config = ConfigDict(frozen=True)

    event_id: str
    event_name: str
    lists: list[str]
    keys: list[PublicKey]


def scan_out(passing: Passing) -> ScanOut:
    return ScanOut(
        nonce=passing.nonce,
        result=passing.result,
        at=passing.at,
        participant_id=passing.participant_id,
        first_name=passing.first_name,
        last_name=passing.last_name,
        team_name=passing.team,
        redeemed_at=passing.redeemed_at,
    )


def outfit_out(outfit: Outfit) -> OutfitOut:
    return OutfitOut(
        event_id=outfit.event_id,
        event_name=outfit.event_name,
        lists=list(outfit.lists),
        keys=[PublicKey.model_validate(each) for each in outfit.jwks["keys"]],
    )


# --- certificates --------------------------------------------------------------------------------

CertificateKind = Literal["participation", "completion", "winner"]


class CertificatesIn(BaseModel):
    """Who is to get a certificate. Only who is checked in gets one."""

    model_config = shown(kind="participation", list_id="entry")

    kind: CertificateKind
    list_id: ListId = Field(default="entry", description="Who passed this list was there.")
    participants: Annotated[list[Uuid], Field(min_length=1, max_length=MOST_PEOPLE)] | None = Field(
        default=None, description="Absent: all. Winners have to be named."
    )
    check_only: bool = Field(
        default=False,
        description="Issue nothing: the job tells who would get one, and whose names no font has.",
    )


class CertificateOut(BaseModel):
    """A certificate that is valid."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    code: str
    event_id: str
    event_name: str
    kind: CertificateKind
    name: str = Field(description="As it is printed.")
    starts: date
    ends: date
    issued: date


class CertificatesOut(BaseModel):
    """Somebody's certificates of an event."""

    model_config = ConfigDict(frozen=True)

    items: list[CertificateOut]


def certificate_out(checked: CheckedCertificate) -> CertificateOut:
    return CertificateOut.model_validate(checked)


# --- jobs ----------------------------------------------------------------------------------------


class JobOut(BaseModel):
    """Something that takes longer than a request."""

    model_config = ConfigDict(frozen=True, from_attributes=True)

    job_id: str
    kind: str = Field(examples=["certificates"])
    state: JobState
    done: int = Field(ge=0)
    total: int | None = Field(description="If it is known.")
    result: dict[str, JsonValue]
    error_code: str | None
    error: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


def job_out(job: Job) -> JobOut:
    return JobOut.model_validate(job)
