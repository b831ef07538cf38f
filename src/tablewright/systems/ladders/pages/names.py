"""What people are called, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tablewright.systems.ladders import reads

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Who is in no table any more.
UNKNOWN: Final = "Somebody"
#: Who does something and is no user of the company.
OPERATOR: Final = "An operator"
#: Of one request; there are never many more.
_AT_ONCE = 100


@dataclass(frozen=True)
class Names:
    """Users that were looked up."""

    known: Mapping[str, str] = field(default_factory=dict)

    def of(self, user_id: str | None) -> str:
        return self.known.get(user_id or "") or UNKNOWN

    def doer(self, user_id: str) -> str:
        """Who did something: users are never deleted, so others are operators."""
        return self.known.get(user_id) or OPERATOR

    def initials(self, user_id: str | None) -> str:
        return initials(self.of(user_id))


def initials(name: str) -> str:
    """Of a name, for a round sign beside it."""
    words = ("".join(filter(str.isalnum, each)) for each in name.split())
    return "".join(each[0] for each in words if each)[:2].upper()


async def names_of(company: Company, user_ids: Iterable[str | None]) -> Names:
    """The names of all of these; an id may be there twice."""
    wanted = sorted({each for each in user_ids if each})
    found: dict[str, str] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        some = await company.db.run(reads.users(wanted[start : start + _AT_ONCE]))
        found.update((each.user_id, each.name) for each in some if each is not None)
    return Names(found)
