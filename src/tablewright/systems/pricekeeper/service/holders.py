"""Whether whoever a credential is for is there, and is let in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.problems import Problem, not_found
from tablewright.systems.pricekeeper.rules.ids import Client

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import Status
    from tablewright.systems.pricekeeper.service.keeper import Keeper


async def check_exists(keeper: Keeper, client: Client) -> None:
    """A problem 404 unless the organisation, and the app, are there; disabled ones are."""
    for what, status in await _states(keeper, client):
        if status is None or status == "DELETED":
            raise not_found(what)


async def check_active(keeper: Keeper, client: Client, refusal: Problem) -> None:
    """A problem unless the client is let in; ``refusal`` is for what is not there any more."""
    for what, status in await _states(keeper, client):
        if status is None or status == "DELETED":
            raise refusal
        if status == "DISABLED":
            code = "ORG_DISABLED" if what == "organisation" else "APP_DISABLED"
            raise Problem(403, code, f"The {what} is disabled.")


async def _states(keeper: Keeper, client: Client) -> list[tuple[str, Status | None]]:
    org = await keeper.directory.org(client.org_id)
    states: list[tuple[str, Status | None]] = [("organisation", org.status if org else None)]
    if client.app_id is not None:
        app = await keeper.directory.app(client.org_id, client.app_id)
        states.append(("app", app.status if app else None))
    return states
