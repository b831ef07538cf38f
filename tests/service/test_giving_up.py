"""A process that is told to stop while it starts: it does not finish starting first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from tests.service.shelf import system

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.app import assemble
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.serving import Server, listen
from tablewright.service.settings import Settings

PATIENCE_SECS = 20


def test_what_was_opened_is_closed_in_order_and_nothing_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[str] = []

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        seen.append("opened")
        yield
        seen.append("closed")

    async def go() -> None:
        listener, settings = listen(Settings(port=0))
        with Engine.memory() as engine:
            runtime = runtime_of(system, AsyncEmbedded(engine), settings, environ={})
            await runtime.db.create_tables(system.model, kit_model)
            parts = replace(system.build(runtime), lifespan=lifespan)
            begun = asyncio.Event()

            async def fill() -> None:
                begun.set()
                await asyncio.sleep(3600)

            app = assemble({system: (runtime, parts)}, opened=[fill])
            told = seen.append
            server = Server(
                app, settings, listener, lambda url: told("ready"), lambda: told("stop")
            )
            serving = asyncio.create_task(server.serve_until_stopped())
            await asyncio.wait_for(begun.wait(), PATIENCE_SECS)
            server.handle_exit(signal.SIGINT, None)
            await asyncio.wait_for(serving, PATIENCE_SECS)
            assert app.failure is None

    asyncio.run(go())
    assert seen == ["opened", "stop", "closed"]
    assert "Traceback" not in caplog.text
