"""People, as administrators have them: inviting, roles, deactivating, forgetting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem, invalid, not_found
from tablewright.systems.ladders.api.callers import UserId, caller_of
from tablewright.systems.ladders.bodies.people import UserIn, UserPatch
from tablewright.systems.ladders.entities import User
from tablewright.systems.ladders.fields import RoleName
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.form_fields import PERSON, describe_problem, read_form
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import initials, names_of
from tablewright.systems.ladders.pages.row_pages import PageNumber, page_of_rows
from tablewright.systems.ladders.pages.team_list import teams_of
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: More than a company of this system's size has.
_LISTED: Final = 5000
#: What each role may, in a line. Who has none takes part.
ROLES: Final[tuple[tuple[RoleName, str, str], ...]] = (
    ("manager", "Manager", "Leads teams: plans, assessments of members, reports"),
    ("admin", "Administrator", "Has people, all teams, ladders and the audit"),
)
STATES: Final = (
    ("", "Everybody"),
    ("invited", "Invited, never signed in"),
    ("inactive", "Inactive"),
    ("manager", "Managers"),
    ("admin", "Administrators"),
)


@dataclass(frozen=True)
class UserLine:
    """Somebody in the list."""

    user: User

    @property
    def path(self) -> str:
        return paths.user_path(self.user.user_id)

    @property
    def initials(self) -> str:
        return initials(self.user.name)

    @property
    def state(self) -> str:
        if self.user.email is None:
            return "erased"
        if not self.user.is_active:
            return "inactive"
        return "active" if self.user.subject_hashes else "invited"

    def fits(self, state: str) -> bool:
        """Whether they belong to what was chosen; who was erased is inactive."""
        if state == "inactive":
            return not self.user.is_active
        if state in ("manager", "admin"):
            return self.user.is_active and state in self.user.roles
        return not state or self.state == state


async def everybody(company: Company, by: Caller) -> list[User]:
    """All users, by name; those who were erased come last."""
    found: list[User] = []
    cursor: str | None = None
    while len(found) < _LISTED:
        page = await company.people.list(by, cursor=cursor)
        found += page
        cursor = page.cursor
        if cursor is None:
            break
    return sorted(found, key=lambda each: (each.email is None, each.name.casefold(), each.user_id))


async def managers_of(company: Company, by: Caller) -> list[tuple[str, str]]:
    """Who can manage a team, for administrators to choose from."""
    people = await everybody(company, by)
    fit = [each for each in people if each.is_active and "manager" in each.roles]
    return [("", "Nobody yet"), *((each.user_id, f"{each.name} ({each.email})") for each in fit)]


def roles_in(values: Typed) -> frozenset[RoleName]:
    """Those that were ticked."""
    return frozenset(role for role, _, _ in ROLES if values.get(f"role.{role}") == "1")


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/admin/users")
    caller = Depends(caller_of(company))

    async def listed(
        request: Request,
        by: Caller,
        state: str = "",
        q: str = "",
        page: int = 1,
        **context: object,
    ) -> Response:
        people = [UserLine(each) for each in await everybody(company, by)]
        fitting = (each for each in people if each.fits(state))
        rows = page_of_rows(fitting, _texts, paths.USERS, q=q, page=page, state=state)
        return shown(
            pages,
            request,
            "ladders/users.html",
            by,
            lines=rows.rows,
            found=rows.total,
            more=rows.more,
            q=q,
            total=sum(each.user.is_active for each in people),
            full=len(people) >= _LISTED,
            state=state,
            states=STATES,
            roles=ROLES,
            here=paths.USERS,
            **context,
        )

    async def one(request: Request, by: Caller, user_id: str, **context: object) -> Response:
        user = await company.people.read(by, user_id)
        given: dict[str, object] = {
            "user": user,
            "line": UserLine(user),
            "mine": user.user_id == by.user_id,
            "teams": await teams_of(company, user.team_ids),
            "managed": await teams_of(company, user.managed_team_ids),
            "team_path": paths.team_path,
            "names": await names_of(company, [user.created_by]),
            "roles": ROLES,
            "here": paths.user_path(user_id),
            "history": paths.history_path(user_id),
            "crumbs": [("People", paths.USERS)],
        }
        return shown(pages, request, "ladders/user.html", by, **{**given, **context})

    @routes.get("")
    async def users(
        request: Request, state: str = "", q: str = "", page: PageNumber = 1, by: Caller = caller
    ) -> Response:
        return await listed(request, by, state, q[:200], page)

    @routes.post("")
    async def invite(request: Request, by: Caller = caller) -> Response:
        values = await typed(request)
        given = {name: values.get(name, "") for name in ("email", "name")}
        try:
            body = read_form(UserIn, {**given, "roles": sorted(roles_in(values))}, PERSON)
            made = await company.people.create(by, body.email, body.name, body.roles)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await listed(request, by, problem=_at_address(problem), values=values)
        said = f"{made.name} is invited and notified by email. They sign in with {made.email}."
        return pages.done(request, paths.USERS, said)

    @routes.get("/{user_id}")
    async def user(request: Request, user_id: UserId, by: Caller = caller) -> Response:
        return await one(request, by, user_id)

    @routes.post("/{user_id}")
    async def change(request: Request, user_id: UserId, by: Caller = caller) -> Response:
        values = await typed(request)
        said = Precondition(if_match=f'"{values.get("revision", "")}"')
        try:
            found = await company.people.read(by, user_id)
            # The role of a team member is everybody's, and in no form.
            roles = roles_in(values) | (found.roles & {"team_member"})
            given = {"name": values.get("name", ""), "roles": sorted(roles)}
            body = read_form(UserPatch, given, PERSON)
            made = await company.people.change(by, user_id, body.change(), said)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await one(request, by, user_id, problem=problem, values=values)
        return pages.done(request, paths.user_path(user_id), f"{made.name} is saved.")

    @routes.post("/{user_id}/erase")
    async def erase(request: Request, user_id: UserId, by: Caller = caller) -> Response:
        """The address is typed once more: nobody gets it back."""
        values = await typed(request)
        found = await company.people.read(by, user_id)
        try:
            if found.email is not None and values.get("confirm", "").lower() != found.email:
                raise invalid(
                    FieldError("body.confirm", "This is not their address. Type it as it is shown.")
                )
            await company.people.erase(by, user_id)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return await one(request, by, user_id, problem=problem, values=values)
        message = "They are forgotten: name, address and all texts about them are gone."
        return pages.done(request, paths.USERS, message)

    @routes.post("/{user_id}/{act}")
    async def end(request: Request, user_id: UserId, act: str, by: Caller = caller) -> Response:
        """Deactivated, or active again."""
        doing = {"deactivate": company.people.deactivate, "reactivate": company.people.reactivate}
        if act not in doing:
            raise not_found("page")
        try:
            found = await doing[act](by, user_id)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(
                request, paths.user_path(user_id), describe_problem(problem, PERSON), tone="danger"
            )
        ends = "is active again." if found.is_active else "cannot sign in any more."
        return pages.done(request, paths.user_path(user_id), f"{found.name} {ends}")

    return routes


def _texts(line: UserLine) -> tuple[str | None, ...]:
    """What people are found by."""
    return line.user.name, line.user.email


def _at_address(problem: Problem) -> Problem:
    """That an address is taken stands where it was typed."""
    if problem.code != "EMAIL_TAKEN":
        return problem
    error = FieldError("body.email", problem.detail)
    return Problem(problem.status, problem.code, problem.detail, errors=[error])
