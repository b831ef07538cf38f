"""Whose hackathons the demo has, which they are, and who takes part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from tablewright.service.auth import Principal
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn, RubricIn
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.service.callers import Caller

#: The users of the local issuer that one signs in as.
ADMIN: Final = Caller(Principal("demo-admin", "Demo admin", "user", frozenset({"admin"})))
ORGANIZER: Final = Principal("demo-organizer", "Demo organizer", "user", frozenset({"organizer"}))
PROFILE: Final = OrganizerIn(
    email="organizer@harbour.example", name="Harriet Moor", organization="Harbour Makers"
)

#: Who wrote what. The projects are told in ``projects/``.
TEAMS: Final[Mapping[str, str]] = {
    "toolshed": "Borrowed Hammers",
    "boardwalk": "Pier Pressure",
    "driftwatch": "Drift Kings",
    "queuecumber": "Cool Cucumbers",
    "riverlevels": "High Water",
    "neonnotes": "Neon Nights",
    "pollparty": "Ballot Box Heroes",
    "snackchain": "Snack Overflow",
    "shoreshare": "Lone Sailor",
}

#: The weekend on which all of it was written, and the commits say so.
BEGAN: Final = datetime(2026, 9, 18, 17, tzinfo=UTC)
ENDED: Final = datetime(2026, 9, 20, 17, tzinfo=UTC)
#: How long the one that is open stays so.
_OPEN_FOR: Final = timedelta(days=14)

Goal = Literal["draft", "open", "released", "judged"]


@dataclass(frozen=True)
class Plan:
    """A hackathon, and how far it gets by itself."""

    name: str
    about: str
    goal: Goal
    template: str
    projects: tuple[str, ...] = ()
    public: bool = True

    @property
    def analysed(self) -> bool:
        return self.goal in ("released", "judged")

    def body(self, now: datetime) -> HackathonIn:
        template = next(each for each in TEMPLATES if each.id == self.template)
        starts, ends = self._dates(now)
        return HackathonIn(
            name=self.name,
            description=self.about,
            visibility="public" if self.public else "private",
            start_date=starts,
            end_date=ends,
            rubric=RubricIn.model_validate(template.rubric.model_dump()),
            ai_policy_mode=template.ai_policy_mode,
        )

    def _dates(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        if self.goal == "draft":
            return None, None
        if self.analysed:
            return BEGAN, ENDED
        hour = max(now, ENDED).replace(minute=0, second=0, microsecond=0)
        return BEGAN, hour + _OPEN_FOR


RELEASED: Final = Plan(
    "Harbour Hack",
    "One weekend at the old harbour: build something that the people who live there would use. "
    "Everything is judged by agents with fixed rules; each finding says where it was seen.",
    "released",
    "all-round",
    tuple(TEAMS),
)
JUDGED: Final = Plan(
    "Lighthouse Challenge",
    "The finalists of the same weekend, judged by people as well: half of a score is theirs.",
    "judged",
    "production-ready",
    ("toolshed", "boardwalk", "driftwatch", "queuecumber", "riverlevels"),
    public=False,
)
OPEN: Final = Plan(
    "Autumn Open",
    "Show what you have built this autumn. Hand in until the end; assistants are welcome, and "
    "what was built counts.",
    "open",
    "vibe-coding",
    ("boardwalk", "neonnotes", "pollparty", "riverlevels"),
)
DRAFT: Final = Plan(
    "Spring Makers Weekend",
    "Still being planned: no dates yet.",
    "draft",
    "beginners",
    public=False,
)
#: The last one is made last, and stands first in lists.
PLANS: Final = (RELEASED, JUDGED, DRAFT, OPEN)
