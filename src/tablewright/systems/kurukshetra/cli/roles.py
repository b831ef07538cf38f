"""``roles ...``: who runs events, for sign-ins that bring no roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import App, Parameter

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.problems import FieldError, invalid
from tablewright.service.wording import plain
from tablewright.systems.kurukshetra.cli import meant
from tablewright.systems.kurukshetra.cli.given import Festival
from tablewright.systems.kurukshetra.cli.words import RoleWord, example, moment

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.people import RoleName
    from tablewright.systems.kurukshetra.service.callers import Caller

app = App(name="roles", help="Roles of people: given, taken away, listed.")

_EVENT = Parameter(name="--event")
_SPELLINGS: Final = {"organiser": "organizer"}


@app.command(help_epilogue=example("roles grant asha@example.org organiser"))
async def grant(
    festival: Festival,
    desk: Desk,
    /,
    email: str,
    *roles: RoleWord,
    event: Annotated[str | None, _EVENT] = None,
) -> Answer:
    """Give somebody roles, by their e-mail address.

    The roles take effect when the person signs in with this address and the sign-in has verified
    it. This is how the first organiser is made where the identity provider sends no roles.

    Parameters
    ----------
    email
        The e-mail address.
    roles
        One or more of: organiser, finance, volunteer, auditor, admin.
    event
        The event's id; else the roles are for all events, and organisers may create events.
    """
    if not roles:
        raise invalid(FieldError("roles", "name at least one, such as organiser"))
    by = await _decider(festival, desk, event)
    holder = await festival.events.roles.add(by, email, _names(roles))
    assert holder is not None
    listed = ", ".join(sorted(holder.roles))
    where = "all events" if event is None else event
    line = f"{plain(holder.who)} has these roles at {where}: {listed}."
    return Answer([line], {"who": holder.who, "event": event, "roles": sorted(holder.roles)})


@app.command(help_epilogue=example("roles revoke asha@example.org"))
async def revoke(
    festival: Festival,
    desk: Desk,
    /,
    email: str,
    *roles: RoleWord,
    event: Annotated[str | None, _EVENT] = None,
) -> Answer:
    """Take roles away from somebody. It takes effect within seconds.

    Parameters
    ----------
    email
        The e-mail address.
    roles
        The roles to take away; else all.
    event
        The event's id; else the roles at all events are meant.
    """
    by = await _decider(festival, desk, event)
    holder = await festival.events.roles.remove(by, email, _names(roles))
    left = [] if holder is None else sorted(holder.roles)
    where = "all events" if event is None else event
    line = f"{plain(email)} has no role at {where} any more."
    if left:
        line = f"{plain(email)} has these roles at {where}: {', '.join(left)}."
    return Answer([line], {"who": email, "event": event, "roles": left})


@app.command(name="list", help_epilogue=example("roles list"))
async def list_roles(
    festival: Festival, desk: Desk, /, *, event: Annotated[str | None, _EVENT] = None
) -> Answer:
    """List who has roles.

    Parameters
    ----------
    event
        The event's id; else those are listed who have roles at all events.
    """
    by = await _decider(festival, desk, event)
    holders, cursor = [], None
    while True:
        page = await festival.events.roles.list(by, 100, cursor)
        holders += list(page)
        cursor = page.cursor
        if cursor is None:
            break
    holders.sort(key=lambda each: each.who)
    data = [{"who": each.who, "roles": sorted(each.roles)} for each in holders]
    if not holders:
        return Answer(["Nobody has a role here yet: tablewright kurukshetra roles grant"], data)
    rows = [
        (plain(each.who), ", ".join(sorted(each.roles)), moment(each.created_at))
        for each in holders
    ]
    return Answer(columns(("who", "roles", "since"), rows), data)


async def _decider(festival: Festival, desk: Desk, event: str | None) -> Caller:
    if event is not None:
        return await meant.typist(festival, desk, event)
    return festival.events.roles.everywhere(await festival.access.user(desk.by))


def _names(roles: tuple[str, ...]) -> list[RoleName]:
    from tablewright.systems.kurukshetra.people import ROLE_NAMES

    wanted = {_SPELLINGS.get(each, each) for each in roles}
    return [each for each in ROLE_NAMES if each in wanted]
