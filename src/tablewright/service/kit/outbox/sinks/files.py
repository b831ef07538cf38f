"""Messages in files and in the log: for a machine without mail, and for looking."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from pathlib import Path

from tablewright.service.kit.outbox.messages import Message
from tablewright.service.kit.outbox.sinks.base import SendFailed
from tablewright.service.kit.outbox.sinks.mail import as_mail

logger = logging.getLogger("tablewright.outbox")


class FileSink:
    """One line of JSON for each message; a mail is written as ``<id>.eml`` beside it, too."""

    name = "file"

    def __init__(self, file: Path, *, sender: str) -> None:
        self._file = file
        self._sender = sender

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        try:
            await asyncio.to_thread(self._write, message)
        except OSError as error:
            raise SendFailed(f"{self._file} cannot be written: {error.strerror}") from error

    async def close(self) -> None:
        return

    @property
    def folder(self) -> Path:
        return self._file.parent

    def _write(self, message: Message) -> None:
        folder = self.folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if message.to:
            mail = as_mail(message, self._sender, message.to)
            (folder / f"{message.id}.eml").write_bytes(mail.as_bytes())
        # One write of one line: lines of several processes never mix.
        target = os.open(self._file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            line = _begin(target) + message.as_json() + b"\n"
            if os.write(target, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(target)
        finally:
            os.close(target)


def _begin(target: int) -> bytes:
    """What a line begins with: the end of one that a full disk has cut off."""
    size = os.fstat(target).st_size
    return b"\n" if size and os.pread(target, 1, size - 1) != b"\n" else b""


class ConsoleSink:
    """A line in the log: that there was a message, without what it says."""

    name = "console"

    def takes(self, message: Message) -> bool:
        return True

    async def send(self, message: Message) -> None:
        logger.info("message %s: %s about %s", message.id, message.kind, message.subject)

    async def close(self) -> None:
        return
