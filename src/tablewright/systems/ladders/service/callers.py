"""Who asks for something, and what they are to it.

A caller is a user of the company, read with every request. Operators, who were given the role of
an admin by a key or by the issuer itself, may have no place in the company: then they are a user
who stands in no table, under an id that is always the same.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tablewright.service.auth import Principal
from tablewright.service.problems import Problem, forbidden, not_found
from tablewright.systems.ladders.entities import Team, User
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.rights import Fact, Who

_NONE: frozenset[Fact] = frozenset()
#: What one has to be to an item to know of it.
_CLOSE: frozenset[Who] = frozenset(("subject", "member", "manager", "admin"))


@dataclass(frozen=True)
class Caller:
    """A principal, and the user that they are."""

    principal: Principal
    #: As it was read for this request; an operator's has the role of an admin in any case.
    user: User
    #: An admin by a key or by the issuer, whatever the table says.
    granted: bool = False
    #: In no table.
    operator: bool = False

    @property
    def user_id(self) -> str:
        """What stands in ``created_by``."""
        return self.user.user_id

    @property
    def admin(self) -> bool:
        return "admin" in self.user.roles

    def who(
        self,
        team: Team | None = None,
        subject_id: str | None = None,
        subject_teams: AbstractSet[str] | None = None,
    ) -> frozenset[Who]:
        """Tell what they are to an item of a team, about somebody; see :func:`rights.who_is`."""
        return rights.who_is(self.user, team, subject_id, subject_teams)

    def require(self, action: str, facts: frozenset[Fact] = _NONE, *, what: str = "item") -> None:
        """A problem, unless they may do this whatever it is done to: ``create_user``."""
        check(action, self.who(), facts, what=what)


@dataclass(frozen=True)
class Standing:
    """What a caller is to the data of a team."""

    team: Team
    who: frozenset[Who]

    def may(self, action: str, facts: frozenset[Fact] = _NONE) -> bool:
        return rights.may(action, self.who, facts)

    def require(self, action: str, facts: frozenset[Fact] = _NONE, *, what: str = "team") -> None:
        """A problem 403, or 404 for who may not know that it is there."""
        check(action, self.who, facts, what=what)


def check(
    action: str, who: frozenset[Who], facts: frozenset[Fact] = _NONE, *, what: str = "item"
) -> None:
    """A problem 403 or 404, unless somebody who is all of these may do it."""
    answer = rights.answer(action, who, facts)
    if answer == "forbidden":
        raise forbidden()
    if answer == "unknown":
        raise not_found(what)


def is_close(who: frozenset[Who]) -> bool:
    """Whether somebody is anything to an item, beyond having signed in."""
    return not who.isdisjoint(_CLOSE)


def unverified() -> Problem:
    detail = "Signing in takes an e-mail address that your issuer has verified."
    return Problem(403, "EMAIL_UNVERIFIED", detail)


def not_invited() -> Problem:
    detail = "Nobody has invited this address. Ask an administrator."
    return Problem(403, "NOT_INVITED", detail)


def inactive() -> Problem:
    detail = "This account was deactivated. Ask an administrator."
    return Problem(403, "USER_INACTIVE", detail)
