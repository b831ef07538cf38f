"""What the fields of the entities are: ids, hashes, sealed texts, money, and the two life cycles.

Personal data is stored sealed, as ``v1.<key id>.<data>``. Such a field takes a text in that form,
or a :class:`.Plain`, which cannot be stored before it is sealed; no plain ``str`` fits. The plain
texts have their types here too, for who takes them in.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from tablewright.model import Field, Personal
from tablewright.service.names import comparison_key
from tablewright.systems.kurukshetra.plain import Plain, Seals

# --- ids and hashes ------------------------------------------------------------------------------

#: A slug, as it stands in addresses and keys.
EventId: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Slug: TypeAlias = EventId
#: The keyed hash of an address, a number, a code or a user id: 128 bits.
Hash: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
#: Of a gateway's order, payment, refund or event.
GatewayId: TypeAlias = Annotated[str, Field(min_length=1, max_length=80)]
Nonce: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
CertificateCode: TypeAlias = Annotated[str, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{16}$")]
VoucherCode: TypeAlias = Annotated[str, Field(pattern=r"^[A-Z0-9-]{3,40}$")]

# --- texts ---------------------------------------------------------------------------------------

#: As 2,000 characters are, of four bytes each.
MOST_SEALED = 11_000
#: A form that is only half filled in may hold every answer.
MOST_FORM = 90_000
_SEALED = r"^v1\.[A-Za-z0-9_-]{1,40}\.[A-Za-z0-9_=-]+$"

if TYPE_CHECKING:
    Sealed: TypeAlias = str | Plain
    SealedPerson: TypeAlias = Sealed
    SealedForm: TypeAlias = Sealed
    SealedAnswer: TypeAlias = Sealed
else:
    # What is stored is a text: the data layer is not told of the other.

    #: An encrypted text.
    Sealed = Annotated[str, Field(pattern=_SEALED, max_length=MOST_SEALED), Seals()]
    #: Encrypted personal data.
    SealedPerson = Annotated[Sealed, Personal()]
    #: The same, of a whole form.
    SealedForm = Annotated[str, Field(pattern=_SEALED, max_length=MOST_FORM), Seals(), Personal()]
    #: The same where only some are encrypted.
    SealedAnswer = Annotated[str, Field(max_length=MOST_SEALED), Seals(sometimes=True), Personal()]

#: What is sealed, before it is: for forms and imports.
PersonName: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]
Email: TypeAlias = Annotated[str, Field(min_length=3, max_length=254)]
Phone: TypeAlias = Annotated[str, Field(pattern=r"^\+[1-9][0-9]{6,14}$")]

#: What a name may consist of is decided by ``rules.team_names``, which says what is wrong with one.
TeamName: TypeAlias = Annotated[
    str, Field(min_length=2, max_length=50, pattern=r"^[^\x00-\x1f#]*$")
]

# --- money ---------------------------------------------------------------------------------------

#: In minor units: paise, cents.
Money: TypeAlias = Annotated[int, Field(ge=0, le=10**12)]
Currency: TypeAlias = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]

# --- life cycles ---------------------------------------------------------------------------------

TeamStatus: TypeAlias = Literal[
    "unpaid", "pending", "paid", "refunded", "waitlisted", "offered", "cancelled"
]
#: A team in one of these has a seat.
SEATED: tuple[TeamStatus, ...] = ("pending", "offered", "paid")
#: Nothing more will happen to a team in one of these.
ENDED: tuple[TeamStatus, ...] = ("refunded", "cancelled")

#: In the order in which a payment rises; it never falls.
PaymentStatus: TypeAlias = Literal[
    "created",
    "failed",
    "authorized",
    "expired",
    "late",
    "paid",
    "partially_refunded",
    "refunded",
]
PAYMENT_STATUSES: tuple[PaymentStatus, ...] = get_args(PaymentStatus)
#: Money has come for a payment in one of these, whatever became of it.
TAKEN: tuple[PaymentStatus, ...] = ("late", "paid", "partially_refunded", "refunded")


def below(status: PaymentStatus) -> tuple[PaymentStatus, ...]:
    """What a payment may have been before it is ``status``."""
    if status == "refunded":
        return ("late", "paid", "partially_refunded")
    if status == "partially_refunded":
        return ("paid",)
    if status == "paid":
        # An expired one has no seat any more: taking it up again is a transaction of its own.
        return ("created", "failed", "authorized")
    return PAYMENT_STATUSES[: PAYMENT_STATUSES.index(status)]


@dataclass(frozen=True)
class Moment:
    """When something happens: the time, and the day it is at the event's place."""

    at: datetime
    day: date


def folded(name: str) -> str:
    """What two team names have in common if they look the same."""
    return comparison_key(name)


def slug_of(name: str) -> str | None:
    """``"Example University"`` as ``example-university``; None if nothing is left of it."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].rstrip("-") or None
