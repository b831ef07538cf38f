"""Key material by name: made on first use and kept in ``DATA/keys``, or given by the environment.

Three shapes, all of 32 random bytes a key:

* :meth:`Keys.secret`: one key, for what never rotates (the signature of cursors);
* :meth:`Keys.ring`: keys by ``kid``, newest first: the newest makes, all of them check;
* :meth:`Keys.signing`: the same with Ed25519 pairs, whose public halves may be published.

In the folder a secret is a file ``<name>``; a ring is a folder ``<name>`` with a file for each key,
``0001``, ``0002`` and so on, that holds ``kid key``. Of two processes that start at once one makes
the key and the other finds it. To rotate is to add a file; to retire a key is to delete one. A
process looks again for keys when it meets an unknown ``kid``, and once a minute otherwise.

``TABLEWRIGHT_KEY_<NAME>`` takes the place of the files: a key in base64url or hexadecimal digits,
or several with commas between them, newest first, each ``kid:key`` or the key alone.
"""

from __future__ import annotations

import base64
import logging
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.service.key_files import (
    KEY_BYTES,
    Key,
    KeyFileError,
    add_key,
    create_private,
    decode_key,
    encode_key,
    load_ring,
    new_key,
    parse_keys,
    read_private,
)

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

log = logging.getLogger(__name__)

__all__ = [
    "COMMON",
    "Key",
    "KeyFileError",
    "KeyRing",
    "Keys",
    "SigningKey",
    "SigningKeys",
    "variable_of",
]

#: The keys of every process that has an issuer; systems name their own.
COMMON = ("api-keys", "cursors", "idempotency", "sessions", "sign-in", "streams", "webhooks")

#: How old the list of a ring's keys may get, and how soon an unknown ``kid`` may renew it.
_FRESH_SECS = 60.0
_LOOK_AGAIN_SECS = 1.0

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,62}\Z")


class KeyRing:
    """Keys by ``kid``, newest first: the first one makes, all of them check."""

    def __init__(self, load: Callable[[], tuple[Key, ...]]) -> None:
        self._load = load
        self._keys: tuple[Key, ...] = ()
        self._loaded = float("-inf")

    @property
    def current(self) -> Key:
        """The newest key."""
        return self._fresh(_FRESH_SECS)[0]

    def get(self, kid: str) -> bytes | None:
        """The key of that ``kid``; None if there is none, or none any more."""
        found = _of_kid(self._fresh(_FRESH_SECS), kid)
        if found is None:
            found = _of_kid(self._fresh(_LOOK_AGAIN_SECS), kid)
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(self._fresh(_FRESH_SECS))

    def __len__(self) -> int:
        return len(self._fresh(_FRESH_SECS))

    def renew(self) -> None:
        """Look again for keys at the next use."""
        self._loaded = float("-inf")

    def _fresh(self, secs: float) -> tuple[Key, ...]:
        # How long ago, not when: the machine's own clock is right for this.
        if time.monotonic() - self._loaded >= secs:
            self._keys = self._loaded_or_known()
            self._loaded = time.monotonic()
        return self._keys

    def _loaded_or_known(self) -> tuple[Key, ...]:
        try:
            return self._load()
        except KeyFileError as error:
            if not self._keys:
                raise
            # Whoever is at the files just now must not stop a process that has its keys.
            log.warning("keys that were good are kept: %s", error)
            return self._keys


def _of_kid(keys: tuple[Key, ...], kid: str) -> bytes | None:
    return next((key.secret for key in keys if key.kid == kid), None)


@dataclass(frozen=True)
class SigningKey:
    """An Ed25519 pair."""

    kid: str
    private: Ed25519PrivateKey

    @cached_property
    def public(self) -> Ed25519PublicKey:
        return self.private.public_key()

    def jwk(self) -> dict[str, str]:
        """The public half, as JSON Web Key Sets hold it."""
        raw = self.public.public_bytes_raw()
        x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
        return {
            "kty": "OKP",
            "crv": "Ed25519",
            "use": "sig",
            "alg": "EdDSA",
            "kid": self.kid,
            "x": x,
        }


class SigningKeys:
    """A ring of Ed25519 pairs."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring
        self._made: dict[str, tuple[bytes, SigningKey]] = {}

    @property
    def current(self) -> SigningKey:
        """The pair that signs."""
        return self._pair(self._ring.current)

    def public(self, kid: str) -> Ed25519PublicKey | None:
        """The public half of that ``kid``; None if there is none."""
        secret = self._ring.get(kid)
        return None if secret is None else self._pair(Key(kid, secret)).public

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """All public halves, as a JSON Web Key Set."""
        return {"keys": [self._pair(key).jwk() for key in self._ring]}

    def _pair(self, key: Key) -> SigningKey:
        made = self._made.get(key.kid)
        if made is None or made[0] != key.secret:
            made = self._made[key.kid] = (key.secret, _signing_key(key))
        return made[1]


def _signing_key(key: Key) -> SigningKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return SigningKey(key.kid, Ed25519PrivateKey.from_private_bytes(key.secret))


class Keys:
    """The keys of one place. Without a folder they last as long as the process."""

    def __init__(
        self, folder: str | os.PathLike[str] | None, environ: Mapping[str, str] | None = None
    ) -> None:
        """``folder`` is ``DATA/keys``; it is made when the first key is."""
        self.folder = None if folder is None else Path(folder)
        self._environ = os.environ if environ is None else environ
        self._texts: dict[str, str] = {}
        self._secrets: dict[str, bytes] = {}
        self._rings: dict[str, KeyRing] = {}
        self._signing: dict[str, SigningKeys] = {}

    def secret(self, name: str) -> bytes:
        """The one key of that name."""
        if name not in self._secrets:
            self._secrets[name] = self._secret(_checked(name))
        return self._secrets[name]

    def ring(self, name: str) -> KeyRing:
        """The keys of that name, by ``kid``."""
        if name not in self._rings:
            self._rings[name] = KeyRing(self._loader(_checked(name)))
        return self._rings[name]

    def signing(self, name: str) -> SigningKeys:
        """The Ed25519 pairs of that name, by ``kid``."""
        if name not in self._signing:
            self._signing[name] = SigningKeys(self.ring(name))
        return self._signing[name]

    def lasts(self, name: str) -> bool:
        """Whether the keys of that name are still there when this process is not."""
        return self.folder is not None or self._given(_checked(name)) is not None

    def rotate(self, name: str) -> str:
        """Add a key to a ring, and give its ``kid``; from now on it is the one that makes."""
        ring = self.ring(name)
        if self._given(name) is not None:
            raise KeyFileError(
                f"{variable_of(name)} gives these keys: put a new one first in there."
            )
        if self.folder is None:
            raise KeyFileError("Without a data folder keys last as long as the process.")
        len(ring)  # the first key is made by first use, not by rotation
        ring.renew()
        return add_key(self.folder / name).kid

    def text(self, name: str, make: Callable[[], str]) -> tuple[str, bool]:
        """A text that is kept like a key, made if there is none; and whether it was made now."""
        if self.folder is None:
            made = name not in self._texts
            return self._texts.setdefault(name, make()), made
        path = self.folder / _checked(name)
        made = not path.exists() and create_private(path, make())
        return read_private(path).strip(), made

    # --- inside ----------------------------------------------------------------------

    def _given(self, name: str) -> tuple[Key, ...] | None:
        text = self._environ.get(variable_of(name), "").strip()
        return parse_keys(text, variable_of(name)) if text else None

    def _secret(self, name: str) -> bytes:
        given = self._given(name)
        if given is not None:
            return given[0].secret
        if self.folder is None:
            return secrets.token_bytes(KEY_BYTES)
        path = self.folder / name
        if not path.exists():
            create_private(path, encode_key(secrets.token_bytes(KEY_BYTES)))
        return decode_key(read_private(path).strip(), str(path))

    def _loader(self, name: str) -> Callable[[], tuple[Key, ...]]:
        given = self._given(name)
        if given is not None:
            return lambda: given
        if self.folder is None:
            made = (new_key(),)
            return lambda: made
        folder = self.folder / name
        return lambda: load_ring(folder)


def _checked(name: str) -> str:
    if not _NAME.match(name):
        raise KeyFileError(f"{name!r} is not a name for a key: use a-z, 0-9, '-', '_' and '.'.")
    return name


def variable_of(name: str) -> str:
    """The variable of the environment that takes the place of a key's files."""
    return "TABLEWRIGHT_KEY_" + re.sub(r"[^A-Z0-9]", "_", name.upper())
