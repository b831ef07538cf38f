"""Who asks kurukshetra for something.

Everybody who has signed in may register; what they may do beyond that they are given, at one event
(:class:`.Role`) or at all of them (the roles of their token or key).
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.service.auth import Principal
from tablewright.service.auth.claims import is_verified
from tablewright.service.email_addresses import EmailError, parse_email
from tablewright.service.problems import Problem, forbidden
from tablewright.systems.kurukshetra.people import RoleName


@dataclass(frozen=True)
class Caller:
    """A principal, and what they are at an event."""

    principal: Principal
    #: "" where it is about no event.
    event_id: str
    #: Of the user: what stands for them in keys and in ``by``.
    uid_hash: str
    email: str | None = None
    #: Whether the address is known to be theirs.
    verified: bool = False
    participant_id: str | None = None
    team_id: str | None = None
    roles: frozenset[RoleName] = frozenset()

    @property
    def admin(self) -> bool:
        """Everything is in their reach, and what they do is written down."""
        return "admin" in self.roles

    def has(self, *roles: RoleName) -> bool:
        """Whether they have one of these roles, or are an administrator."""
        return self.admin or not self.roles.isdisjoint(roles)

    def require(self, *roles: RoleName) -> None:
        """A problem 403, unless they have one of these roles."""
        if not self.has(*roles):
            raise forbidden()

    def participant(self) -> str:
        """The participant's id; a problem 403 if they have not registered."""
        if self.participant_id is None:
            raise not_registered(self.event_id)
        return self.participant_id

    def address(self) -> str:
        """The verified address; a problem 403 if there is none."""
        if self.email is None or not self.verified:
            raise unverified()
        return self.email


def not_registered(event_id: str) -> Problem:
    detail = "You have not registered for this event yet: POST register."
    return Problem(
        403, "NOT_REGISTERED", detail, leads_to=f"/kurukshetra/events/{event_id}/register"
    )


def unverified() -> Problem:
    detail = "Registering takes an e-mail address that your sign-in has verified."
    return Problem(403, "EMAIL_UNVERIFIED", detail)


def address_in(principal: Principal) -> tuple[str | None, bool]:
    """The address that a sign-in names, and whether it is verified; keys have none."""
    said = principal.claims.get("email")
    if principal.kind != "user" or not isinstance(said, str):
        return None, False
    try:
        return parse_email(said), is_verified(principal.claims)
    except EmailError:
        return None, False
