"""A network that can be cut: every byte between a service and its database goes through here."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal

#: ``open``; ``cut``: nothing arrives, and nobody is told; ``refuse``: connections are reset, new
#: ones too; ``slow``: everything takes a while; ``half``: answers are lost, requests arrive.
State = Literal["open", "cut", "refuse", "slow", "half"]
SLOW_SECS = 0.15
_CHUNK = 1 << 16


@dataclass
class Proxy:
    """Forwards to a port of this machine, as far as its state lets it."""

    target: int
    port: int = 0
    state: State = "open"
    connections: int = 0
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def switch(self, state: State) -> None:
        """Everything behaves otherwise from now on; connections of a broken network stay broken."""
        was, self.state = self.state, state
        if state == "refuse" or (state == "open" and was in ("cut", "half")):
            self.reset()

    def reset(self) -> None:
        """Every connection ends at once, as when a machine in between is started again."""
        for writer in list(self._writers):
            _reset(writer)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        if self.state == "refuse":
            _reset(writer)
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            _reset(writer)
            return
        self._writers |= {writer, back}
        try:
            await asyncio.gather(
                self._pass(reader, back, answers=False), self._pass(there, writer, answers=True)
            )
        finally:
            self._writers -= {writer, back}
            for each in (writer, back):
                each.close()

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                if not await self._lets_pass(answers):
                    continue
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError, RuntimeError):
            writer.write_eof()

    async def _lets_pass(self, answers: bool) -> bool:
        """Whether what was read goes on: what a cut network swallows is gone."""
        if self.state == "slow":
            await asyncio.sleep(SLOW_SECS)
        return self.state in ("open", "slow") or (self.state == "half" and not answers)


def _reset(writer: asyncio.StreamWriter) -> None:
    """Without a farewell."""
    sock = writer.get_extra_info("socket")
    if sock is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


@asynccontextmanager
async def proxying(target: int) -> AsyncIterator[Proxy]:
    """One in front of a port, until the block ends."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy._accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.reset()
