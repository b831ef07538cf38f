"""Which events the demo has, who runs them, and where the people are whom one can sign in as.

=========  ====================================================================================
``Asha``   leads a team that is complete and has not paid; won the event that is over
``Ravi``   is in a team that has paid: there is a ticket, and a certificate from before
``Meera``  is invited by Asha, and has not registered
``Kabir``  leads a team that waited, and is offered a seat for a day
``Diya``   has begun to fill in the form
=========  ====================================================================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from tablewright.service.auth import Principal
from tablewright.systems.kurukshetra.bodies.events import EventIn
from tablewright.systems.kurukshetra.bodies.organising import QuestionIn, QuestionsIn, VoucherIn
from tablewright.systems.kurukshetra.live_demo.names import COLLEGES, Someone


def _role(name: str) -> Principal:
    return Principal(f"demo-{name}", f"Demo {name}", "user", frozenset({name}))


#: The users of the local issuer who run events.
ADMIN, ORGANIZER, FINANCE, VOLUNTEER = map(_role, ("admin", "organizer", "finance", "volunteer"))


def _person(number: int, first: str, last: str) -> Someone:
    name = first.lower()
    return Someone(
        f"demo-{name}",
        first,
        last,
        f"{name}@example.org",
        COLLEGES[number],
        "3",
        f"+9180000{number:05d}",
    )


ASHA: Final = _person(0, "Asha", "Verma")
RAVI: Final = _person(1, "Ravi", "Menon")
MEERA: Final = _person(0, "Meera", "Joshi")
KABIR: Final = _person(3, "Kabir", "Ansari")
DIYA: Final = _person(4, "Diya", "Bose")


def principal_of(someone: Someone) -> Principal:
    """As they are when they have signed in."""
    return Principal(
        someone.user_id,
        someone.first_name,
        "user",
        frozenset(),
        claims={"email": someone.email, "email_verified": True},
    )


@dataclass(frozen=True)
class Stage:
    """An event. Days are counted from the day on which the demo is made."""

    event_id: str
    name: str
    #: Of registration, then of the event itself.
    days: tuple[int, int, int, int]
    seats: int
    fee: int = 99900
    sizes: tuple[int, int] = (2, 4)
    lists: tuple[str, ...] = ("entry", "lunch")
    hold_minutes: int = 30

    def body(self, today: datetime) -> EventIn:
        midnight = today.replace(hour=0, minute=0, second=0, microsecond=0)
        opens, closes, starts, ends = (midnight + timedelta(days=each) for each in self.days)
        return EventIn(
            event_id=self.event_id,
            event_name=self.name,
            registration_open=True,
            registration_start=opens + timedelta(hours=4, minutes=30),
            registration_end=closes + timedelta(hours=18, minutes=29, seconds=59),
            event_start=starts + timedelta(hours=3, minutes=30),
            event_end=ends + timedelta(hours=12, minutes=30),
            roster_lock_at=starts - timedelta(hours=5, minutes=30, seconds=1),
            team_fee=self.fee,
            min_team_size=self.sizes[0],
            max_team_size=self.sizes[1],
            max_teams=self.seats,
            checkin_lists=list(self.lists),
            hold_minutes=self.hold_minutes,
        )


#: Over, with people who were there.
OVER: Final = Stage("monsoon-code", "Monsoon Code", (-72, -36, -30, -28), 18, fee=79900)
#: Full: who comes now has to wait.
FULL: Final = Stage("rann-hardware-jam", "Rann Hardware Jam", (-24, 6, 12, 13), 15, fee=149900)
#: The one to try things with.
OPEN: Final = Stage("code-kurukshetra", "CodeKurukshetra", (-21, 12, 20, 22), 80)
#: Not open yet. It is made last: where it is, the demo is complete.
SOON: Final = Stage("himalaya-ai-sprint", "Himalaya AI Sprint", (21, 51, 60, 61), 120)
STAGES: Final = (OVER, FULL, OPEN, SOON)
#: So long before registration an event is made.
AHEAD: Final = timedelta(days=9)

QUESTIONS: Final = QuestionsIn(
    questions=[
        QuestionIn(
            question_id="shirt",
            label="Which T-shirt?",
            kind="choice",
            choices=["S", "M", "L", "XL"],
            required=True,
        ),
        QuestionIn(question_id="diet", label="What do you not eat?", pii=True),
        QuestionIn(
            question_id="heard",
            label="How have you heard of us?",
            kind="multi",
            choices=["friends", "college", "social media", "earlier event"],
        ),
        QuestionIn(question_id="first-time", label="Is this your first hackathon?", kind="bool"),
    ]
)
_DIETS: Final = ("", "meat", "", "nuts", "", "meat, eggs", "gluten")
_HEARD: Final[tuple[list[str], ...]] = (
    ["friends"],
    ["college", "friends"],
    ["social media"],
    [],
    ["earlier event"],
)

EARLY, HOSTEL, SPONSOR = "EARLYBIRD", "HOSTEL-250", "SPONSORED"


def vouchers(opens: datetime, closes: datetime) -> list[VoucherIn]:
    """Some off, a fixed amount off, and everything."""
    whole: dict[str, Any] = {"valid_from": opens, "valid_until": closes}
    return [
        VoucherIn(
            code=EARLY,
            percent=20,
            remaining=10,
            valid_from=opens,
            valid_until=opens + timedelta(days=30),
        ),
        VoucherIn(code=HOSTEL, fixed=25000, remaining=40, **whole),
        VoucherIn(code=SPONSOR, percent=100, remaining=5, **whole),
    ]


def profile(someone: Someone, number: int) -> dict[str, object]:
    """What somebody writes into the form."""
    return {
        "first_name": someone.first_name,
        "last_name": someone.last_name,
        "phone": someone.phone,
        "college": someone.college,
        "year": someone.year,
        "github_username": f"{someone.first_name}-{someone.last_name}".lower(),
        "answers": {
            "shirt": "SMLX"[number % 4].replace("X", "XL"),
            "diet": _DIETS[number % len(_DIETS)],
            "heard": _HEARD[number % len(_HEARD)],
            "first-time": number % 3 == 0,
        },
    }


def elsewhere(someone: Someone, college: str) -> Someone:
    """The same person, at another college: teams are mostly of one."""
    return replace(someone, college=college)
