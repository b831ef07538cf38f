"""Where pages are, and who may do what on them."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from tablewright.service.paths import with_query
from tablewright.systems.kurukshetra.people import RoleName

BASE: Final = "/kurukshetra"
#: The events; everybody begins here.
HOME: Final = f"{BASE}/"
EVENTS: Final = f"{BASE}/events"
CERTIFICATES: Final = f"{BASE}/certificates"
ME: Final = f"{BASE}/me"
NEW: Final = f"{EVENTS}/new"
#: Who may plan an event; who runs one is decided there.
PLANNERS: Final[tuple[RoleName, ...]] = ("organizer", "admin")


def event_path(event_id: str) -> str:
    """What everybody sees of an event."""
    return f"{EVENTS}/{event_id}"


def admin_path(event_id: str, rest: str = "") -> str:
    """Where an event is run: ``admin_path(e, "/payments")``."""
    return f"{event_path(event_id)}/admin{rest}"


def payment_path(event_id: str, payment_id: str) -> str:
    """A payment, as finance sees it."""
    return admin_path(event_id, f"/payments/{payment_id}")


def person_path(event_id: str, participant_id: str) -> str:
    """Somebody who has registered, as organisers see them."""
    return admin_path(event_id, f"/registrations/{participant_id}")


def run_team_path(event_id: str, team_id: str) -> str:
    """A team, as who runs the event sees it."""
    return admin_path(event_id, f"/teams/{team_id}")


def door_path(event_id: str) -> str:
    """Where tickets are scanned."""
    return f"{event_path(event_id)}/door"


def register_path(event_id: str, step: str = "you") -> str:
    """A step of the registration: ``you``, ``team`` or ``terms``."""
    return f"{event_path(event_id)}/register/{step}"


def team_path(event_id: str) -> str:
    """One's own team."""
    return f"{event_path(event_id)}/team"


def join_path(event_id: str, code: str = "") -> str:
    """What an invite code leads to."""
    return with_query(f"{event_path(event_id)}/join", code=code)


def pay_path(event_id: str) -> str:
    """Where the leader pays."""
    return f"{event_path(event_id)}/pay"


def receipt_path(event_id: str, payment_id: str = "") -> str:
    """Of the payment that the seat has, or of another one of the team's."""
    return with_query(f"{event_path(event_id)}/receipt", payment=payment_id)


def ticket_path(event_id: str) -> str:
    return f"{event_path(event_id)}/ticket"


def details_path(event_id: str) -> str:
    """What somebody said about themselves when they registered."""
    return f"{event_path(event_id)}/details"


def certificate_path(code: str) -> str:
    """Whether a certificate is genuine."""
    return f"{CERTIFICATES}/{quote(code, safe='')}"


def sign_in_path(then: str) -> str:
    """The page where one signs in, and comes from to where one wanted to be."""
    return with_query("/sign-in", next=then)
