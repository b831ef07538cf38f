"""A file system that can be full.

Where the machine allows it, the run goes on inside of a mount namespace of its own, on a small file
system in a file: it is gone with the run, whatever becomes of that. Elsewhere the process under
test gets a limit on the size of its files, which is not the same, and the report says so.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

INSIDE = "SOAK_MOUNTED"
SIZE_MB = 1024
_MOST, _LEAST = SIZE_MB << 20, 1024


class Disk(Protocol):
    """Where the data is."""

    folder: Path
    kind: str

    def fill(self, pid: int) -> None: ...

    def free(self, pid: int) -> None: ...


@dataclass
class SmallDisk:
    """A file system of its own; what fills it is a file."""

    folder: Path
    kind: str

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"

    def fill(self, pid: int) -> None:
        with self._ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            _write_until_full(file.fileno())

    def free(self, pid: int) -> None:
        self._ballast.unlink(missing_ok=True)


@dataclass
class LimitedFiles:
    """Any folder; no file of the process may grow any more."""

    folder: Path
    kind: str = "a limit on the size of files (this machine lets nobody mount a small disk)"

    def fill(self, pid: int) -> None:
        largest = max(each.stat().st_size for each in self.folder.rglob("*") if each.is_file())
        self._limit(pid, min(largest, 1 << 16))

    def free(self, pid: int) -> None:
        # A process that was killed took its limit with it.
        with contextlib.suppress(ProcessLookupError):
            self._limit(pid, resource.RLIM_INFINITY)

    @staticmethod
    def _limit(pid: int, size: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _write_until_full(file: int) -> None:
    """Down to the last byte: a page of the database must not fit either."""
    size, at = _MOST, 0
    while size >= _LEAST:
        try:
            os.posix_fallocate(file, at, size)
            at += size
        except OSError:
            size //= 2
    with contextlib.suppress(OSError):
        while True:
            os.pwrite(file, b"\0" * _LEAST, at)
            at += _LEAST


def enter() -> None:
    """Go on in a mount namespace of one's own, if that can be had; else just go on."""
    if os.environ.get(INSIDE) is not None or shutil.which("unshare") is None:
        return
    for how in (["--mount"], ["--map-root-user", "--mount"]):
        able = subprocess.run(["unshare", *how, "true"], capture_output=True, check=False)
        if able.returncode == 0:
            environ = {**os.environ, INSIDE: " ".join(how)}
            command = ["unshare", *how, sys.executable, "-m", "soak", *sys.argv[1:]]
            os.execvpe("unshare", command, environ)


def disk(base: Path) -> Disk:
    """The best that can be had, below ``base``."""
    folder = base / "disk"
    folder.mkdir()
    if os.environ.get(INSIDE) is None:
        return LimitedFiles(folder)
    if _mounted_file(base / "disk.img", folder):
        return SmallDisk(folder, f"ext4 of {SIZE_MB} MB in a file, filled to the last byte")
    if _quiet("mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "soak", str(folder)):
        return SmallDisk(folder, f"tmpfs of {SIZE_MB} MB, filled to the last byte")
    return LimitedFiles(folder)


def release(disk: Disk) -> None:
    """Give a file system of ours up, with all that is in it."""
    if disk.folder.is_mount():
        _quiet("umount", str(disk.folder))


def _mounted_file(image: Path, folder: Path) -> bool:
    if shutil.which("mkfs.ext4") is None:
        return False
    with image.open("wb") as file:
        file.truncate(SIZE_MB << 20)
    made = _quiet("mkfs.ext4", "-q", str(image)) and _quiet(
        "mount", "-o", "loop", str(image), str(folder)
    )
    if not made:
        image.unlink()
    return made


def _quiet(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
