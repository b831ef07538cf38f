"""Sessions of browsers: a signed cookie that says who signed in, and until when.

Nothing is stored for a session while it lasts. Signing out stores its id, and an administrator can
end all sessions of a person (``ended``); a copy of the cookie is worth nothing then, at once and in
every process.

A form or script proves that it is ours with a CSRF token, which is signed and bound to the session,
in the header ``X-CSRF-Token`` or the field ``csrf_token``.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tablewright.service.auth.claims import is_verified
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.signed import MOST_CHARACTERS, seal, unseal
from tablewright.service.keys import KeyRing
from tablewright.service.problems import Problem

CSRF_HEADER: Final = "X-CSRF-Token"
CSRF_FIELD: Final = "csrf_token"

#: The most that ``session_hours`` may be; a session that somebody may need later is kept no longer.
MOST_SESSION_HOURS: Final = 720

_CSRF = "csrf"
_MOST_EMAIL = 254


@dataclass(frozen=True)
class Session:
    """Somebody who has signed in with a browser."""

    id: str
    principal: Principal
    #: Seconds since the epoch.
    started: int
    ends: int


class Sessions:
    """Makes sessions, and reads them back from cookies."""

    def __init__(self, ring: KeyRing, *, vouched_by: str, lasts_secs: int) -> None:
        """``vouched_by`` is who says who people are: a session is good as long as they do."""
        self._ring = ring
        self._purpose = f"session {vouched_by}"
        self.lasts_secs = lasts_secs

    def start(
        self, principal: Principal, *, now: float, secs: int | None = None
    ) -> tuple[Session, str]:
        """A new session, and what its cookie holds; it lasts as usual, unless ``secs`` says."""
        started = int(now)
        ends = started + (self.lasts_secs if secs is None else secs)
        session = Session(secrets.token_urlsafe(18), principal, started, ends)
        payload: dict[str, object] = {
            "sid": session.id,
            "sub": principal.id,
            "name": principal.name[:100],
            "roles": sorted(principal.grants),
            "iat": started,
            **_kept(principal.claims),
        }
        if principal.owner:
            payload["own"] = principal.owner
        text = seal(self._ring, self._purpose, payload, expires=ends)
        if len(text) > MOST_CHARACTERS:
            detail = "You have more roles than a browser's cookie holds. Ask for fewer of them."
            raise Problem(403, "TOO_MANY_ROLES", detail)
        return session, text

    def read(self, cookie: str, *, now: float) -> Session | None:
        """The session of a cookie; None if it has ended, or never was."""
        found = unseal(self._ring, self._purpose, cookie, now=now)
        if found is None:
            return None
        roles = found["roles"]
        principal = Principal(
            id=str(found["sub"]),
            name=str(found["name"]),
            kind="user",
            grants=frozenset(map(str, roles)) if isinstance(roles, list) else frozenset(),
            owner=str(found.get("own", "")),
            claims=_kept(found),
        )
        started, ends = int(str(found["iat"])), int(str(found["exp"]))
        return Session(str(found["sid"]), principal, started, ends)

    def csrf(self, session: Session) -> str:
        """A token for the forms of a session; another text every time, as good as the last."""
        payload = {"sid": session.id, "salt": secrets.token_hex(4)}
        return seal(self._ring, _CSRF, payload, expires=session.ends)

    def is_csrf(self, session: Session, token: str, *, now: float) -> bool:
        """Whether a token was made for this session."""
        found = unseal(self._ring, _CSRF, token, now=now)
        return found is not None and hmac.compare_digest(str(found.get("sid")), session.id)


def _kept(claims: Mapping[str, object]) -> dict[str, object]:
    """What a session keeps of a token: the address, and whether its issuer has verified it."""
    address = claims.get("email")
    if not isinstance(address, str) or not 0 < len(address) <= _MOST_EMAIL:
        return {}
    return {"email": address, "email_verified": is_verified(claims)}
