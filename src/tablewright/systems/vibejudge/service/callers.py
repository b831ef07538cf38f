"""Who asks vibejudge for something, and for whom.

A key acts for its owner: ``org:{org_id}`` is an organiser, ``judge:{hack_id}:{judge_id}`` a judge.
Who signs in is the organiser that they have registered as.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.service.auth import Principal
from tablewright.service.problems import Problem, forbidden
from tablewright.systems.vibejudge.rules.ids import is_id


@dataclass(frozen=True)
class Caller:
    """A principal, and what they are here."""

    principal: Principal
    #: The organiser that they are, if they are one.
    org_id: str | None = None
    #: The hackathon that they judge, and who they are in it.
    judge: tuple[str, str] | None = None

    @property
    def admin(self) -> bool:
        """Everything is in their reach, and what they do is written down."""
        return "admin" in self.principal.roles

    def registered(self) -> str:
        """The organiser's id; a problem 403 if they have not registered."""
        if self.org_id is None:
            raise not_registered()
        return self.org_id

    def judging(self) -> tuple[str, str]:
        """The hackathon and the judge; a problem 403 if they are no judge."""
        if self.judge is None:
            raise forbidden("Judges are invited: follow the link that you were given.")
        return self.judge


def not_registered() -> Problem:
    detail = "You have not registered as an organiser yet: POST /organizers."
    return Problem(403, "NOT_REGISTERED", detail, leads_to="/vibejudge/register")


def organizer_owner(org_id: str) -> str:
    """What the keys of an organiser say they act for."""
    return f"org:{org_id}"


def judge_owner(hack_id: str, judge_id: str) -> str:
    """What the keys and sessions of a judge say they act for."""
    return f"judge:{hack_id}:{judge_id}"


def organizer_in(owner: str) -> str | None:
    """The organiser that an owner is."""
    kind, _, org_id = owner.partition(":")
    return org_id if kind == "org" and is_id(org_id) else None


def judge_in(owner: str) -> tuple[str, str] | None:
    """The hackathon and the judge that an owner is."""
    kind, _, rest = owner.partition(":")
    hack_id, _, judge_id = rest.partition(":")
    return (hack_id, judge_id) if kind == "judge" and is_id(hack_id) and is_id(judge_id) else None
