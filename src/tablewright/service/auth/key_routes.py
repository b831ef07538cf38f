"""The API keys of a system over HTTP, tokens for its streams, and the end of sessions."""

# FastAPI reads the annotations of routes, and some are local to a function: not postponed here.
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from tablewright.service.auth.auth import Auth
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.streams import LASTS_SECS
from tablewright.service.kit.entities import ApiKey
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals

KeyId = Annotated[str, Path(description="What the key is called by: the middle part of its text.")]


class NewApiKey(BaseModel):
    """A key to be made."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"name": "Deployment", "roles": ["admin"], "days": 365}]},
    )

    # Names are listed in terminals too: nothing in them steers one.
    name: str = Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
    roles: list[str] = Field(min_length=1, max_length=20)
    days: int | None = Field(default=None, ge=1, le=3650, description="null never ends")


class ApiKeyOut(BaseModel):
    """A key, without its secret."""

    key_id: str
    name: str
    roles: list[str]
    created_at: datetime
    created_by: str
    owner: str | None = Field(description="Whom it acts for; null is for itself.")
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="To the hour.")

    @classmethod
    def of(cls, key: ApiKey) -> "ApiKeyOut":
        return cls(
            key_id=key.key_id,
            name=key.name,
            roles=sorted(key.roles),
            created_at=key.created_at,
            created_by=key.created_by,
            owner=key.owner,
            expires_at=key.expires_at,
            revoked_at=key.revoked_at,
            last_used_at=key.last_used_at,
        )


class MadeApiKey(ApiKeyOut):
    """A new key; its text is shown this once."""

    api_key: str


class SessionsEnd(BaseModel):
    """Whose sessions end."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"user": "asha@example.org"}]},
    )

    user: str = Field(
        min_length=1,
        max_length=255,
        description="The user's id at the issuer, or the e-mail address they sign in with.",
    )


class StreamToken(BaseModel):
    """For the parameter ``stream_token`` of a stream's address."""

    stream_token: str
    expires_in: int = LASTS_SECS


def key_routes(auth: Auth) -> APIRouter:
    """To be included below ``/api/v1``."""
    router = APIRouter()
    admin = Annotated[Principal, Depends(auth.require("admin"))]
    anybody = Annotated[Principal, Depends(auth.require())]

    @router.get("/api-keys")
    async def list_api_keys(principal: admin, paging: Paging) -> PageBody[ApiKeyOut]:
        """All API keys, revoked ones too."""
        page = await auth.api_keys.list(limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [ApiKeyOut.of(key) for key in page])

    @router.post("/api-keys", status_code=201)
    async def create_api_key(principal: admin, body: NewApiKey) -> MadeApiKey:
        """A new API key. Its text is in the answer, and nowhere else."""
        ends_at = None
        if body.days is not None:
            now = datetime.fromtimestamp(int(auth.identity.clock.now()), UTC)
            ends_at = now + timedelta(days=body.days)
        key, text = await auth.api_keys.create(
            principal, name=body.name, roles=body.roles, ends_at=ends_at
        )
        return MadeApiKey(**ApiKeyOut.of(key).model_dump(), api_key=text)

    @router.delete("/api-keys/{key_id}", responses=refusals(404))
    async def revoke_api_key(principal: admin, key_id: KeyId) -> ApiKeyOut:
        """End a key. It stays in the list; within half a minute no process accepts it."""
        return ApiKeyOut.of(await auth.api_keys.revoke(principal, key_id))

    @router.post("/stream-token")
    async def create_stream_token(principal: anybody) -> StreamToken:
        """A token to open streams of events with, where no header can be sent."""
        return StreamToken(stream_token=auth.stream_token(principal))

    @router.post("/sessions/end", status_code=204, responses=refusals({}))
    async def end_sessions(principal: admin, body: SessionsEnd) -> None:
        """End all browser sessions of a user, at once and in every process.

        The user can sign in again as far as the issuer still lets them. Access tokens of the issuer
        are not affected; they end by themselves.
        """
        await auth.end_sessions(principal, body.user)

    return router
