"""Tokens for streams of events: a browser's ``EventSource`` sends cookies but no other headers.

A program gets one from the API and puts it into the address. Addresses end up in logs, so a token
is good for a minute, for opening streams, in one system.
"""

from __future__ import annotations

from typing import get_args

from tablewright.clock import Clock
from tablewright.service.auth.principal import Kind, Principal
from tablewright.service.auth.signed import seal, unseal
from tablewright.service.keys import KeyRing

LASTS_SECS = 60


class StreamTokens:
    """The stream tokens of one system."""

    def __init__(self, system: str, ring: KeyRing, clock: Clock) -> None:
        self._system = system
        self._ring = ring
        self._clock = clock

    def make(self, principal: Principal) -> str:
        """A token with which this one may open streams."""
        payload = {
            "sub": principal.id,
            "name": principal.name[:100],
            "kind": principal.kind,
            "roles": sorted(principal.roles),
            "owner": principal.owner,
        }
        expires = int(self._clock.now()) + LASTS_SECS
        return seal(self._ring, f"stream {self._system}", payload, expires=expires)

    def read(self, token: str) -> Principal | None:
        """Whose token it is; None if it has ended, or is for something else."""
        found = unseal(self._ring, f"stream {self._system}", token, now=self._clock.now())
        if found is None:
            return None
        roles = found["roles"]
        names = frozenset(map(str, roles)) if isinstance(roles, list) else frozenset()
        kind: Kind = next(each for each in get_args(Kind) if each == found["kind"])
        return Principal(
            id=str(found["sub"]),
            name=str(found["name"]),
            kind=kind,
            roles=names,
            grants=frozenset(f"{self._system}:{role}" for role in names),
            owner=str(found.get("owner", "")),
        )
