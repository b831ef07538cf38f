"""Keys from AWS KMS: data keys that are kept wrapped, and unwrapped once per process.

KMS makes a data key and gives it twice, in clear and wrapped under a key that never leaves KMS. The
wrapped one is kept, in files ``0001``, ``0002`` and so on beside the other keys, or wherever
:class:`Wrapped` says; it is no secret. The clear one exists in memory alone. So no request is made
per text, and whoever has the disk but may not call KMS reads nothing.

To rotate is to add a data key. :class:`KmsPlace` gives whole sets of keys by their names, as
:class:`tablewright.service.keys.Keys` does from files. ``boto3`` is imported when a client is made,
not before.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tablewright.service.key_files import Key, KeyFileError, create_private, read_private
from tablewright.service.keys import KeyRing, SigningKeys

_NUMBER = re.compile(r"[0-9]{4,9}\Z")


class KmsClient(Protocol):
    """What is used of ``boto3.client("kms")``."""

    def generate_data_key(
        self, *, KeyId: str, KeySpec: str, EncryptionContext: Mapping[str, str]
    ) -> Mapping[str, object]: ...

    def decrypt(
        self, *, CiphertextBlob: bytes, KeyId: str, EncryptionContext: Mapping[str, str]
    ) -> Mapping[str, object]: ...


class Wrapped(Protocol):
    """Where wrapped keys are kept: lines of ``kid key``, oldest first."""

    def lines(self) -> Sequence[str]: ...

    def add(self, line: str, *, first: bool = False) -> None:
        """Keep a line behind the others; as the first one, only if there is none."""


class WrappedFiles:
    """Wrapped keys in a folder, a file for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def lines(self) -> list[str]:
        return [read_private(self._folder / f"{number:04d}").strip() for number in self._numbers()]

    def add(self, line: str, *, first: bool = False) -> None:
        # Another process may take a number first: then it is the next one.
        while True:
            numbers = self._numbers()
            if first and numbers:
                return
            if create_private(self._folder / f"{max(numbers, default=0) + 1:04d}", line):
                return

    def _numbers(self) -> list[int]:
        if not self._folder.is_dir():
            return []
        return sorted(int(each.name) for each in self._folder.iterdir() if _NUMBER.match(each.name))


class KmsKeys:
    """The data keys of one purpose, and the ring that they make."""

    def __init__(self, client: KmsClient, key_id: str, purpose: str, wrapped: Wrapped) -> None:
        self._client = client
        self._key_id = key_id
        # KMS authenticates it: a key that was wrapped for something else does not unwrap here.
        self._context = {"tablewright": purpose}
        self._wrapped = wrapped
        self._clear: dict[str, Key] = {}
        #: The first key is made by first use.
        self.ring = KeyRing(self._load)

    def rotate(self) -> str:
        """Add a data key, and give its ``kid``; from now on it is the one that seals."""
        len(self.ring)  # the first key is made by first use, not by rotation
        line = self._new_line()
        self._wrapped.add(line)
        self.ring.renew()
        return line.partition(" ")[0]

    def _load(self) -> tuple[Key, ...]:
        if not self._wrapped.lines():
            self._wrapped.add(self._new_line(), first=True)
        return tuple(self._unwrapped(line) for line in reversed(self._wrapped.lines()))

    def _new_line(self) -> str:
        answer = self._asked("generate")
        blob = base64.b64encode(_bytes(answer, "CiphertextBlob")).decode()
        return f"{secrets.token_hex(4)} {blob}"

    def _unwrapped(self, line: str) -> Key:
        known = self._clear.get(line)
        if known is None:
            kid, _, text = line.partition(" ")
            answer = self._asked("decrypt", _blob(kid, text))
            known = self._clear[line] = Key(kid, _bytes(answer, "Plaintext"))
        return known

    def _asked(self, what: str, blob: bytes = b"") -> Mapping[str, object]:
        try:
            if what == "generate":
                return self._client.generate_data_key(
                    KeyId=self._key_id, KeySpec="AES_256", EncryptionContext=self._context
                )
            return self._client.decrypt(
                CiphertextBlob=blob, KeyId=self._key_id, EncryptionContext=self._context
            )
        # botocore makes its errors at run time. As this one, a ring that has its keys keeps them.
        except Exception as error:
            raise KeyFileError(f"KMS did not {what} a data key: {error}") from error


class KmsPlace:
    """Keys by name from KMS, to be used in the place of :class:`.Keys`."""

    def __init__(self, client: KmsClient, key_id: str, folder: Path) -> None:
        """``folder`` is for the wrapped keys, such as ``DATA/keys/kms``."""
        self._client = client
        self._key_id = key_id
        self._folder = folder
        self._made: dict[str, KmsKeys] = {}

    def ring(self, name: str) -> KeyRing:
        return self._keys(name).ring

    def secret(self, name: str) -> bytes:
        """The first key of that name: what is made with it has to be found again."""
        return list(self.ring(name))[-1].secret

    def signing(self, name: str) -> SigningKeys:
        return SigningKeys(self.ring(name))

    def rotate(self, name: str) -> str:
        return self._keys(name).rotate()

    def _keys(self, name: str) -> KmsKeys:
        if name not in self._made:
            wrapped = WrappedFiles(self._folder / name)
            self._made[name] = KmsKeys(self._client, self._key_id, name, wrapped)
        return self._made[name]


def kms_client(region: str | None = None) -> KmsClient:
    """A client with the machine's own credentials."""
    import boto3

    client: KmsClient = boto3.client("kms", region_name=region)
    return client


def _blob(kid: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise KeyFileError(f"The wrapped key {kid} is damaged. Restore it from a copy.") from None


def _bytes(answer: Mapping[str, object], name: str) -> bytes:
    value = answer[name]
    if not isinstance(value, bytes):
        raise KeyFileError(f"KMS answered without {name}.")
    return value
