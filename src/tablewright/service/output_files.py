"""What a command writes piece by piece: to a file, or to where it was typed."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO


async def to_file(pieces: AsyncIterator[bytes], out: Path) -> int:
    """All of it or nothing; how many bytes it has become."""
    fresh = out.with_name(f"{out.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as file:
            await to_stream(pieces, file)
        size = fresh.stat().st_size
        fresh.replace(out)
        return size
    finally:
        fresh.unlink(missing_ok=True)


async def to_stream(pieces: AsyncIterator[bytes], file: BinaryIO) -> None:
    async for piece in pieces:
        file.write(piece)
    file.flush()
