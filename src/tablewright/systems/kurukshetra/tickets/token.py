"""The text of a ticket: ``CK1.<event>.<participant>.<version>.<signature>``.

The signature (Ed25519) is over all that stands before it, dot excluded, so a door that has the
public keys checks a ticket without asking anybody. What a door cannot know by itself is whether the
team has paid, and whether the ticket was replaced: then the participant's ``ticket_version`` is
higher than the ticket's.

There is one text for each ticket: neither another spelling of the number nor of the signature is
taken, so that two scans of one ticket are the same text.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tablewright.service.keys import SigningKey

#: The name of the keys in ``DATA/keys``.
KEYS = "kurukshetra-tickets"

_SIGNED = re.compile(
    r"CK1\.(?P<event>[a-z0-9]+(?:-[a-z0-9]+)*)"
    r"\.(?P<person>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"\.(?P<version>[1-9][0-9]{0,8})\Z"
)
#: Of a text: longer ones are not looked at.
_MOST = 250


@dataclass(frozen=True, slots=True)
class Ticket:
    """Who may come in, and where."""

    event_id: str
    participant_id: str
    version: int

    @property
    def signed(self) -> str:
        """What the signature is over."""
        return f"CK1.{self.event_id}.{self.participant_id}.{self.version}"


def issue(ticket: Ticket, key: SigningKey) -> str:
    """The text of a ticket."""
    if not _SIGNED.match(ticket.signed):
        raise ValueError("a ticket is for an event's slug, a participant's UUID and a version")
    return f"{ticket.signed}.{_text(key.private.sign(ticket.signed.encode()))}"


class TicketReader:
    """Checks tickets with public keys alone; any of them will do, so that keys can rotate."""

    def __init__(self, keys: Iterable[Ed25519PublicKey]) -> None:
        self._keys = tuple(keys)

    @classmethod
    def of_jwks(cls, jwks: Mapping[str, Iterable[Mapping[str, str]]]) -> TicketReader:
        """With the keys of a JSON Web Key Set, as doors fetch it beforehand."""
        return cls(
            Ed25519PublicKey.from_public_bytes(_bytes(key["x"]))
            for key in jwks["keys"]
            if key.get("kty") == "OKP" and key.get("crv") == "Ed25519"
        )

    def read(self, text: str) -> Ticket | None:
        """The ticket; None if it is not one of ours."""
        if len(text) > _MOST or not text.isascii():
            return None
        signed, _, signature = text.rpartition(".")
        found = _SIGNED.match(signed)
        if found is None or not self._is_ours(signed, signature):
            return None
        return Ticket(found["event"], found["person"], int(found["version"]))

    def _is_ours(self, signed: str, signature: str) -> bool:
        try:
            raw = _bytes(signature)
        except (binascii.Error, ValueError):
            return False
        # The last character has bits that mean nothing.
        if _text(raw) != signature:
            return False
        return any(_verifies(key, raw, signed.encode()) for key in self._keys)


def _verifies(key: Ed25519PublicKey, signature: bytes, data: bytes) -> bool:
    try:
        key.verify(signature, data)
    except InvalidSignature:
        return False
    return True


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
