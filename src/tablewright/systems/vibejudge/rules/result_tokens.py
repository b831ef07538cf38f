"""What a team shows to see its own result: ``{hack_id}.{sub_id}.{secret}``.

The ids say which submission is meant, the secret that one may see it. Only a digest of the secret
is kept. The secret has 256 random bits, so a plain digest of it gives nothing away.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from typing import Final

_ID: Final = "[0-7][0-9A-HJKMNP-TV-Z]{25}"
_SHAPE: Final = re.compile(
    rf"(?P<hack_id>{_ID})\.(?P<sub_id>{_ID})\.(?P<secret>[A-Za-z0-9_-]{{43}})", re.ASCII
)
#: What is compared with where no token was ever issued: the same work, and never equal.
_NOBODYS: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class ResultToken:
    """A token that has the right shape; whether it is the right one, ``matches`` tells."""

    hack_id: str
    sub_id: str
    secret: str

    def __repr__(self) -> str:
        # Whoever logs one by mistake gives nothing away.
        return f"ResultToken({self.hack_id}.{self.sub_id}.…)"

    @property
    def text(self) -> str:
        return f"{self.hack_id}.{self.sub_id}.{self.secret}"

    @property
    def digest(self) -> str:
        return sha256(self.secret.encode()).hexdigest()


def new_token(hack_id: str, sub_id: str) -> tuple[str, str]:
    """A new one, and the digest to keep: ``(text, digest)``. The text is shown once."""
    token = ResultToken(hack_id, sub_id, secrets.token_urlsafe(32))
    return token.text, token.digest


def parse(text: str) -> ResultToken | None:
    """What a token says, or None if it cannot be one."""
    found = _SHAPE.fullmatch(text)
    return None if found is None else ResultToken(**found.groupdict())


def matches(token: ResultToken, digest: str | None) -> bool:
    """Whether it is the token of this digest, in the same time whatever the answer is."""
    equal = compare_digest(token.digest, digest or _NOBODYS)
    return equal and digest is not None
