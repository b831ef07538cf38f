"""The three parts joined, from the keys of the place where the service runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tablewright.service.keys import KeyRing, SigningKeys
from tablewright.systems.kurukshetra.privacy.blind import BlindIndex
from tablewright.systems.kurukshetra.privacy.cipher import FieldCipher
from tablewright.systems.kurukshetra.privacy.masking import Masks
from tablewright.systems.kurukshetra.privacy.vault import Vault

#: The names of the keys, as they stand in ``DATA/keys`` and ``TABLEWRIGHT_KEY_<NAME>``.
FIELDS, INDEX, MASKS = "kurukshetra-fields", "kurukshetra-index", "kurukshetra-masks"


class KeySource(Protocol):
    """Keys by name: the kit's own (``runtime.keys``), or those of KMS (:class:`.KmsPlace`)."""

    def ring(self, name: str) -> KeyRing: ...

    def secret(self, name: str) -> bytes: ...

    def signing(self, name: str) -> SigningKeys: ...

    def rotate(self, name: str) -> str: ...


@dataclass(frozen=True)
class Privacy:
    """What the use cases need to keep people's data."""

    vault: Vault
    blind: BlindIndex
    masks: Masks


def privacy_of(keys: KeySource) -> Privacy:
    """With the keys of a place. Only those of the fields rotate."""
    cipher = FieldCipher(keys.ring(FIELDS))
    return Privacy(Vault(cipher), BlindIndex(keys.secret(INDEX)), Masks(keys.secret(MASKS)))
