"""Lists: for organisers and workers, and everything there is for upkeep."""

from __future__ import annotations

from datetime import date, datetime

from tablewright.model import (
    IsoSeconds,
    Projection,
    Range,
    Rate,
    Uuid,
    count,
    find,
    query,
    scan,
)
from tablewright.systems.kurukshetra.events import Event, Statistics, TrackStatistics
from tablewright.systems.kurukshetra.fields import EventId, Hash, PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.payments import (
    Finding,
    Payment,
    RefundDue,
    VoucherLink,
)
from tablewright.systems.kurukshetra.people import (
    Answer,
    Certificate,
    Draft,
    Participant,
    PeopleLink,
    PhoneLink,
    RoleHolder,
)
from tablewright.systems.kurukshetra.teams import (
    Hold,
    Invited,
    Team,
    Wait,
)


class Registration(Projection, of=Participant):
    """Where somebody is registered."""

    event_id: EventId
    participant_id: Uuid


@query(Participant, key="by_email", into=Registration, component="api", rate=Rate(0.01), expect=3)
def registrations_of_email(email_hash: Hash) -> None:
    """All events of one person; ``participants`` reads them. [1d]"""


@query(
    Participant, key="by_college", into=Registration, component="api", rate=Rate(0.1), expect=100
)
def people_of_college(event_id: EventId, college_slug: str) -> None:
    """Who comes from a college; ``participants`` reads them. [4b]"""


@query(
    PeopleLink,
    range=Range("participant_id", gt="after"),
    consistent=True,
    component="export",
    rate=Rate(0.02),
    expect=2500,
)
def people(event_id: EventId, shard: int, *, after: Uuid | None = None) -> None:
    """An eighth of all participants, for exports, mails, certificates and retention. [4e]

    Who was interrupted goes on ``after`` the last one.
    """


@query(PhoneLink, consistent=True, component="api", rate=Rate(0.1), expect=1)
def people_with_phone(event_id: EventId, phone_hash: Hash) -> None:
    """Who has a number. [5b]"""


@query(Participant, key="by_team", into=Registration, component="verify", expect=4)
def people_of_team(event_id: EventId, team_id: Uuid) -> None:
    """Who says to be in a team, to compare with its members. [6]"""


class TeamPayment(Projection, of=Payment):
    """A payment as the list of a team has it."""

    payment_id: Uuid
    created_at: IsoSeconds
    status: PaymentStatus
    amount: int


@query(Payment, key="by_team", into=TeamPayment, component="api", rate=Rate(2), expect=1.3)
def payments_of_team(event_id: EventId, team_id: Uuid) -> None:
    """What a team has paid, or tried to. [2b]"""


class TeamLine(Projection, of=Team):
    """A team as lists have it."""

    event_id: EventId
    team_id: Uuid
    name: str
    track: str
    payment_status: TeamStatus
    member_count: int
    amount: int


@query(Team, key="by_status", into=TeamLine, component="api", rate=Rate(1), expect=100)
def teams_by_status(
    event_id: EventId, payment_status: TeamStatus, track: str | None = None
) -> None:
    """Teams in one state, of one track if wanted; a track in all states takes seven. [4a]"""


@query(
    Hold,
    range=Range("expires_at", le="cut"),
    consistent=True,
    component="sweeper",
    rate=Rate(7),
    expect=10,
)
def due_holds(event_id: EventId, cut: datetime) -> None:
    """Seats whose hold has run out, the oldest first. [5a]"""


@find(Wait, consistent=True, component="promoter", rate=Rate(4))
def queue_head(event_id: EventId) -> None:
    """Who gets the next free seat. [5a]"""


@query(Wait, consistent=True, component="api", rate=Rate(0.1), expect=100)
def queue(event_id: EventId) -> None:
    """Everybody who waits, in their order. [5a]"""


@count(Wait, range=Range("position", lt="before"), consistent=True, component="api", expect=100)
def ahead_in_queue(event_id: EventId, before: int) -> None:
    """How many wait before somebody. [5a]"""


class PaymentLine(Projection, of=Payment):
    """A payment as lists have it."""

    payment_id: Uuid
    day: date
    status: PaymentStatus
    amount: int


@query(
    Payment,
    key="by_status",
    range=Range("day", ge="since", le="until"),
    into=PaymentLine,
    component="api",
    rate=Rate(0.5),
    expect=100,
)
def payments_by_status(
    event_id: EventId,
    status: PaymentStatus,
    *,
    since: date | None = None,
    until: date | None = None,
) -> None:
    """Payments in one state, by day. [4c]"""


@query(
    Finding,
    range=Range("day", ge="since", le="until"),
    consistent=True,
    component="api",
    rate=Rate(0.01),
    expect=5,
)
def findings(event_id: EventId, *, since: date | None = None, until: date | None = None) -> None:
    """What reconciliation found, by day. [5b]"""


@query(
    RefundDue,
    range=Range("due_at", le="cut"),
    consistent=True,
    component="refund-sender",
    rate=Rate(0.1),
    expect=1,
)
def due_refunds(cut: datetime) -> None:
    """Refunds about which the gateway is to be asked, the oldest first. [5a]"""


@query(Event, consistent=True, component="api", rate=Rate(2, peak=50), expect=20)
def events() -> None:
    """All events there are. [1c]"""


@query(RoleHolder, consistent=True, component="api", rate=Rate(0.01), expect=10)
def role_holders(event_id: EventId) -> None:
    """Who has roles at an event. [5b]"""


@query(VoucherLink, consistent=True, component="api", rate=Rate(0.01), expect=10)
def voucher_codes(event_id: EventId) -> None:
    """The vouchers that there are; ``vouchers`` reads them. [5b]"""


@query(
    Statistics,
    range=Range("day", ge="since", le="until"),
    consistent=True,
    component="api",
    rate=Rate(0.2),
    expect=240,
)
def statistics(event_id: EventId, since: date, until: date) -> None:
    """What happened from day to day, in eight parts each. [4d]"""


@query(
    TrackStatistics,
    range=Range("day", ge="since", le="until"),
    consistent=True,
    component="api",
    rate=Rate(0.2),
    expect=20,
)
def track_statistics(event_id: EventId, since: date, until: date) -> None:
    """Payments in an event's own tracks from day to day, in eight parts each. [4d]"""


# --- everything, for upkeep ----------------------------------------------------------------------

#: Requests of one reading of the whole table: as many as it takes.
_WHOLE = 1_000_000


@scan(Participant, admin=True, component="re-encrypt", expect=20_000, max_pages=_WHOLE)
def every_participant() -> None:
    """All people of all events. [6]"""


@scan(Answer, admin=True, component="re-encrypt", expect=60_000, max_pages=_WHOLE)
def every_answer() -> None:
    """All answers of all events. [6]"""


@scan(Invited, admin=True, component="re-encrypt", expect=5_000, max_pages=_WHOLE)
def every_invited() -> None:
    """All who are invited and not there yet. [6]"""


@scan(Draft, admin=True, component="re-encrypt", expect=2_000, max_pages=_WHOLE)
def every_draft() -> None:
    """All forms that are not sent yet. [6]"""


@scan(Certificate, admin=True, component="re-encrypt", expect=15_000, max_pages=_WHOLE)
def every_certificate() -> None:
    """All certificates. [6]"""


@scan(RoleHolder, admin=True, component="re-encrypt", expect=500, max_pages=_WHOLE)
def every_role_holder() -> None:
    """All who have roles at one event. [6]"""


@scan(Team, admin=True, component="verify", expect=5_000, max_pages=_WHOLE)
def every_team() -> None:
    """All teams of all events; their codes are sealed, and seats are counted by them. [6]"""


@scan(Payment, admin=True, component="stats-audit", expect=6_000, max_pages=_WHOLE)
def every_payment() -> None:
    """All payments of all events, to count them again. [6]"""
