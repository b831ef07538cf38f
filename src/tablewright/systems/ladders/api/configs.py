"""``configs``: versions of the ladder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.ladders.api.callers import ConfigId, caller_of
from tablewright.systems.ladders.api.keyed import keyed, reads_only
from tablewright.systems.ladders.bodies.configs import (
    CheckIn,
    CheckOut,
    ConfigIn,
    ConfigOut,
    ConfigsOut,
    DiffOut,
    check_out,
    config_out,
    configs_out,
    diff_out,
)
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.configs import ActiveVersion

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_STALE = "`REVISION_CONFLICT`: another version was activated since you looked."
_LOST = "`CONFIG_CONFLICT`: somebody has just activated another version."
_LINES = "`INVALID_LADDER`: `lines` has all that is wrong, by line; `INVALID`."
_LIST: Responses = {200: {"headers": ETAG}, **refusals(403)}
_UPLOADED: Responses = refusals(403, {409: "`VERSION_EXISTS`.", 422: _LINES})
_ACTIVE: Responses = {200: {"headers": ETAG}, **refusals(404)}
_SWITCHED: Responses = {200: {"headers": ETAG}, **refusals(403, 404, {409: _LOST, 412: _STALE})}
_BACK: Responses = {
    200: {"headers": ETAG},
    **refusals(403, {409: f"`NO_PREVIOUS_CONFIG`; {_LOST}", 412: _STALE}),
}
_MARKDOWN = "text/markdown"
_TEXT: Responses = {
    200: {
        "description": "The text, as it was uploaded.",
        "content": {_MARKDOWN: {"schema": {"type": "string"}}},
    },
    **refusals(404),
}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Ladders"], route_class=keyed(company))
    # What is called by a name comes before what is called by an id.
    _all(routes, company)
    _each(routes, company)
    return routes


def _all(routes: APIRouter, company: Company) -> None:
    signed_in, configs = Depends(caller_of(company)), company.configs

    @routes.get("/configs", responses=_LIST)
    async def list_configs(response: Response, by: Caller = signed_in) -> ConfigsOut:
        """All versions, the highest first; the ETag is what an activation is made with."""
        found = await configs.list(by)
        response.headers["ETag"] = etag(0 if found.pointer is None else found.pointer.revision)
        return configs_out(found)

    @routes.post("/configs", status_code=201, responses=_UPLOADED)
    async def upload_config(body: ConfigIn, by: Caller = signed_in) -> ConfigOut:
        """A new version, which is not active yet. A text with faults is not stored."""
        return config_out(await configs.upload(by, body.version, body.content))

    @reads_only(routes, "/configs/validate", responses=refusals(403))
    async def validate_config(body: CheckIn, by: Caller = signed_in) -> CheckOut:
        """What a text says, or all that is wrong with it by line. Nothing is stored."""
        return check_out(await configs.validate(by, body.content))

    @routes.get("/configs/active", responses=_ACTIVE)
    async def get_active_config(response: Response, by: Caller = signed_in) -> ConfigOut:
        """The active version; the ETag is what another one is activated with."""
        return tagged(response, await configs.active(by))

    @routes.post("/configs/rollback", responses=_BACK)
    async def roll_back(said: Said, response: Response, by: Caller = signed_in) -> ConfigOut:
        """Activate the version that was active before; If-Match is that of the active one."""
        return tagged(response, await configs.rollback(by, said))


def _each(routes: APIRouter, company: Company) -> None:
    signed_in, configs = Depends(caller_of(company)), company.configs

    @routes.get("/configs/{config_id}", responses=refusals(404))
    async def get_config(config_id: ConfigId, by: Caller = signed_in) -> ConfigOut:
        """A version: for admins, and for those whose review goes by it."""
        return config_out(await configs.read(by, config_id))

    @routes.get("/configs/{config_id}/markdown", response_class=Response, responses=_TEXT)
    async def get_markdown(config_id: ConfigId, by: Caller = signed_in) -> Response:
        """The text of a version, as it was uploaded."""
        found = await configs.read(by, config_id)
        headers = {"Content-Disposition": f'attachment; filename="ladder-{found.version}.md"'}
        return Response(found.config_content, media_type=_MARKDOWN, headers=headers)

    @routes.get("/configs/{config_id}/diff/{other}", responses=refusals(403, 404))
    async def compare_configs(
        config_id: ConfigId, other: ConfigId, by: Caller = signed_in
    ) -> DiffOut:
        """What the other version changes, as seen from the first one."""
        return diff_out(await configs.diff(by, config_id, other))

    @routes.post("/configs/{config_id}/activate", responses=_SWITCHED)
    async def activate_config(
        config_id: ConfigId, said: Said, response: Response, by: Caller = signed_in
    ) -> ConfigOut:
        """Make it the active version; If-Match is that of the active one before."""
        return tagged(response, await configs.activate(by, config_id, said))


def tagged(response: Response, active: ActiveVersion) -> ConfigOut:
    response.headers["ETag"] = etag(active.pointer.revision)
    return config_out(active.config)
