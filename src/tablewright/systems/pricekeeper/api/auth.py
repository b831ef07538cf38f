"""``/auth``: tokens for clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.problem_answers import refusals
from tablewright.systems.pricekeeper.api.grants import (
    check_scope,
    credentials_of,
    fields_of,
    read,
)
from tablewright.systems.pricekeeper.api.reference import ANYBODY, SECRET
from tablewright.systems.pricekeeper.bodies import RefreshIn, RevokeIn, TokenIn, TokenOut

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.tokens import Granted


def router(keeper: Keeper) -> APIRouter:
    """The routes of tokens. They are open: the caller proves itself in the body."""
    routes = APIRouter(prefix="/auth", tags=["auth"])

    @routes.post(
        "/token",
        openapi_extra=_body(TokenIn) | SECRET,
        response_model_exclude_none=True,
        responses=refusals(
            {
                400: "`INVALID_REQUEST`, `UNSUPPORTED_GRANT_TYPE` or `INVALID_SCOPE`.",
                401: "`INVALID_CLIENT`: there is no such client, or this is not its secret.",
                403: "`ORG_DISABLED`, `APP_DISABLED`: it is let in no more.",
                429: "`RATE_LIMITED`: too many wrong secrets.",
            }
        ),
    )
    async def issue_token(request: Request) -> TokenOut:
        """Tokens for a client that knows its secret."""
        fields = await fields_of(request)
        client_id, secret = credentials_of(request, fields)
        granted = await keeper.tokens.login(client_id, secret, address_of(request))
        check_scope(fields, granted.scope)
        return _out(granted)

    @routes.post(
        "/refresh",
        openapi_extra=_body(RefreshIn) | ANYBODY,
        response_model_exclude_none=True,
        responses=refusals(
            {
                400: "`INVALID_GRANT`: not a good refresh token, or not any more; "
                "`INVALID_REQUEST`, `UNSUPPORTED_GRANT_TYPE`.",
                403: "`ORG_DISABLED`, `APP_DISABLED`: it is let in no more.",
            }
        ),
    )
    async def refresh_token(request: Request) -> TokenOut:
        """The next tokens, for a refresh token that was not used before."""
        body = read(RefreshIn, await fields_of(request))
        return _out(await keeper.tokens.refresh(body.refresh_token))

    @routes.post(
        "/revoke",
        status_code=204,
        openapi_extra=_body(RevokeIn) | ANYBODY,
        responses=refusals({400: "`INVALID_REQUEST`."}),
    )
    async def revoke_token(request: Request) -> Response:
        """End an access token, or with a refresh token all tokens of its login."""
        body = read(RevokeIn, await fields_of(request))
        await keeper.tokens.revoke(body.token)
        return Response(status_code=204)

    @routes.get("/jwks", openapi_extra=ANYBODY)
    async def get_token_keys() -> dict[str, list[dict[str, str]]]:
        """The public keys that tokens are signed with."""
        return keeper.tokens.public_keys()

    return routes


def _out(granted: Granted) -> TokenOut:
    return TokenOut(
        access_token=granted.access_token,
        expires_in=granted.expires_in,
        refresh_token=granted.refresh_token,
        scope=granted.scope,
    )


def _body(kind: type[BaseModel]) -> dict[str, Any]:
    """How a body that we read ourselves is documented."""
    # Parameters that nobody knows are ignored, as OAuth wants it.
    schema = {"schema": kind.model_json_schema() | {"additionalProperties": True}}
    content = {"application/json": schema, "application/x-www-form-urlencoded": schema}
    return {"requestBody": {"required": True, "content": content}}
