"""Choosing an organisation and an app, where a page is about one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.pricekeeper.config import App, Org

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: As many as a list to choose from may have; others are found by their own pages.
_MOST = 100


@dataclass(frozen=True)
class Chosen:
    """What a page is about, and what else it could be about."""

    orgs: list[tuple[str, str]]
    org: Org | None
    apps: list[tuple[str, str]]
    #: None is all of them.
    app: App | None
    #: What was asked for and is not an app of the organisation.
    missing: str = ""


async def chosen(keeper: Keeper, org_id: str | None, app_id: str | None) -> Chosen:
    """What was asked for; the first organisation, if nothing was."""
    page = await keeper.orgs.page(limit=_MOST)
    names = {each.org_id: each.org_name for each in page}
    wanted = org_id or next(iter(sorted(names, key=names.__getitem__)), None)
    if wanted is None:
        return Chosen([], None, [], None)
    org = await keeper.orgs.get(wanted)
    names[org.org_id] = org.org_name
    apps = {each.app_id: each for each in await keeper.orgs.apps.page(org.org_id, limit=_MOST)}
    app = apps.get(app_id or "") or await keeper.directory.app(org.org_id, app_id or "")
    if app is not None and app.status != "DELETED":
        apps[app.app_id] = app
    else:
        app = None
    return Chosen(
        sorted(names.items(), key=lambda each: each[1]),
        org,
        [(each.app_id, each.app_name) for each in apps.values()],
        app,
        missing=app_id if app_id and app is None else "",
    )
