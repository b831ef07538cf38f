"""Keys as files and as texts; see :mod:`tablewright.service.keys` for what they are.

A file is written whole under another name and then linked to its place, which fails if that is
taken: a key is never overwritten, and never half there.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

KEY_BYTES = 32

_KID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
_NUMBER = re.compile(r"[0-9]{4,9}\Z")


class KeyFileError(Exception):
    """Key material that cannot be used; the text says which, why, and what to do."""


@dataclass(frozen=True)
class Key:
    """One key of a ring."""

    kid: str
    secret: bytes

    def __repr__(self) -> str:
        return f"Key({self.kid!r})"


def new_key() -> Key:
    return Key(secrets.token_hex(4), secrets.token_bytes(KEY_BYTES))


def load_ring(folder: Path) -> tuple[Key, ...]:
    """The keys of a folder, newest first; makes the first one."""
    found = _key_files(folder)
    if not found:
        add_key(folder)
        found = _key_files(folder)
    return tuple(_key_of(path) for path in reversed(found))


def _key_files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    files = (path for path in folder.iterdir() if _NUMBER.match(path.name))
    return sorted(files, key=lambda path: int(path.name))


def _key_of(path: Path) -> Key:
    kid, _, key = read_private(path).strip().partition(" ")
    if not _KID.match(kid):
        raise KeyFileError(f"{path} is not a key: it must hold `kid key`. Restore or delete it.")
    return Key(kid, decode_key(key.strip(), str(path)))


def add_key(folder: Path) -> Key:
    """A new key behind those that are there; another process may take its number first."""
    while True:
        files = _key_files(folder)
        number = int(files[-1].name) + 1 if files else 1
        key = new_key()
        if create_private(folder / f"{number:04d}", f"{key.kid} {encode_key(key.secret)}"):
            return key
        if number == 1:  # both wanted the first key: one is enough
            return _key_of(folder / "0001")


def create_private(path: Path, text: str) -> bool:
    """Write a file that only its owner may read; False if there is one already."""
    _make_folder(path.parent)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        _write_private(draft, text)
        os.link(draft, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise KeyFileError(f"The key file {path} cannot be written: {error}.") from error
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(path.parent)
    return True


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())


def _make_folder(folder: Path) -> None:
    """The folder and all above it that are missing, for the owner alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        for each in reversed(missing):
            each.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise KeyFileError(f"The folder for keys, {folder}, cannot be made: {error}.") from error


def _sync_folder(folder: Path) -> None:
    """A key that was used must not be gone after a power cut: tokens were signed with it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_private(path: Path) -> str:
    try:
        with path.open() as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
                raise KeyFileError(f"Others may read {path}. Do: chmod 600 {path}")
            return file.read(65_536)
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError(f"The key file {path} cannot be read: {error}.") from error


# --- texts -----------------------------------------------------------------------------------


def parse_keys(text: str, where: str) -> tuple[Key, ...]:
    return tuple(_parsed_key(part.strip(), where) for part in text.split(","))


def _parsed_key(part: str, where: str) -> Key:
    kid, colon, key = part.rpartition(":")
    secret = decode_key(key, where)
    if not colon:  # every process that is given the same key has to call it the same
        kid = hashlib.sha256(b"kid" + secret).hexdigest()[:8]
    if not _KID.match(kid):
        raise KeyFileError(f"{where} has a kid with other characters than a-z, A-Z, 0-9, - and _.")
    return Key(kid, secret)


def encode_key(secret: bytes) -> str:
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def decode_key(text: str, where: str) -> bytes:
    """32 bytes from 64 hexadecimal digits or 43 characters of base64url."""
    try:
        if len(text) == 2 * KEY_BYTES:
            secret = bytes.fromhex(text)
        else:
            padded = text.rstrip("=").replace("+", "-").replace("/", "_") + "="
            secret = base64.b64decode(padded, altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        secret = b""
    if len(secret) != KEY_BYTES:
        raise KeyFileError(
            f"{where} does not hold a key: {KEY_BYTES} bytes, as 43 characters of base64url or as "
            "64 hexadecimal digits. `openssl rand -hex 32` makes one."
        )
    return secret
