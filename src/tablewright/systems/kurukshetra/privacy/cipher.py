"""One text sealed for one place: AES-256-GCM, ``v1.<key id>.<nonce, ciphertext and tag>``.

The place (PK, SK and attribute) is authenticated with the text. A ciphertext that somebody copies
to another item, or to another attribute of the same item, therefore does not open there, although
the key is the same.

Nonces are random: at 96 bits one key is good for four thousand million texts.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
from functools import lru_cache
from typing import NamedTuple

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright.service.keys import KeyRing
from tablewright.systems.kurukshetra.privacy.errors import BrokenSeal, NotSealed, UnknownKey

_FORM = re.compile(r"v1\.([A-Za-z0-9_-]{1,40})\.([A-Za-z0-9_-]+)={0,2}\Z")
_KID = re.compile(r"[A-Za-z0-9_-]{1,40}\Z")
_NONCE = 12


class Place(NamedTuple):
    """Where a text is stored."""

    pk: str
    sk: str
    attribute: str

    def __str__(self) -> str:
        return f"{self.attribute} of {self.pk}, {self.sk}"

    def authenticated(self) -> bytes:
        """All three, with their lengths, so that no two places give the same bytes."""
        parts = (part.encode() for part in self)
        return b"v1" + b"".join(len(part).to_bytes(4) + part for part in parts)


class FieldCipher:
    """Seals with the newest key of a ring, and opens with any of them."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring

    def seal(self, text: str, place: Place) -> str:
        key = self._ring.current
        if not _KID.match(key.kid):
            raise UnknownKey(f"the key id {key.kid!r} has more than 40 characters: shorten it")
        nonce = os.urandom(_NONCE)
        # A lone surrogate cannot be stored in clear either, but it is no reason to fail here.
        data = text.encode(errors="surrogatepass")
        sealed = nonce + _aes(key.secret).encrypt(nonce, data, place.authenticated())
        return f"v1.{key.kid}.{base64.urlsafe_b64encode(sealed).rstrip(b'=').decode()}"

    def open(self, sealed: str, place: Place) -> str:
        """The text; an error of :mod:`.errors` if it cannot be trusted."""
        kid, data = _parts(sealed, place)
        key = self._key(kid, place)
        try:
            text = _aes(key).decrypt(data[:_NONCE], data[_NONCE:], place.authenticated())
        except (InvalidTag, ValueError):
            raise BrokenSeal(
                f"{place} was not sealed here: it was changed, or moved from another item or "
                "attribute. Restore the item from a backup."
            ) from None
        return text.decode(errors="surrogatepass")

    def outdated(self, sealed: str) -> bool:
        """Whether a text is sealed under another key than the newest."""
        found = _FORM.match(sealed)
        return found is not None and found[1] != self._ring.current.kid

    def _key(self, kid: str, place: Place) -> bytes:
        key = self._ring.get(kid)
        if key is None:
            # Another process may have rotated just now, sooner than the ring looks again itself.
            self._ring.renew()
            key = self._ring.get(kid)
        if key is None:
            raise UnknownKey(
                f"{place} is sealed under the key {kid!r}, which is not in the ring. Bring the key "
                "back; retire one only when nothing is sealed under it any more."
            )
        return key


def _parts(sealed: str, place: Place) -> tuple[str, bytes]:
    found = _FORM.match(sealed)
    if found is None:
        raise NotSealed(f"{place} is not sealed: v1.<key id>.<data> is expected")
    kid, text = found.groups()
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except binascii.Error:
        raise BrokenSeal(f"{place} was cut or changed: it is no base64") from None
    # The last character has bits that mean nothing: only one way to write them is ours.
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise BrokenSeal(f"{place} was changed: its last character is not as we write it")
    return kid, data


@lru_cache(maxsize=64)
def _aes(key: bytes) -> AESGCM:
    return AESGCM(key)
