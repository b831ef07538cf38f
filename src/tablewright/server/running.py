"""Running a server: for good (:func:`serve`), or inside a program (:class:`ServerThread`)."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import threading
from collections.abc import Callable, Coroutine, Iterable
from types import TracebackType
from typing import Any

from tablewright.server.limits import Limits
from tablewright.server.server import Server
from tablewright.server.signature import Credentials
from tablewright.server.wire import EngineOf, Wire

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(
    engine: Wire | EngineOf,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    limits: Limits | None = None,
    credentials: Iterable[Credentials] = (),
    region: str = "us-east-1",
    on_start: Callable[[str], object] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, then finish what is in flight and close the engine.

    `on_start` is called with the URL once the port is open. A second signal does not wait.
    """
    server = Server(engine, limits=limits, credentials=credentials, region=region)
    _raise_file_limit(server.limits.connections + 256)
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(server, host, port, on_start))
    finally:
        close = getattr(engine, "close", None)
        if close is not None:
            close()


async def _serve(
    server: Server, host: str, port: int, on_start: Callable[[str], object] | None
) -> None:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def on_signal() -> None:
        if stop.is_set():
            server.abort()
        stop.set()

    for number in _SIGNALS:
        with contextlib.suppress(NotImplementedError):  # Windows: KeyboardInterrupt ends us
            loop.add_signal_handler(number, on_signal)
    await server.start(host, port)
    if on_start is not None:
        on_start(url_of(host, server.port))
    # What is there now stays for good: the collector need not look at it again, and requests
    # make no cycles worth looking for after every 700 new objects.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    await stop.wait()
    await server.stop()


class ServerThread:
    """A server in a thread of its own, for tests and for programs that embed one.

    The engine stays the caller's: it is not closed here::

        with ServerThread(engine) as server:
            client = boto3.client("dynamodb", endpoint_url=server.url, ...)

    Without ``browsers``, whatever a web page sends is refused: a page that somebody looks at has no
    business with what only programs of this machine use.
    """

    def __init__(
        self,
        engine: Wire | EngineOf,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        limits: Limits | None = None,
        credentials: Iterable[Credentials] = (),
        region: str = "us-east-1",
        browsers: bool = True,
    ) -> None:
        self._host = host
        self._port = port
        self.server = Server(
            engine, limits=limits, credentials=credentials, region=region, browsers=browsers
        )
        self._loop = new_loop()
        self._thread = threading.Thread(target=self._run, name="tablewright-server", daemon=True)

    @property
    def url(self) -> str:
        """Where it can be reached."""
        return url_of(self._host, self.port)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self.server.port

    def start(self) -> ServerThread:
        """Open the port; raises OSError if that fails."""
        self._thread.start()
        try:
            self._do(self.server.start(self._host, self._port))
        except BaseException:
            self._end()
            raise
        return self

    def stop(self) -> None:
        """Finish what is in flight and end the thread. Does nothing the second time."""
        if self._thread.is_alive():
            self._do(self.server.stop())
            self._end()

    def __enter__(self) -> ServerThread:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


def new_loop() -> asyncio.AbstractEventLoop:
    """uvloop's event loop where there is one, else asyncio's."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def url_of(host: str, port: int) -> str:
    """The URL to reach a server that listens on `host`."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "": "127.0.0.1"}.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name and name[0] != "[" else f"http://{name}:{port}"


def _raise_file_limit(wanted: int) -> None:
    """Let the process open as many sockets as it admits, if the system allows it."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
