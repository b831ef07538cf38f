"""Organisations as they are typed: by id, or by a name that only one has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.problems import Problem, missing

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import App, Org
    from tablewright.systems.pricekeeper.service.keeper import Keeper


async def org_id_of(keeper: Keeper, text: str, *, deleted: bool = False) -> str:
    """The id of the organisation that is meant; whether it exists is found out by its use."""
    from tablewright.systems.pricekeeper.reads import orgs
    from tablewright.systems.pricekeeper.rules.ids import is_org_id

    if is_org_id(text.lower()):
        return text.lower()
    listed = keeper.db.iterate(orgs(hidden=None if deleted else "DELETED"))
    found = [each.org_id async for each in listed if each.org_name == text]
    if len(found) != 1:
        raise _several(text, found) if found else _nobody(text)
    return found[0]


async def org_of(keeper: Keeper, text: str, *, deleted: bool = False) -> Org:
    """The organisation that is meant, as it is stored."""
    org_id = await org_id_of(keeper, text, deleted=deleted)
    return await keeper.orgs.get(org_id, deleted=deleted)


async def app_of(keeper: Keeper, org: Org, app_id: str | None) -> App | None:
    """The app that is meant, if one is."""
    return None if app_id is None else await keeper.orgs.apps.get(org.org_id, app_id)


async def org_ids(keeper: Keeper, text: str | None) -> list[str]:
    """The one organisation that is meant, or all that there are."""
    from tablewright.systems.pricekeeper.reads import orgs

    if text is not None:
        return [(await org_of(keeper, text)).org_id]
    return [each.org_id async for each in keeper.db.iterate(orgs(hidden="DELETED"))]


def _nobody(text: str) -> Problem:
    hint = "tablewright pricekeeper org list shows who there is."
    detail = f"There is no organisation with the id or the name {text!r}."
    return missing(detail, hint)


def _several(text: str, found: list[str]) -> Problem:
    detail = f"{len(found)} organisations are called {text!r}: {', '.join(sorted(found))}."
    return Problem(409, "AMBIGUOUS", detail, extra={"hint": "Give the id of the one you mean."})
