"""What is asked by key: one item, many items, or all that hangs on one thing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablewright.model import (
    Get,
    Rate,
    Uuid,
    batch,
    collect,
    get,
)
from tablewright.systems.kurukshetra.events import Config, Question, Seats
from tablewright.systems.kurukshetra.fields import EventId, Hash
from tablewright.systems.kurukshetra.payments import (
    GatewayEvent,
    OrderLink,
    Payment,
    PaymentLock,
    Refund,
    Voucher,
    VoucherUse,
)
from tablewright.systems.kurukshetra.people import (
    Answer,
    Certificate,
    CheckIn,
    Draft,
    EmailLock,
    Participant,
    Role,
    RoleHolder,
    Scan,
    UidLink,
)
from tablewright.systems.kurukshetra.teams import (
    Invited,
    InviteLock,
    Member,
    RepositoryLock,
    Submission,
    Team,
    TeamNameLock,
)

# --- people --------------------------------------------------------------------------------------


@get(EmailLock, consistent=True, component="api", rate=Rate(1, peak=50))
def email_lock(event_id: EventId, email_hash: Hash) -> None:
    """Whether an address has registered; only a hint, the registration itself decides. [1a]"""


@dataclass(frozen=True)
class Me:
    """A signed-in user."""

    links: tuple[UidLink, ...]
    roles: tuple[Role, ...]
    drafts: tuple[Draft, ...]


@collect(Me, consistent=True, component="api", rate=Rate(10, peak=200), expect=3)
def me(uid_hash: Hash) -> None:
    """A user's events, roles and drafts. [1c]"""


@get(UidLink, consistent=True, component="api", rate=Rate(20, peak=400))
def participant_of_user(uid_hash: Hash, event_id: EventId) -> None:
    """Who a user is at an event. [1c]"""


@get(Role, consistent=True, component="api", rate=Rate(5, peak=100))
def role(uid_hash: Hash, event_id: EventId) -> None:
    """What a user may do at an event. [1c]"""


@get(RoleHolder, consistent=True, component="api", rate=Rate(0.01))
def role_holder(event_id: EventId, uid_hash: Hash) -> None:
    """Who was given roles, before they are given others. [5b]"""


@get(Draft, consistent=True, component="api", rate=Rate(1, peak=50))
def draft(uid_hash: Hash, event_id: EventId) -> None:
    """A form that is not sent yet. [1c]"""


@get(Participant, consistent=True, component="api", rate=Rate(20, peak=400))
def participant(event_id: EventId, participant_id: Uuid) -> None:
    """One person at one event. [5b]"""


@batch(component="api", rate=Rate(10, peak=200), expect=4)
def participants(event_id: EventId, ids: Iterable[Uuid]) -> list[Get[Participant]]:
    """Many people of an event, such as the members of a team. [1d, 2a, 4b, 4e]"""
    return [participant(event_id, each) for each in ids]


@dataclass(frozen=True)
class ParticipantPage:
    """A person with everything that hangs on them."""

    participant: Participant
    answers: tuple[Answer, ...]
    checkins: tuple[CheckIn, ...]


@collect(ParticipantPage, consistent=True, component="api", rate=Rate(2, peak=50), expect=6)
def participant_page(event_id: EventId, participant_id: Uuid) -> None:
    """A person, the answers, and where they checked in. [5b]"""


@get(Scan, consistent=True, component="api", rate=Rate(1, peak=30))
def scan_result(event_id: EventId, nonce: str) -> None:
    """What a scan said when it came first. [5b]"""


@get(CheckIn, consistent=True, component="api", rate=Rate(0.1, peak=10))
def check_in_of(event_id: EventId, participant_id: Uuid, list_id: str) -> None:
    """Whether somebody has passed a list at the door. [5b]"""


@batch(component="jobs", rate=Rate(0.01), expect=100)
def check_ins_of(event_id: EventId, ids: Iterable[Uuid], list_id: str) -> list[Get[CheckIn]]:
    """The same of many, for certificates. [5b]"""
    return [check_in_of(event_id, each, list_id) for each in ids]


@get(Certificate, consistent=True, component="api", rate=Rate(0.5, peak=20))
def certificate(code: str) -> None:
    """A certificate by the code that is printed on it. [5b]"""


@batch(component="api", rate=Rate(0.1, peak=5), expect=3)
def certificates(codes: Iterable[str]) -> list[Get[Certificate]]:
    """Those of one person, one of each kind. [5b]"""
    return [certificate(each) for each in codes]


# --- teams ---------------------------------------------------------------------------------------


@get(Team, consistent=True, component="api", rate=Rate(20, peak=400))
def team(event_id: EventId, team_id: Uuid) -> None:
    """One team. [5b]"""


@dataclass(frozen=True)
class TeamPage:
    """A team with everything that hangs on it."""

    team: Team
    members: tuple[Member, ...]
    invited: tuple[Invited, ...]
    submission: Submission | None


@collect(TeamPage, consistent=True, component="api", rate=Rate(10, peak=200), expect=6)
def team_page(event_id: EventId, team_id: Uuid) -> None:
    """A team, its members, who is invited, and the repository. [2a]"""


@get(InviteLock, consistent=True, component="api", rate=Rate(2, peak=100))
def invite(event_id: EventId, invite_hash: Hash) -> None:
    """Which team a code leads to. [5b]"""


@get(TeamNameLock, consistent=True, component="api", rate=Rate(1, peak=50))
def team_name(event_id: EventId, folded_name: str) -> None:
    """Which team has a name. [5b]"""


@get(RepositoryLock, consistent=True, component="api", rate=Rate(0.5))
def repository(event_id: EventId, repository: str) -> None:
    """Which team has a repository. [5b]"""


@get(Submission, consistent=True, component="api", rate=Rate(0.5))
def submission(event_id: EventId, team_id: Uuid) -> None:
    """A team's repository. [5b]"""


@batch(component="handover", expect=500)
def submissions(event_id: EventId, team_ids: Iterable[Uuid]) -> list[Get[Submission]]:
    """The repositories of many teams, to hand over. [5b]"""
    return [submission(event_id, each) for each in team_ids]


# --- seats ---------------------------------------------------------------------------------------


# --- money ---------------------------------------------------------------------------------------


@get(OrderLink, consistent=True, component="webhook", rate=Rate(5, peak=100))
def order_link(order_id: str) -> None:
    """Whose a gateway's order is. [3b]"""


@get(Payment, consistent=True, component="webhook", rate=Rate(5, peak=100))
def payment(event_id: EventId, payment_id: Uuid) -> None:
    """One payment. [5b]"""


@dataclass(frozen=True)
class PaymentPage:
    """A payment and what was paid back."""

    payment: Payment
    refunds: tuple[Refund, ...]


@collect(PaymentPage, consistent=True, component="api", rate=Rate(0.5), expect=1.1)
def payment_page(event_id: EventId, payment_id: Uuid) -> None:
    """A payment with its refunds. [5b]"""


@get(PaymentLock, consistent=True, component="webhook", rate=Rate(5, peak=100))
def payment_lock(razorpay_payment_id: str) -> None:
    """Whether a capture had its effect already. [3a]"""


@batch(component="webhook", rate=Rate(5, peak=100), expect=4)
def captured(
    link: OrderLink, razorpay_payment_id: str
) -> list[Get[Config] | Get[Payment] | Get[Team] | Get[PaymentLock]]:
    """What a capture is about: event, payment, team, and whether it had its effect. [3a]"""
    return [
        config(link.event_id),
        payment(link.event_id, link.payment_id),
        team(link.event_id, link.team_id),
        payment_lock(razorpay_payment_id),
    ]


@batch(component="poller", rate=Rate(0.1), expect=50)
def payment_locks(razorpay_payment_ids: Iterable[str]) -> list[Get[PaymentLock]]:
    """Which of many captures had their effect. [3a]"""
    return [payment_lock(each) for each in razorpay_payment_ids]


@get(GatewayEvent, consistent=True, component="webhook", rate=Rate(5, peak=100))
def gateway_event(gateway_event_id: str) -> None:
    """Whether a delivery was seen before. [3a]"""


@get(Voucher, consistent=True, component="api", rate=Rate(1, peak=20))
def voucher(event_id: EventId, code: str) -> None:
    """What a voucher is worth. [5b]"""


@batch(component="api", rate=Rate(0.01), expect=10)
def vouchers(event_id: EventId, codes: Iterable[str]) -> list[Get[Voucher]]:
    """What many vouchers are worth, for the list of them. [5b]"""
    return [voucher(event_id, each) for each in codes]


@get(VoucherUse, consistent=True, component="api", rate=Rate(0.1))
def voucher_use(event_id: EventId, code: str, team_id: Uuid) -> None:
    """Whether a team has used a voucher. [5b]"""


# --- events --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setup:
    """How an event is set up."""

    config: Config
    seats: Seats
    questions: tuple[Question, ...]


@collect(Setup, consistent=True, component="api", rate=Rate(10, peak=200), expect=10)
def setup(event_id: EventId) -> None:
    """An event's settings, seats and questions. [5b]"""


@get(Config, consistent=True, component="api", rate=Rate(20, peak=400))
def config(event_id: EventId) -> None:
    """An event's settings. [5b]"""


@get(Seats, consistent=True, component="api", rate=Rate(20, peak=400))
def seats(event_id: EventId) -> None:
    """What is left. [5b]"""
