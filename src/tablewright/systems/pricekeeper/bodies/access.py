"""Tokens and credentials."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from tablewright.systems.pricekeeper.bodies.examples import (
    CLIENT_ID,
    RETRIEVAL,
    SECRET,
    TOKEN,
    shown,
)
from tablewright.systems.pricekeeper.bodies.fields import In, Out


class TokenIn(In):
    """A client proves itself: here, or with HTTP Basic."""

    model_config = shown(grant_type="client_credentials", client_id=CLIENT_ID, client_secret=SECRET)

    grant_type: Literal["client_credentials"]
    client_id: str | None = Field(default=None, max_length=200)
    client_secret: str | None = Field(default=None, max_length=200)


class RefreshIn(In):
    """A refresh token, good once."""

    model_config = shown(grant_type="refresh_token", refresh_token=TOKEN)

    grant_type: Literal["refresh_token"] = "refresh_token"
    refresh_token: str = Field(min_length=1, max_length=4096)


class RevokeIn(In):
    """A token to be worth nothing from now on."""

    model_config = shown(token=TOKEN)

    token: str = Field(min_length=1, max_length=4096)
    token_type_hint: Literal["access_token", "refresh_token"] | None = None


class TokenOut(Out):
    """What a client calls with."""

    access_token: str
    token_type: Literal["Bearer"] = "Bearer"
    expires_in: int
    refresh_token: str | None = None
    scope: str


class RotateIn(In):
    """A new secret; the old one is good for the hours of grace."""

    model_config = shown(grace_hours=24)

    grace_hours: int = Field(default=24, ge=0, le=168)
    force: bool = Field(
        default=False,
        description="Rotate within the grace of an earlier rotation: the oldest secret ends now.",
    )


class RotateOut(Out):
    """Where the new secret waits, and until when the old one is good."""

    client_id: str
    cred_version: int
    retrieval_token: str
    retrieval_expires_at: datetime
    grace_expires_at: datetime | None = None


class ClientOut(Out):
    """Who can log in, and since when its secret is what it is."""

    client_id: str
    cred_version: int
    secret_created_at: datetime
    grace_expires_at: datetime | None = Field(
        default=None, description="Until when the secret before is good too, if it still is."
    )
    tokens_valid_after: datetime | None = Field(
        default=None, description="Tokens from before are worth nothing."
    )


class ClientsOut(Out):
    """The clients of an organisation: its own first, then those of its apps."""

    items: list[ClientOut]


class RedeemIn(In):
    """A retrieval token, good once."""

    model_config = shown(token=RETRIEVAL)

    # Of any length: what cannot be one is refused like one that is unknown.
    token: str


class RedeemOut(Out):
    """The secret. It is not kept anywhere: write it down now."""

    client_id: str
    client_secret: str
