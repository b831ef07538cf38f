"""Who and what is in a company of some size: everything follows from numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID, uuid5

from benchmarks.ladders.texts import LONGEST, USUAL, Lengths
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.fields import AssessmentType

_NAMESPACE = UUID("0b8a5c1e-7d2f-5e6a-8c3b-1f4d9e2a7b60")
#: What a year brings.
USERS, TEAMS, MEMBERS = 100, 20, 10
#: One that is over, and one that is under way.
SEASONS = OVER, NOW = "2026-H1", "2026-H2"
#: Beyond the year: one team as large as a team may be.
CROWD = 200
#: Invited, and not yet there.
NEWCOMERS = 120


def new_id(*parts: object) -> str:
    return str(uuid5(_NAMESPACE, "/".join(map(str, parts))))


@dataclass(frozen=True)
class Someone:
    """A user, by the name that they sign in with."""

    name: str

    @property
    def user_id(self) -> str:
        return new_id("user", self.name)

    @property
    def principal_id(self) -> str:
        return f"user:{self.name}"

    @property
    def email(self) -> str:
        return f"{self.name}@people.example"


@dataclass(frozen=True)
class Crew:
    """A team with a manager; who is in it may be in another one, too."""

    name: str
    manager: Someone
    members: Sequence[Someone]
    #: Of what is said about them.
    lengths: Lengths = USUAL

    @property
    def team_id(self) -> str:
        return new_id("team", self.name)

    def plan_id(self, season: str = NOW) -> str:
        return ids.plan_id(self.team_id, season)

    def assessment_id(
        self, member: Someone, kind: AssessmentType = "self", season: str = NOW
    ) -> str:
        return ids.assessment_id(self.plan_id(season), member.user_id, kind)

    def report_id(self, member: Someone, season: str = NOW) -> str:
        return ids.report_id(self.plan_id(season), member.user_id)


@dataclass(frozen=True)
class Extent:
    """A company of so many times the people and teams that a year is planned with."""

    times: int

    @cached_property
    def people(self) -> list[Someone]:
        return [Someone(f"person-{number}") for number in range(USERS * self.times)]

    @cached_property
    def crews(self) -> list[Crew]:
        return list(self._crews())

    @cached_property
    def crowd(self) -> Crew:
        members = [Someone(f"crowd-{number}") for number in range(CROWD)]
        return Crew("crowd", Someone("crowd-manager"), members)

    @cached_property
    def wordy(self) -> Crew:
        """They say as much as there is room for."""
        return Crew("wordy", Someone("wordy-manager"), [Someone("wordy")], LONGEST)

    @cached_property
    def newcomers(self) -> list[Someone]:
        return [Someone(f"newcomer-{number}") for number in range(NEWCOMERS)]

    def _crews(self) -> Iterator[Crew]:
        count, apart = TEAMS * self.times, USERS // TEAMS
        for number in range(count):
            # Everybody is in two teams, and every fifth manages a third.
            around = [
                self.people[(number * apart + place) % len(self.people)]
                for place in range(MEMBERS + 1)
            ]
            yield Crew(f"team-{number}", around[-1], around[:-1])
