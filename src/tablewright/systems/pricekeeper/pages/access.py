"""Clients and their secrets: rotated, shown once; tokens ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.auth.key_pages import key_list
from tablewright.service.auth.origins import safe_path
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem, invalid, not_found
from tablewright.systems.pricekeeper.bodies import RotateIn
from tablewright.systems.pricekeeper.config import Credential
from tablewright.systems.pricekeeper.pages.choosing import chosen
from tablewright.systems.pricekeeper.pages.keys import KEYS
from tablewright.systems.pricekeeper.pages.paths import BASE
from tablewright.systems.pricekeeper.rules.ids import Client, read_client_id
from tablewright.systems.pricekeeper.rules.secrets import in_grace

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


@dataclass(frozen=True)
class ClientLine:
    """A client, as the list shows it."""

    credential: Credential
    app_id: str | None
    #: The secret before is still good.
    in_grace: bool


def access_path(org_id: str) -> str:
    return with_query(f"{BASE}/access", org=org_id)


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/access")
    admin = Depends(keeper.runtime.auth.require("admin"))

    @routes.get("")
    async def listed(request: Request, org: str | None = None, who: Principal = admin) -> Response:
        found = await chosen(keeper, org, None)
        clients = await keeper.credentials.clients(found.org.org_id) if found.org else []
        return pages.render(
            request,
            "pricekeeper/access.html",
            chosen=found,
            clients=[_line(each, keeper.now()) for each in clients],
            names=dict(found.apps),
            found=await key_list(keeper.runtime, KEYS),
        )

    async def asked(
        request: Request,
        client: Client,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        credential = await keeper.credentials.of(*client)
        org = await keeper.orgs.get(client.org_id)
        if credential is None:
            raise not_found("client")
        return pages.render(
            request,
            "pricekeeper/rotate.html",
            status=problem.status if problem else 200,
            client=_line(credential, keeper.now()),
            org=org,
            back=access_path(org.org_id),
            problem=problem,
            values=values,
            crumbs=[("Access", access_path(org.org_id))],
        )

    @routes.get("/rotate")
    async def rotate_form(request: Request, client: str, who: Principal = admin) -> Response:
        return await asked(request, _client(client))

    @routes.post("/rotate")
    async def rotate(request: Request, client: str, who: Principal = admin) -> Response:
        values, owner = await typed(request), _client(client)
        try:
            body = built(
                RotateIn,
                {
                    "grace_hours": values.get("grace_hours") or 0,
                    "force": values.get("force") == "1",
                },
            )
            done = await keeper.credentials.rotate(
                *owner, who, grace_hours=body.grace_hours, force=body.force
            )
        except Problem as problem:
            told = _at_force(problem)
            return await asked(request, owner, problem=told, values=values)
        return pages.render(
            request,
            "pricekeeper/rotated.html",
            client_id=done.client_id,
            token=done.token,
            until=done.retrieval_expires_at,
            grace=done.grace_until,
            path=access_path(owner.org_id),
            crumbs=[("Access", access_path(owner.org_id))],
        )

    @routes.post("/revoke")
    async def revoke(request: Request, client: str, who: Principal = admin) -> Response:
        owner = _client(client)
        await keeper.credentials.end_tokens(*owner, who)
        message = "Its tokens are worth nothing any more. With its secret it gets new ones."
        return pages.done(request, access_path(owner.org_id), message)

    @routes.post("/secret")
    async def secret(request: Request, who: Principal = admin) -> Response:
        """The secret behind a token, once; who comes second is told so."""
        values = await typed(request)
        back = safe_path(values.get("back") or f"{BASE}/access")
        try:
            found = await keeper.credentials.redeem(values.get("token", ""), who)
        except Problem as problem:
            if problem.status != 404:
                raise
            return pages.render(
                request,
                "pricekeeper/secret_gone.html",
                status=404,
                back=back,
                crumbs=[("Access", f"{BASE}/access")],
            )
        return pages.render(
            request,
            "pricekeeper/secret.html",
            found=found,
            client=read_client_id(found.client_id),
            url=f"{keeper.runtime.settings.url}{BASE}",
            token=values.get("token", ""),
            back=back,
            crumbs=[("Access", f"{BASE}/access")],
        )

    return routes


def _client(text: str) -> Client:
    found = read_client_id(text)
    if found is None:
        raise not_found("client")
    return found


def _line(credential: Credential, now: int) -> ClientLine:
    app_id = credential.holder.removeprefix("CRED").removeprefix("#APP#")
    return ClientLine(credential, app_id or None, in_grace(credential, now))


def _at_force(problem: Problem) -> Problem:
    """That an earlier secret is still good is answered by ticking a box."""
    if problem.code != "ROTATION_IN_GRACE":
        return problem
    told = invalid(FieldError("body.force", problem.detail))
    return Problem(409, problem.code, "The secret before is still good.", errors=told.errors)
