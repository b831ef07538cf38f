"""What an operator's look at everything reads, to compare it.

Each reads the whole table: there is no other way to find a lock that nobody owns.
"""

from __future__ import annotations

from typing import Final

from tablewright.model import scan
from tablewright.systems.kurukshetra.payments import OrderLink
from tablewright.systems.kurukshetra.people import EmailLock, PeopleLink, UidLink
from tablewright.systems.kurukshetra.teams import (
    Hold,
    InviteLock,
    Member,
    RepositoryLock,
    Submission,
    TeamNameLock,
    Wait,
)

#: Requests of one reading of the whole table: as many as it takes.
_WHOLE: Final = 1_000_000


@scan(Member, admin=True, component="verify", expect=20_000, max_pages=_WHOLE)
def every_member() -> None:
    """All members of all teams. [6]"""


@scan(Submission, admin=True, component="verify", expect=5_000, max_pages=_WHOLE)
def every_submission() -> None:
    """All repositories that were handed in. [6]"""


@scan(Hold, admin=True, component="verify", expect=500, max_pages=_WHOLE)
def every_hold() -> None:
    """All seats that are held. [6]"""


@scan(Wait, admin=True, component="verify", expect=200, max_pages=_WHOLE)
def every_wait() -> None:
    """All places in all queues. [6]"""


@scan(EmailLock, admin=True, component="verify", expect=20_000, max_pages=_WHOLE)
def every_email_lock() -> None:
    """All addresses that have registered. [6]"""


@scan(UidLink, admin=True, component="verify", expect=20_000, max_pages=_WHOLE)
def every_user_link() -> None:
    """All users who have registered. [6]"""


@scan(PeopleLink, admin=True, component="verify", expect=20_000, max_pages=_WHOLE)
def every_people_link() -> None:
    """All lines of the lists of people. [6]"""


@scan(TeamNameLock, admin=True, component="verify", expect=5_000, max_pages=_WHOLE)
def every_team_name() -> None:
    """All names that teams have taken. [6]"""


@scan(InviteLock, admin=True, component="verify", expect=5_000, max_pages=_WHOLE)
def every_invite() -> None:
    """All codes that lead to teams. [6]"""


@scan(RepositoryLock, admin=True, component="verify", expect=5_000, max_pages=_WHOLE)
def every_repository() -> None:
    """All repositories that teams have taken. [6]"""


@scan(OrderLink, admin=True, component="verify", expect=6_000, max_pages=_WHOLE)
def every_order_link() -> None:
    """All orders at the gateway. [6]"""
