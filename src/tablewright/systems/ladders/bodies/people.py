"""Users, as administrators write and see them; oneself; the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, Field, model_validator

from tablewright.service.bodies import PLAIN, line, shown
from tablewright.systems.ladders.bodies.assessments import AssessmentOut, assessment_out
from tablewright.systems.ladders.bodies.reports import ReportOut, report_out
from tablewright.systems.ladders.bodies.teams import TeamOut, team_out
from tablewright.systems.ladders.fields import RoleName
from tablewright.systems.ladders.service.people.users import UserChange

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import User
    from tablewright.systems.ladders.service.callers import Caller
    from tablewright.systems.ladders.service.people import MyData

PersonName: TypeAlias = Annotated[str, *line(1, 100)]
# What an address is, is looked at by its rule, which says what is wrong.
EmailIn: TypeAlias = Annotated[str, Field(min_length=3, max_length=254, pattern=PLAIN)]
RolesIn: TypeAlias = Annotated[
    list[RoleName], Field(max_length=3, description="None is the same as `team_member`.")
]


class UserIn(BaseModel):
    """Somebody who may sign in with an address."""

    model_config = shown(email="lina@example.org", name="Lina Moreau", roles=["manager"])

    email: EmailIn
    name: PersonName
    roles: RolesIn = Field(default_factory=list)


class UserPatch(BaseModel):
    """What is to be different. What is left out stays."""

    model_config = shown(roles=["manager", "admin"])

    name: PersonName | None = None
    roles: RolesIn | None = Field(default=None, description="All of them.")

    @model_validator(mode="after")
    def _given(self) -> Self:
        for name in self.model_fields_set:
            if getattr(self, name) is None:
                raise ValueError(f"the {name} cannot be removed; leave it out to keep it")
        return self

    def change(self) -> UserChange:
        return UserChange(self.name, None if self.roles is None else frozenset(self.roles))


class UserOut(BaseModel):
    """A user."""

    user_id: str
    email: str | None = Field(description="null once they were erased.")
    name: str
    roles: list[RoleName]
    team_ids: list[str]
    managed_team_ids: list[str]
    is_active: bool
    signed_in: bool = Field(description="Whether they have ever signed in.")
    created_at: datetime
    updated_at: datetime
    revision: int


class MeOut(UserOut):
    """Oneself."""

    operator: bool = Field(
        description="An administrator by a key or by the issuer, who is no user of the company."
    )


class MyDataOut(BaseModel):
    """What there is about oneself, as far as it was released."""

    user: UserOut
    teams: list[TeamOut]
    assessments: list[AssessmentOut]
    reports: list[ReportOut]


def user_out(user: User) -> UserOut:
    return UserOut(**_user(user))


def me_out(by: Caller) -> MeOut:
    return MeOut(**_user(by.user), operator=by.operator)


def my_data_out(found: MyData) -> MyDataOut:
    return MyDataOut(
        user=user_out(found.user),
        teams=[team_out(each) for each in found.teams],
        assessments=[assessment_out(each) for each in found.assessments],
        reports=[report_out(each) for each in found.reports],
    )


def _user(user: User) -> dict[str, Any]:
    made = user.model_dump(include=set(UserOut.model_fields))
    sets = {name: sorted(made[name]) for name in ("roles", "team_ids", "managed_team_ids")}
    return {**made, **sets, "signed_in": bool(user.subject_hashes)}
