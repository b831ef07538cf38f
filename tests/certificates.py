"""The certificates of this machine are read once, for all clients of a run.

Every client of HTTP reads all of them when it is made, and hundreds are, most of which never speak
TLS: for many tests that is more work than what they test.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any


def read_once() -> None:
    """Where clients do it otherwise one day, nothing is lost but time."""
    import httpcore2

    real = getattr(httpcore2, "default_ssl_context", None)
    if real is None:
        return

    @cache
    def read(trust: bool, *_where: str | None) -> Any:
        return real(_trust_env=trust)

    def shared(*, _trust_env: bool = True) -> Any:
        where = (os.environ.get(name) for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"))
        return read(_trust_env, *where)

    httpcore2.default_ssl_context = shared
