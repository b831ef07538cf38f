"""Who vouches for people: an OpenID Connect issuer, as much of it as the service asks for."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.algorithms import OKPAlgorithm

AUDIENCE = "soak"
#: Clocks jump for hours in either direction; tokens are not what is tested.
_LASTS_SECS = 30 * 86_400


class Issuer:
    """Signs whatever it is asked to."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()
        self.url = ""

    def token(self, subject: str, *roles: str, at: float, email: str = "") -> str:
        claims: dict[str, Any] = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "name": subject,
            "exp": int(at) + _LASTS_SECS,
            "roles": list(roles),
        }
        if email:
            claims |= {"email": email, "email_verified": True}
        # It does not say what kind it is: some systems take access tokens, some ID tokens.
        return jwt.encode(claims, self._key, "EdDSA", {"kid": "soak", "typ": "JWT"})

    def document(self, path: str) -> dict[str, Any]:
        if path == "/jwks":
            public = OKPAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
            public.pop("key_ops", None)
            return {"keys": [{**public, "kid": "soak", "use": "sig", "alg": "EdDSA"}]}
        return {"issuer": self.url, "jwks_uri": f"{self.url}/jwks"}


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer behind a port of this machine."""
    issuer = Issuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = json.dumps(issuer.document(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
