"""Who answers for a person, checked again in the transaction of what they do.

A right is decided by what was read a moment before. A person may move to another team, or the team
get another manager, before the write arrives. So each write that somebody may do only as a manager
checks in its own transaction that they still are the manager of that person. If they are not, the
transaction is cancelled and the use case decides again.
"""

from __future__ import annotations

from typing import NamedTuple

from tablewright.model import Check, Condition, Uuid, attr, check
from tablewright.systems.ladders.entities import Team, User


class Oversight(NamedTuple):
    """The manager of a person, as far as the review of one team goes."""

    manager_id: Uuid
    member_id: Uuid
    #: Of the review.
    team_id: Uuid
    #: The team that makes them the manager: that of the review, or one that the person moved to.
    through_id: Uuid
    #: Whether the person is in that team. They are in none if not.
    is_member: bool

    @property
    def has_moved(self) -> bool:
        return self.through_id != self.team_id


def managed_team(oversight: Oversight) -> Check[Team]:
    """Check that the team still has this manager, and this member."""
    stands = attr(Team.manager_id) == oversight.manager_id
    if oversight.is_member:
        stands &= attr(Team.member_ids).contains(oversight.member_id)
    return check(Team, oversight.through_id).when(stands)


def membership(oversight: Oversight) -> Condition | None:
    """What has to be true of the person, too: where the team alone does not tell."""
    if oversight.has_moved:
        return ~attr(User.team_ids).contains(oversight.team_id)
    return None if oversight.is_member else attr(User.team_ids).missing()


def member_checks(oversight: Oversight) -> tuple[Check[User], ...]:
    """Check the person, where the team alone does not tell whose they are."""
    stands = membership(oversight)
    return () if stands is None else (check(User, oversight.member_id).when(stands),)


def oversight_checks(oversight: Oversight | None) -> tuple[Check[Team] | Check[User], ...]:
    """Make the checks that join what somebody does as a manager; none for everybody else."""
    return () if oversight is None else (managed_team(oversight), *member_checks(oversight))
