"""Whom and what somebody means who types: a version of the ladder, a person, a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Desk
from tablewright.service.problems import FieldError, Problem, invalid, missing
from tablewright.service.wording import plain
from tablewright.systems.ladders.cli.given import Company

if TYPE_CHECKING:
    from tablewright.systems.ladders.entities import ConfigVersion
    from tablewright.systems.ladders.reads import ReportLine
    from tablewright.systems.ladders.service.callers import Caller

#: The version that is in use, whichever that is.
ACTIVE = "active"
_VERSIONS = "tablewright ladders config list shows which there are."


async def typist(company: Company, desk: Desk) -> Caller:
    """Who types: they may do what administrators do, and what they do is written down."""
    return await company.people.caller(desk.by)


async def config(company: Company, by: Caller, version: str) -> ConfigVersion:
    """A version of the ladder by its number, or the active one."""
    if version != ACTIVE:
        found = await company.configs.by_version(version)
        if found is None:
            raise missing(f"There is no version {plain(version)!r} of the ladder.", _VERSIONS)
        return found
    try:
        return (await company.configs.active(by)).config
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        raise missing("No version of the ladder is active yet.", _VERSIONS) from None


async def report(company: Company, email: str, season: str, team: str | None) -> str:
    """The id of the report about somebody in a season."""
    lines = [
        each
        for each in await _reports_of(company, await _user_id(company, email))
        if each.season == season and team in (None, each.team_id)
    ]
    if not lines:
        raise missing(f"There is no report about this person in {plain(season)}.")
    if len(lines) > 1:
        teams = " or ".join(each.team_id for each in lines)
        raise invalid(FieldError("--team", f"two teams have one: give {teams}"))
    return lines[0].report_id


async def _user_id(company: Company, email: str) -> str:
    from tablewright.service.email_addresses import EmailError, comparison_key, parse_email
    from tablewright.systems.ladders import reads

    try:
        address = comparison_key(parse_email(email))
    except EmailError as error:
        raise invalid(FieldError("--email", str(error))) from None
    lock = await company.db.run(reads.email_lock(address))
    if lock is None:
        raise missing("Nobody has this address.")
    return lock.owner_id


async def _reports_of(company: Company, user_id: str) -> list[ReportLine]:
    from tablewright.systems.ladders import reads

    return [each async for each in company.db.iterate(reads.reports_of_user(user_id))]
