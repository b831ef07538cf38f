"""What a caller is to somebody, where it is not about one item: lists, and history.

Access follows each item's team to its manager of today. So somebody's list is seen by whoever
manages one of their teams, or the team of anything in it, and each of them sees their part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.problems import not_found
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import User
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.callers import Caller, check

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_MANAGER: frozenset[Who] = frozenset(("manager",))


@dataclass(frozen=True)
class Member:
    """Somebody about whom there is something."""

    user: User

    def who(self, by: Caller, *team_ids: str) -> frozenset[Who]:
        """What the caller is to what there is about them in these teams.

        Whom a user manages stands on the user as it stands on the teams, and was read just now.
        """
        found = by.who(None, self.user.user_id)
        return found | _MANAGER if by.user.managed_team_ids & set(team_ids) else found

    def require(self, by: Caller, action: str, team_ids: Iterable[str]) -> None:
        """A problem, unless the caller may see some of it."""
        who = self.who(by, *self.user.team_ids, *team_ids)
        check(action, who, what="member")


async def known_member(company: Company, user_id: str) -> Member:
    """Somebody; a problem 404 if there is nobody."""
    found = await company.db.run(reads.user(user_id)) if ids.is_uuid(user_id) else None
    if found is None:
        raise not_found("member")
    return Member(found)
