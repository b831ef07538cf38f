"""Who is in the company, in which team, and how far everybody is.

==========  ====================================================================================
``Ines``    administers people and ladders
``Omar``    manages two teams; one of them is being reviewed, the other is about to be
``Judith``  manages a team; a report of last season was never released
``Lina``    has a new report, with differences to talk about, which she has not acknowledged
``Mateo``   has begun to assess himself
``Nora``    has growth actions from last season, one of which is due soon
==========  ====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from tablewright.service.auth import Principal
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.systems.ladders.fields import RoleName

#: How far the review of somebody has come; each includes those before it.
Stage: TypeAlias = Literal[
    "new", "begun", "half", "generated", "reopened", "released", "acknowledged"
]


@dataclass(frozen=True)
class Someone:
    """Somebody in the company."""

    key: str
    name: str
    email: str
    roles: tuple[RoleName, ...] = ()
    #: The level that their manager sees them at, and what they work on.
    level: int = 3
    work: str = ""

    @property
    def principal(self) -> Principal:
        """As they are when they have signed in."""
        claims = {"email": self.email, "email_verified": True}
        return Principal(self.key, self.name, "user", claims=claims)


def _demo(short: str, *roles: RoleName, level: int = 3, work: str = "") -> Someone:
    """One of those whom one can sign in as."""
    each = next(each for each in DEMO_PEOPLE if each.id == f"demo-{short}")
    return Someone(each.id, each.name, each.email, roles, level, work)


def _other(name: str, level: int, work: str) -> Someone:
    short = name.split()[0].lower()
    return Someone(f"demo-{short}", name, f"{short}@example.org", (), level, work)


INES: Final = _demo("ines", "admin")
OMAR: Final = _demo("omar", "manager")
JUDITH: Final = _demo("judith", "manager")
LINA: Final = _demo("lina", level=4, work="the refund flow")
MATEO: Final = _demo("mateo", level=2, work="the invoice export")
NORA: Final = _demo("nora", level=3, work="the query planner")

JONAS: Final = _other("Jonas Weber", 3, "the ledger")
AYUMI: Final = _other("Ayumi Tanaka", 5, "the settlement engine")
PRIYA: Final = _other("Priya Nair", 3, "the payout schedule")
TOMAS: Final = _other("Tomas Novak", 1, "the receipt mails")
ELIF: Final = _other("Elif Kaya", 2, "the dispute inbox")
FELIX: Final = _other("Felix Brandt", 4, "the indexing pipeline")
GRACE: Final = _other("Grace Adeyemi", 2, "the suggestions box")
DIEGO: Final = _other("Diego Ramos", 4, "the deploy service")
HANNA: Final = _other("Hanna Koskinen", 3, "the build cache")
SAMIR: Final = _other("Samir Patel", 2, "the on-call tooling")
#: Invited today, and in no team. Invited last: where there is an account, the demo is complete.
YUSUF: Final = _other("Yusuf Demir", 1, "")

#: Came after last season.
NEWCOMERS: Final = (TOMAS, ELIF)
STAFF: Final = (INES, OMAR, JUDITH)


@dataclass(frozen=True)
class Crew:
    """A team, and how far its people are: last season, and in the one that is on."""

    name: str
    about: str
    manager: Someone
    before: dict[Someone, Stage]
    #: Empty: the review is a draft.
    now: dict[Someone, Stage]

    @property
    def members(self) -> tuple[Someone, ...]:
        return tuple({**self.before, **self.now})


PAYMENTS: Final = Crew(
    "Payments",
    "Money in, money out, and the books in between.",
    OMAR,
    {
        LINA: "acknowledged",
        MATEO: "acknowledged",
        JONAS: "acknowledged",
        AYUMI: "acknowledged",
        PRIYA: "acknowledged",
    },
    {
        LINA: "released",
        MATEO: "begun",
        JONAS: "acknowledged",
        AYUMI: "generated",
        PRIYA: "half",
        TOMAS: "new",
        ELIF: "reopened",
    },
)
SEARCH: Final = Crew(
    "Search",
    "Finding things, quickly and in the right order.",
    OMAR,
    {NORA: "acknowledged", FELIX: "acknowledged", GRACE: "released"},
    {},
)
PLATFORM: Final = Crew(
    "Platform",
    "What all other teams build, deploy and run on.",
    JUDITH,
    {DIEGO: "acknowledged", HANNA: "acknowledged", SAMIR: "generated"},
    {},
)
CREWS: Final = (PAYMENTS, SEARCH, PLATFORM)
