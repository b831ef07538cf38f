"""Running an application on uvicorn: until it is told to stop, then until it is done."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn

from tablewright.service.connection import Connection
from tablewright.service.settings import Settings, url_of

if TYPE_CHECKING:
    from tablewright.service.app import Application

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_BACKLOG = 2048
#: Idle connections are kept a little longer than load balancers usually do (60 s), so that they
#: are the ones to close.
_KEEP_ALIVE_SECS = 75


class StartFailed(Exception):
    """The port could not be opened, or a system could not; the text says which and why."""


def listen(settings: Settings) -> tuple[socket.socket, Settings]:
    """Open the port, and tell which it is where the settings leave that open (port 0)."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((settings.host.strip("[]"), settings.port))
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        place = f"{settings.host}:{settings.port}"
        raise StartFailed(f"cannot listen on {place}: {error.strerror or error}") from None
    return opened, settings.listening_on(opened.getsockname()[1])


def run(
    app: Application,
    settings: Settings,
    on_start: Callable[[str], object] | None = None,
    *,
    listener: socket.socket | None = None,
    on_stop: Callable[[], object] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is in flight. A second signal does not wait.

    ``on_start`` is called with the URL once requests are answered, ``on_stop`` when that ends.
    ``listener`` is what :func:`listen` gave, if the port was opened before.
    """
    if listener is None:
        listener, settings = listen(settings)

    def started(url: str) -> None:
        _settle()
        if on_start is not None:
            on_start(url)

    server = Server(app, settings, listener, started, on_stop)
    _raise_file_limit(settings.max_requests * 2)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(server.serve_until_stopped())


class Server(uvicorn.Server):
    """uvicorn, with signals that end it quietly and streams that end before it waits for them."""

    def __init__(
        self,
        app: Application,
        settings: Settings,
        listener: socket.socket,
        on_start: Callable[[str], object] | None = None,
        on_stop: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(_config(app, settings))
        self.app = app
        self.listener = listener
        self.url = url_of(settings.host, listener.getsockname()[1])
        self._on_start = on_start
        self._on_stop = on_stop

    async def serve_until_stopped(self) -> None:
        """The whole life of it; raises :class:`StartFailed` if there is none."""
        try:
            await self.serve(sockets=[self.listener])
        except SystemExit:
            # uvicorn's way of saying that the lifespan did not open.
            failure = self.app.failure
            raise StartFailed(f"a system did not start: {failure}") from failure
        finally:
            self.listener.close()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self._on_start is not None and not self.should_exit:
            self._on_start(self.url)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._on_stop is not None:
            self._on_stop()
        self.app.stop_soon()
        await super().shutdown(sockets=sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Like uvicorn's, but who started us gets to clean up: no signal is raised again."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: object) -> None:
        if self.should_exit:
            self.force_exit = True
        self.should_exit = True
        if not self.started:
            # Demo data, say, is not worth waiting for; the next start goes on with it.
            self.app.give_up()


def _config(app: Application, settings: Settings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECS,
        timeout_graceful_shutdown=max(1, round(settings.stop_timeout_secs)),
    )


def new_loop() -> asyncio.AbstractEventLoop:
    """uvloop's event loop where there is one, else asyncio's."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _settle() -> None:
    """What is there now stays for good: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _raise_file_limit(wanted: int) -> None:
    """Let the process open as many sockets as it may need, if the system allows it."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
