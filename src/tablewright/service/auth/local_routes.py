"""The local issuer over HTTP: what a program expects of an issuer, without the proof."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from tablewright.service.auth.identity import Identity
from tablewright.service.auth.local import TOKEN_SECS, LocalIssuer
from tablewright.service.auth.origins import is_our_host
from tablewright.service.problems import Problem
from tablewright.service.settings import Settings

_GRANT = "client_credentials"


class TokenAnswer(BaseModel):
    """An access token."""

    access_token: str
    token_type: str = "Bearer"
    expires_in: int = TOKEN_SECS


def local_routes(identity: Identity, local: LocalIssuer) -> APIRouter:
    """Discovery, keys and tokens."""
    router = APIRouter()
    url = identity.local_url

    @router.get("/.well-known/openid-configuration")
    async def discovery(request: Request) -> dict[str, Any]:
        """Where everything is."""
        check_host(request, identity.settings)
        return {
            "issuer": url,
            "jwks_uri": f"{url}/jwks.json",
            "token_endpoint": f"{url}/token",
            "grant_types_supported": [_GRANT],
            "token_endpoint_auth_methods_supported": ["none"],
            "id_token_signing_alg_values_supported": ["EdDSA"],
            "response_types_supported": ["token"],
            "subject_types_supported": ["public"],
        }

    @router.get("/jwks.json")
    async def jwks(request: Request) -> dict[str, Any]:
        """The keys that its tokens are signed with."""
        check_host(request, identity.settings)
        return dict(local.jwks())

    @router.post("/token")
    async def token(request: Request) -> TokenAnswer:
        """An access token for a demo user or an e-mail address, which is the ``client_id``."""
        check_host(request, identity.settings)
        given = await _given(request)
        if given.get("grant_type", _GRANT) != _GRANT:
            raise _refused(400, "unsupported_grant_type", f"grant_type has to be {_GRANT}.")
        user = local.user(str(given.get("client_id", "")))
        if user is None:
            known = ", ".join(each.id for each in local.users())
            raise _refused(
                401, "invalid_client", f"client_id has to be an e-mail address or one of: {known}."
            )
        return TokenAnswer(access_token=local.token(user, url))

    return router


def check_host(request: Request, settings: Settings) -> None:
    """Answer to names of this machine only; see :func:`is_our_host`."""
    if not is_our_host(request.headers, settings):
        raise Problem(421, "WRONG_HOST", "The local issuer answers to localhost only.")


async def _given(request: Request) -> dict[str, Any]:
    """A form, as OAuth has it, or JSON."""
    if not request.headers.get("content-type", "").startswith("application/json"):
        return dict(await request.form())
    try:
        given = await request.json()
    except (ValueError, RecursionError):
        raise _refused(400, "invalid_request", "The body is not JSON.") from None
    if not isinstance(given, dict):
        raise _refused(400, "invalid_request", "The body is not a JSON object.")
    return given


def _refused(status: int, error: str, detail: str) -> Problem:
    """OAuth's name for it stays readable to OAuth's clients."""
    return Problem(status, error.upper(), detail, extra={"error": error})
