"""The short code of a ticket: six characters that a person can say or type at the door.

It follows from the ticket with a key that nobody else has, so nothing is stored for it, and a
ticket that was replaced has another one. Thirty bits are few: a code is only accepted from somebody
who works at the door, and where two people share one, the door is shown both.
"""

from __future__ import annotations

import hashlib
import hmac

from tablewright.systems.kurukshetra.rules import crockford
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.tickets.token import Ticket

LENGTH = 6


def code_of(key: bytes, ticket: Ticket) -> str:
    """Return the short code of a ticket."""
    about = f"door-code\n{ticket.event_id}\n{ticket.participant_id}\n{ticket.version}".encode()
    number = int.from_bytes(hmac.digest(key, about, hashlib.sha256)[:4], "big") >> 2
    places = range(5 * (LENGTH - 1), -1, -5)
    return "".join(crockford.ALPHABET[number >> place & 31] for place in places)


def parse_code(text: str) -> str | None:
    """Return the code that somebody typed; None if the text cannot be one."""
    try:
        return crockford.parse(text, LENGTH)
    except BadCode:
        return None
