"""What stands in a token, and how it is signed and read.

Tokens are JWTs signed with Ed25519. The algorithm is fixed and the key is looked up among ours, so
nothing in a token can choose how it is checked. Times go by the process's own clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import jwt
from jwt.types import Options
from pydantic import BaseModel, ConfigDict

from tablewright.service.keys import SigningKeys
from tablewright.systems.pricekeeper.config import Credential
from tablewright.systems.pricekeeper.rules.ids import client_id
from tablewright.systems.pricekeeper.rules.secrets import SKEW_SECS

Kind: TypeAlias = Literal["access", "refresh"]

_ALGORITHM = "EdDSA"
#: The times are compared with our own clock.
_CHECKS: Options = {
    "require": ["sub"],
    "verify_exp": False,
    "verify_iat": False,
    "verify_nbf": False,
}


class Claims(BaseModel):
    """What one token says, beside who signed it and for whom."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    typ: Kind
    org_id: str
    app_id: str | None = None
    #: The token's own id.
    jti: str
    #: All tokens that came from one login.
    fam: str
    #: The client's ``cred_version`` at that login.
    cv: int
    iat: int
    exp: int

    @property
    def client_id(self) -> str:
        return client_id(self.org_id, self.app_id)

    @property
    def scope(self) -> str:
        """How far it reaches: a whole organisation, or one app."""
        return "org" if self.app_id is None else "app"


@dataclass(frozen=True)
class Mint:
    """Signs tokens, and reads those that it has signed."""

    keys: SigningKeys
    issuer: str
    audience: str

    def sign(self, claims: Claims) -> str:
        key = self.keys.current
        payload = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": claims.client_id,
            "scope": claims.scope,
            **claims.model_dump(exclude_none=True),
        }
        return jwt.encode(payload, key.private, algorithm=_ALGORITHM, headers={"kid": key.kid})

    def made(self, token: str) -> bool:
        """Whether a token says that it is ours; :meth:`read` finds out if it is."""
        try:
            return self.keys.public(_kid(token)) is not None
        except (jwt.PyJWTError, ValueError):
            return False

    def read(self, token: str, kind: Kind, now: float) -> Claims | None:
        """What a token says, if we have signed it, it is of this kind, and has not ended."""
        try:
            key = self.keys.public(_kid(token))
            if key is None:
                return None
            claims = Claims.model_validate(
                jwt.decode(
                    token,
                    key,
                    algorithms=[_ALGORITHM],
                    issuer=self.issuer,
                    audience=self.audience,
                    options=_CHECKS,
                )
            )
        except (jwt.PyJWTError, ValueError):  # also what is no text, and claims of other types
            return None
        return claims if claims.typ == kind and claims.exp > now else None


def _kid(token: str) -> str:
    kid = jwt.get_unverified_header(token).get("kid")
    return kid if isinstance(kid, str) else ""


def outlives(claims: Claims, credential: Credential) -> bool:
    """Whether a token is still good beside what has happened to the client's secret since."""
    after = credential.tokens_valid_after_epoch
    if claims.cv > credential.cred_version:
        return False
    if after is None:
        return True
    # Around the moment of a rotation clocks are not exact enough: there the version decides.
    unsure = SKEW_SECS if claims.cv < credential.cred_version else -1
    return claims.iat > int(after.timestamp()) + unsure


def renewable(claims: Claims, credential: Credential, *, grace: bool) -> bool:
    """Whether the secret that a family of tokens began with would still be accepted today."""
    behind = credential.cred_version - claims.cv
    return behind == 0 or (behind == 1 and grace)
