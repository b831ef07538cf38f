"""Who calls with a token of ours, and what they may reach."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.service.auth import Principal
from tablewright.service.problems import Problem, forbidden, not_found


@dataclass(frozen=True, slots=True)
class Caller:
    """A client with a valid token: an organisation, or one of its apps."""

    client_id: str
    org_id: str
    #: None is the organisation itself.
    app_id: str | None
    token_id: str
    family: str
    expires_epoch: int

    def may(self, org_id: str, app_id: str | None) -> bool:
        """Whether it may act for an app, or with None for the whole organisation."""
        return org_id == self.org_id and self.app_id in (None, app_id)

    def check(self, org_id: str, app_id: str | None) -> None:
        """A problem unless it may: another organisation is none of its business at all."""
        if self.may(org_id, app_id):
            return
        if org_id != self.org_id:
            raise not_found("organisation")
        if app_id is None:
            raise forbidden("This token is an app's. It needs the organisation's own.")
        raise forbidden("This token is another app's.")

    @property
    def principal(self) -> Principal:
        """The same, as audit entries know it."""
        return Principal(
            id=self.client_id,
            name=self.client_id,
            kind="client",
            roles=frozenset(),
            claims={},
        )


def unauthenticated() -> Problem:
    """There is no token at all."""
    detail = "Send an access token: Authorization: Bearer ... Get one from /pricekeeper/auth/token."
    return Problem(401, "UNAUTHENTICATED", detail, headers={"WWW-Authenticate": "Bearer"})


def invalid_token() -> Problem:
    """It is not ours, has ended, or was revoked. Which of them is nobody's business."""
    return Problem(
        401,
        "INVALID_TOKEN",
        "The access token is not valid, or no longer. Get another one.",
        headers={"WWW-Authenticate": 'Bearer error="invalid_token"'},
    )


def invalid_grant() -> Problem:
    """A refresh token that is not good, not any more, or not again."""
    detail = "The refresh token is not valid, or was used before. Log in with the secret."
    return Problem(400, "INVALID_GRANT", detail)
