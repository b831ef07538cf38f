"""A system as it really runs: :func:`running` behind a port, :func:`asgi` without one.

::

    with running(system, tablewright_backend) as service:
        answer = httpx2.get(f"{service.url}/shelf/api/v1/notes")

    async with asgi(system, tablewright_backend) as (client, runtime):
        answer = await client.get("/shelf/api/v1/notes")
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2
from tests.service.kept_types import keep_types

from tablewright.clock import Clock
from tablewright.service.app import Application, Front, assemble
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.runtime import Runtime
from tablewright.service.serving import Server, listen, new_loop
from tablewright.service.settings import Settings
from tablewright.service.system import System
from tablewright.testing.backends import Backend

R = TypeVar("R")

keep_types()

#: No service of ours takes longer to start or to stop.
PATIENCE_SECS = 30.0

Opened = Callable[[Runtime], Awaitable[None]]


@dataclass(frozen=True)
class Running:
    """A service behind a port."""

    url: str
    #: Belongs to the service's own loop: look at it, and use it through :meth:`do`.
    runtime: Runtime
    app: Application
    server: Server
    loop: asyncio.AbstractEventLoop

    def client(self, **options: Any) -> httpx2.Client:
        """A client of it, to be closed by the test (``with``)."""
        return httpx2.Client(base_url=self.url, timeout=PATIENCE_SECS, **options)

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        """Run something in the loop of the service."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE_SECS)


@contextmanager
def running(
    system: System,
    backend: Backend,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    front: Callable[[Runtime], Front] | None = None,
    opened: Opened | None = None,
    workers: bool = True,
    **settings: Any,
) -> Iterator[Running]:
    """The real thing: uvicorn in a thread, on a free port, with the system's tables made.

    ``settings`` are fields of :class:`Settings`; ``environ`` is for the system's own ones.
    ``opened`` is awaited before the first request.
    """
    wanted = Settings(**{"port": 0, **settings})
    listener, own = listen(wanted)
    service = _Thread(listener)

    async def serve() -> None:
        async with _parts(system, backend, own, clock, environ) as runtime:
            app = assemble(
                {system: (runtime, system.build(runtime))},
                front=front(runtime) if front is not None else None,
                opened=[lambda: opened(runtime)] if opened is not None else (),
                workers=workers,
            )
            server = Server(app, own, listener, lambda url: service.began(url, runtime, app))
            service.server = server
            await server.serve_until_stopped()

    with service.around(serve) as found:
        yield found


class _Thread:
    """The thread that the service runs in."""

    def __init__(self, listener: socket.socket) -> None:
        self.server: Server | None = None
        self._listener = listener
        self._running: Running | None = None
        self._failure: BaseException | None = None
        self._known = threading.Event()

    def began(self, url: str, runtime: Runtime, app: Application) -> None:
        assert self.server is not None
        loop = asyncio.get_running_loop()
        self._running = Running(url, runtime, app, self.server, loop)
        self._known.set()

    @contextmanager
    def around(self, serve: Callable[[], Coroutine[Any, Any, None]]) -> Iterator[Running]:
        thread = threading.Thread(target=self._run, args=(serve,), name="service", daemon=True)
        thread.start()
        try:
            assert self._known.wait(PATIENCE_SECS), "the service did not start"
            if self._running is None:
                assert self._failure is not None
                raise self._failure
            yield self._running
        finally:
            if self.server is not None:
                self.server.should_exit = True
            thread.join(PATIENCE_SECS)
            assert not thread.is_alive(), "the service did not stop"
        if self._failure is not None:
            raise self._failure

    def _run(self, serve: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(serve())
        except BaseException as error:
            self._failure = error
        finally:
            self._listener.close()
            self._known.set()


@asynccontextmanager
async def asgi(
    system: System,
    backend: Backend,
    *,
    clock: Clock | None = None,
    environ: Mapping[str, str] | None = None,
    front: Callable[[Runtime], Front] | None = None,
    workers: bool = False,
    **settings: Any,
) -> AsyncIterator[tuple[httpx2.AsyncClient, Runtime]]:
    """The same app without sockets, in the loop of the test, and a client of it."""
    own = Settings(**settings)
    async with _parts(system, backend, own, clock, environ) as runtime:
        app = assemble(
            {system: (runtime, system.build(runtime))},
            front=front(runtime) if front is not None else None,
            workers=workers,
        )
        async with app.parent.router.lifespan_context(app.parent):
            carried = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=carried, base_url=own.url) as client:
                yield client, runtime
            app.stop_soon()


@asynccontextmanager
async def _parts(
    system: System,
    backend: Backend,
    settings: Settings,
    clock: Clock | None,
    environ: Mapping[str, str] | None,
) -> AsyncIterator[Runtime]:
    transport = backend.async_transport()
    try:
        runtime = runtime_of(
            system,
            transport,
            settings,
            clock=clock,
            environ=environ or {},
            names=backend.physical if backend.prefix else None,
        )
        await runtime.db.create_tables(system.model, kit_model)
        yield runtime
    finally:
        await transport.close()
