"""Teams, as their people write and see them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from tablewright.service.bodies import PLAIN, line, shown
from tablewright.systems.ladders.bodies.common import Id, lines
from tablewright.systems.ladders.service.teams.keeping import UNCHANGED, TeamChange
from tablewright.systems.ladders.service.teams.roster import MOST_AT_ONCE

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import Team
    from tablewright.systems.ladders.service.teams import MemberLine, TeamView

_ID: Final = "00000001-0000-4000-8000-000000000001"

TeamName: TypeAlias = Annotated[str, *line(2, 100)]
About: TypeAlias = Annotated[str, *lines(1000)]
# What an address is, is looked at by its rule, which says what is wrong.
EmailIn: TypeAlias = Annotated[str, Field(min_length=3, max_length=254, pattern=PLAIN)]


class TeamIn(BaseModel):
    """A new team."""

    model_config = shown(team_name="Platform", description="Builds what others build on.")

    team_name: TeamName
    description: About | None = None
    manager_id: Id | None = Field(
        default=None, description="An administrator's choice; a manager's own team is theirs."
    )


class TeamPatch(BaseModel):
    """What is to be different. What is left out stays."""

    model_config = shown(team_name="Platform and tools")

    team_name: TeamName | None = None
    description: About | None = Field(default=None, description="null takes it away.")

    @model_validator(mode="after")
    def _named(self) -> Self:
        if "team_name" in self.model_fields_set and self.team_name is None:
            raise ValueError("the name of a team cannot be removed; leave it out to keep it")
        return self

    def change(self) -> TeamChange:
        said = "description" in self.model_fields_set
        return TeamChange(self.team_name, self.description if said else UNCHANGED)


class ManagerIn(BaseModel):
    """Who manages a team."""

    model_config = shown(manager_id=_ID)

    manager_id: Id | None = Field(description="null: nobody.")


class MembersIn(BaseModel):
    """Who joins a team: one to fifty users, by id or by address."""

    model_config = shown(user_ids=[_ID], emails=["lina@example.org"])

    user_ids: list[Id] = Field(default_factory=list, max_length=MOST_AT_ONCE)
    emails: list[EmailIn] = Field(default_factory=list, max_length=MOST_AT_ONCE)


class TeamOut(BaseModel):
    """A team."""

    team_id: str
    team_name: str
    description: str | None
    manager_id: str | None
    member_ids: list[str]
    open_plan_ids: list[str]
    is_active: bool
    created_at: datetime
    updated_at: datetime
    revision: int


class MemberOut(BaseModel):
    """Somebody in a team, or its manager."""

    user_id: str
    name: str
    email: str | None = Field(description="For the team's manager and administrators.")
    is_active: bool


class TeamPageOut(TeamOut):
    """A team with its people."""

    manager: MemberOut | None
    members: list[MemberOut] = Field(description="By name.")


def team_out(team: Team) -> TeamOut:
    return TeamOut(**_team(team))


def team_page_out(view: TeamView) -> TeamPageOut:
    return TeamPageOut(
        **_team(view.team),
        manager=None if view.manager is None else _member(view.manager),
        members=[_member(each) for each in view.members],
    )


def _team(team: Team) -> dict[str, Any]:
    made = team.model_dump(include=set(TeamOut.model_fields))
    sets = {name: sorted(made[name]) for name in ("member_ids", "open_plan_ids")}
    return {**made, **sets}


def _member(line: MemberLine) -> MemberOut:
    return MemberOut(
        user_id=line.user_id, name=line.name, email=line.email, is_active=line.is_active
    )
