"""What a caller is to a person, and to what there is about them.

A review follows its person: as long as they are in its team, the manager of that team answers for
it, and after a move the managers of the teams that they are in now. Membership is read when
somebody asks, and nothing that was stored is rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Team, User
from tablewright.systems.ladders.oversight import Oversight
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.callers import Caller, check

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_MANAGER: frozenset[Who] = frozenset(("manager",))
#: Users of one request.
_AT_ONCE = 100


# --- about one item ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Relation:
    """What a caller is to an item of a team that is about one person."""

    who: frozenset[Who]
    #: What makes them the manager, if they are; a write checks it again.
    oversight: Oversight | None = None

    def needed_oversight(
        self, action: str, facts: frozenset[rights.Fact] = frozenset()
    ) -> Oversight | None:
        """What a write has to check; None for who may do it without being the manager."""
        return None if rights.may(action, self.who - _MANAGER, facts) else self.oversight


async def relation_to(company: Company, by: Caller, team: Team, member_id: str) -> Relation:
    """Tell what a caller is to something about a member, as everybody's teams are now.

    One more read than the team, and only if the person has left it.
    """
    return relate(by, team, member_id, await _teams_now(company, team, member_id))


def relate(
    by: Caller, team: Team, member_id: str, member_teams: AbstractSet[str] | None
) -> Relation:
    """The rule of :func:`relation_to`; ``member_teams`` is None for who is in the team still."""
    who = by.who(team, member_id, member_teams)
    if "manager" not in who:
        return Relation(who)
    through, is_member = team.team_id, member_teams is None or team.team_id in member_teams
    if rights.has_moved(team.team_id, member_teams):
        through = min(by.user.managed_team_ids & (member_teams or frozenset()))
        is_member = True
    return Relation(who, Oversight(by.user_id, member_id, team.team_id, through, is_member))


async def relations_in(
    company: Company, by: Caller, team: Team, member_ids: Iterable[str]
) -> Mapping[str, frozenset[Who]]:
    """What a caller is to what there is about each of many, in one team.

    Only those who have left the team are read.
    """
    wanted = set(member_ids)
    left = await _teams_of(company, wanted - team.member_ids)
    return {each: by.who(team, each, left.get(each)) for each in wanted}


async def managers_of_members(
    company: Company, team: Team, member_ids: Iterable[str]
) -> Mapping[str, str | None]:
    """Name who answers for each of these members of a review now; None where nobody does."""
    wanted = set(member_ids)
    found: dict[str, str | None] = dict.fromkeys(wanted, team.manager_id)
    left = await _teams_of(company, wanted - team.member_ids)
    moved = {each: teams for each, teams in left.items() if rights.has_moved(team.team_id, teams)}
    others = sorted({each for teams in moved.values() for each in teams})
    read = await company.db.run(reads.teams(others)) if others else ()
    led = {each.team_id: each.manager_id for each in read if each is not None and each.is_active}
    for member_id, teams in moved.items():
        managers = (led.get(each) for each in sorted(teams))
        found[member_id] = next((each for each in managers if each not in (None, member_id)), None)
    return found


async def _teams_now(company: Company, team: Team, member_id: str) -> AbstractSet[str] | None:
    if member_id in team.member_ids:
        return None
    user = await company.db.run(reads.user(member_id))
    return frozenset() if user is None else user.team_ids


async def _teams_of(company: Company, user_ids: AbstractSet[str]) -> dict[str, AbstractSet[str]]:
    wanted = sorted(user_ids)
    found: dict[str, AbstractSet[str]] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        users = await company.db.run(reads.users(wanted[start : start + _AT_ONCE]))
        found |= {each.user_id: each.team_ids for each in users if each is not None}
    return found


# --- about all there is of somebody --------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    """Somebody about whom there is something."""

    user: User

    def who(self, by: Caller, team_id: str) -> frozenset[Who]:
        """Tell what the caller is to what there is about them in a team.

        Whom a user manages stands on the user as it stands on the teams, and was read just now.
        """
        found = by.who(None, self.user.user_id)
        teams = self.user.team_ids
        responsible = teams if rights.has_moved(team_id, teams) else {team_id}
        managed = by.user_id != self.user.user_id and by.user.managed_team_ids & responsible
        return found | _MANAGER if managed else found

    def require(self, by: Caller, action: str, team_ids: Iterable[str]) -> None:
        """Raise a problem, unless the caller may see some of it."""
        who = by.who(None, self.user.user_id)
        for each in (*self.user.team_ids, *team_ids):
            who |= self.who(by, each)
        check(action, who, what="member")


async def known_member(company: Company, user_id: str) -> Member:
    """Find somebody; a problem 404 if there is nobody."""
    found = await company.db.run(reads.user(user_id)) if ids.is_uuid(user_id) else None
    if found is None:
        raise not_found("member")
    return Member(found)
