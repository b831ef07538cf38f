"""Blind indexes: what stands in keys for an address, a number, a code or a user.

The same text always gives the same 128 bits, so it can be found; without the key nobody can tell
which text it was, or try some. The key is not that of the sealed fields, and it does not rotate:
every key in the table that was made with it would have to be made anew.
"""

from __future__ import annotations

import hmac
import unicodedata
from hashlib import sha256

from tablewright.service.email_addresses import comparison_key
from tablewright.systems.kurukshetra.rules import invites, phones

_BYTES = 16


class BlindIndex:
    """Keyed hashes, one family for each kind of text: no two kinds share a hash."""

    def __init__(self, key: bytes) -> None:
        if len(key) < 32:
            raise ValueError("the key of a blind index has at least 32 bytes")
        self._key = key

    def email(self, address: str) -> str:
        """Return the hash of an address, regardless of its case."""
        # Earlier versions stored addresses that are not in their normal form, under the hash of
        # that form. Such an address is refused today, but the keys of stored ones must be found.
        normal = unicodedata.normalize("NFKC", address)
        return self._hash("email", comparison_key(normal))

    def phone(self, number: str) -> str:
        """Of a number in E.164; :class:`.BadPhone` if it is none."""
        return self._hash("phone", phones.parse(number))

    def invite(self, code: str) -> str:
        """Of an invite code, however it is typed; :class:`.BadCode` if it is none."""
        return self._hash("invite", invites.parse(code))

    def uid(self, uid: str) -> str:
        """Of a signed-in user, whose id tells small letters from capitals."""
        return self._hash("uid", uid)

    def _hash(self, kind: str, text: str) -> str:
        data = f"{kind}\0{text}".encode(errors="surrogatepass")
        return hmac.new(self._key, data, sha256).digest()[:_BYTES].hex()
