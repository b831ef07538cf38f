"""TLS towards the service: certificates are always verified."""

from __future__ import annotations

import os
import ssl
import sys
import threading
from pathlib import Path


class Tls:
    """One context for all connections, made when the first one needs it: that takes a while."""

    def __init__(self, ca_bundle: str | os.PathLike[str] | None = None) -> None:
        """``ca_bundle``: a file of certificates to trust, rather than the system's."""
        self._ca_bundle = ca_bundle
        self._context: ssl.SSLContext | None = None
        self._making = threading.Lock()

    def context(self) -> ssl.SSLContext:
        with self._making:
            if self._context is None:
                self._context = ssl.create_default_context(cafile=self._bundle())
                self._context.set_alpn_protocols(["http/1.1"])
            return self._context

    def _bundle(self) -> str | None:
        given = self._ca_bundle or os.environ.get("AWS_CA_BUNDLE")
        if given:
            return os.fspath(given)
        system = ssl.get_default_verify_paths()
        if (
            sys.platform == "win32"
            or system.cafile
            or (system.capath and any(Path(system.capath).iterdir()))
        ):
            return None
        try:  # some installations of Python bring no certificates
            import certifi
        except ImportError:
            return None
        return certifi.where()
