"""Exports without people in them: every person gets another name, and always the same one.

A masked name comes from a keyed hash of who it is, not from the name: two exports fit together, and
neither leads back. What it looks like depends on the field, so that masked data still passes for
data: an address under ``.invalid``, which nobody owns, a number under +999, which no country has.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from tablewright.model import Entity
from tablewright.systems.kurukshetra.plain import Plain, is_sealed
from tablewright.systems.kurukshetra.privacy.vault import sealed_fields
from tablewright.systems.kurukshetra.rules.crockford import ALPHABET

E = TypeVar("E", bound=Entity)

#: By the field's name; any other is masked as a bare sign.
_FORMS: dict[str, Callable[[str, int], str]] = {
    "first_name": lambda sign, number: "Person",
    "last_name": lambda sign, number: sign,
    "name": lambda sign, number: f"Person {sign}",
    "email": lambda sign, number: f"person-{sign.lower()}@masked.invalid",
    "phone": lambda sign, number: f"+999{number % 10**9:09d}",
    "github_username": lambda sign, number: f"person-{sign.lower()}",
    "linkedin": lambda sign, number: f"https://masked.invalid/in/{sign.lower()}",
}


class Masks:
    """Masks people, the same way each time with the same key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def masked(self, entity: E, person: str, *, always: bool = False) -> E:
        """The entity with a mask in every sealed field that is not empty.

        Where only some are sealed, ``always`` masks the others too: an answer to a question that
        was found to be personal later.

        ``person`` says who it is about in all entities and events: the hash of an address, or where
        there is none the id of a participant.
        """
        changes = {
            field.name: Plain(self.text(field.name, person))
            for field in sealed_fields(type(entity))
            if _is_personal(value := getattr(entity, field.name)) or (always and value)
        }
        return entity.model_copy(update=changes)

    def text(self, field: str, person: str) -> str:
        """What stands in one field of a person."""
        digest = hmac.new(self._key, f"mask\0{person}".encode(), sha256).digest()
        sign = "".join(ALPHABET[byte % 32] for byte in digest[:8])
        form = _FORMS.get(field)
        return sign if form is None else form(sign, int.from_bytes(digest[8:16]))


def _is_personal(value: str | Plain | None) -> bool:
    # An answer that was not sealed is about the event, not about the person.
    return isinstance(value, Plain) or (value is not None and is_sealed(value))
