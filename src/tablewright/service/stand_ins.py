"""Serving a stand-in for somebody else's service, on this machine only."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

#: How soon it notices that it is to stop.
_POLL_SECS = 0.05


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[str]:
    """The address at which it can be asked."""
    thread = threading.Thread(
        target=server.serve_forever, args=(_POLL_SECS,), name="stand-in", daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
