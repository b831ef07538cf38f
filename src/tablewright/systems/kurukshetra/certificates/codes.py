"""The code of a certificate: 16 characters, 80 bits. Who has it may check the certificate.

It follows from whom the certificate is for, and what for, with a key that nobody else has: so it is
the same however often it is issued, nobody can guess it, and it is found again when somebody is to
be forgotten. Without the key, certificates stay valid, but cannot be found any more.
"""

from __future__ import annotations

import hashlib
import hmac

from tablewright.systems.kurukshetra.rules import crockford

#: The name of the key in ``DATA/keys``.
KEY = "kurukshetra-certificates"
LENGTH = 16


def of(key: bytes, event_id: str, participant_id: str, kind: str) -> str:
    """The code of a person's certificate."""
    about = f"{event_id}\n{participant_id}\n{kind}".encode()
    number = int.from_bytes(hmac.digest(key, about, hashlib.sha256)[:10], "big")
    places = range(5 * (LENGTH - 1), -1, -5)
    return "".join(crockford.ALPHABET[number >> place & 31] for place in places)


def parse(text: str) -> str:
    """The code that somebody typed; :class:`.BadCode` if it is none."""
    return crockford.parse(text, LENGTH)


def shown(code: str) -> str:
    """``7H2K-9QZM-4T0V-XW3B``: as it is printed."""
    return crockford.shown(code)
