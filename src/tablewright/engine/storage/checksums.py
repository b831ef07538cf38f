"""Page checksums: damage to the database file is noticed when a page is read or checked.

Theory of operation. SQLite's checksum VFS keeps a checksum in the last eight bytes of every page.
The one writer of a store uses it: each page that the writer stores gets a checksum, and each page
that the writer reads is verified. Readers map the file into memory and do not verify, because that
would cost every read more than the read itself; the check of a folder, and a slow background scan,
verify all pages instead (:func:`damaged_pages`). What lies in the log has checksums of its own.

The extension comes with apsw. Where it is missing, everything works without checksums.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import apsw

__all__ = ["RESERVED_BYTES", "VerifyPage", "checksum_vfs", "damaged_pages", "page_verifier"]

log = logging.getLogger("tablewright.engine")

#: Of each page, for its checksum.
RESERVED_BYTES = 8
#: SQLite never writes the page with this byte: programs lock it instead.
_LOCK_BYTE = 0x40000000
_VFS = "cksmvfs"

_registering = threading.Lock()
_registered: dict[str, str | None] = {}

#: Tells whether a page's checksum is right.
VerifyPage = Callable[[bytes], bool]


def checksum_vfs(base: str | None) -> str | None:
    """Return the name of a VFS that adds checksums to those of ``base``; None if there is none.

    SQLite stacks the extension on the default VFS, so ``base`` is the default for a moment.
    """
    key = base or ""
    with _registering:
        if key not in _registered:
            # Only one can be stacked in a process, and every engine has the same base.
            _registered[key] = _register(base) if not _registered else None
        return _registered[key]


def _register(base: str | None) -> str | None:
    names = apsw.vfs_names()
    if _VFS in names:
        return None  # the program has stacked it on something else
    before = names[0]
    try:
        from apsw import sqlite_extra

        apsw.set_default_vfs(base or before)
        try:
            with apsw.Connection(":memory:") as connection:
                sqlite_extra.load(connection, "cksumvfs")
        finally:
            apsw.set_default_vfs(before)
    except Exception as error:  # not built for this platform, or not installed with apsw
        log.info("pages have no checksums: %s", error)
        return None
    return _VFS if _VFS in apsw.vfs_names() else None


def page_verifier() -> VerifyPage | None:
    """Return what verifies pages; None where there are no checksums."""
    if _VFS not in apsw.vfs_names():
        return None
    connection = apsw.Connection(":memory:")

    def verify(page: bytes) -> bool:
        (result,) = connection.execute("SELECT verify_checksum(?)", (page,)).fetchall()[0]
        return result != 0

    return verify


def damaged_pages(
    file: int, page_size: int, verify: VerifyPage, writing: AbstractContextManager[object]
) -> Iterator[int | None]:
    """Verify every page of an open database file; yield the number of a damaged page, or else None.

    The file may be in use. A page that is just being written can look damaged, so that it counts
    as damaged only if it still is while ``writing``, the lock of those who write, is held.
    """
    number = 0
    while len(page := os.pread(file, page_size, number * page_size)) == page_size:
        offset = number * page_size
        number += 1
        if offset == _LOCK_BYTE or verify(page):
            yield None
            continue
        with writing:
            damaged = not verify(os.pread(file, page_size, offset))
        yield number if damaged else None
