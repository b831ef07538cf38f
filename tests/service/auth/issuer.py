"""A real OpenID Connect issuer behind a port, that can be made to misbehave.

It lets everybody in: its authorization endpoint answers at once with a code for ``user``. What it
checks is what a real one checks: the client, the redirect address, PKCE, and that a code is used
once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

AUDIENCE = "our-service"
CLIENT = "our client"
SECRET = "s3cr:t +&"


@dataclass(frozen=True)
class KeyPair:
    """A key of the issuer."""

    kid: str
    algorithm: str
    private: Any

    def jwk(self, **more: object) -> dict[str, Any]:
        public = self.private.public_key()
        kinds: dict[str, Any] = {"RS256": RSAAlgorithm, "ES256": ECAlgorithm, "EdDSA": OKPAlgorithm}
        made = kinds[self.algorithm].to_jwk(public, as_dict=True)
        made.pop("key_ops", None)
        return {**made, "kid": self.kid, "use": "sig", "alg": self.algorithm, **more}

    def sign(self, claims: Mapping[str, object], **header: object) -> str:
        headers = {"kid": self.kid, "typ": "at+jwt", **header}
        given = {name: value for name, value in headers.items() if value is not None}
        return jwt.encode(dict(claims), self.private, algorithm=self.algorithm, headers=given)


@cache
def key_pair(kid: str = "k1", algorithm: str = "RS256", bits: int = 2048) -> KeyPair:
    """A pair of that name; the same one for the whole run, since they take long to make."""
    if algorithm == "RS256":
        return KeyPair(kid, algorithm, rsa.generate_private_key(65537, bits))
    if algorithm == "ES256":
        return KeyPair(kid, algorithm, ec.generate_private_key(ec.SECP256R1()))
    return KeyPair(kid, algorithm, ed25519.Ed25519PrivateKey.generate())


@dataclass
class Issuer:
    """The issuer; its fields may be changed while it runs."""

    keys: list[KeyPair] = field(default_factory=lambda: [key_pair()])
    #: Further entries of the key set, as they are.
    entries: list[Any] = field(default_factory=list)
    user: dict[str, Any] = field(
        default_factory=lambda: {"sub": "ada", "name": "Ada", "roles": ["shop:admin", "mail:x"]}
    )
    #: What is different in its discovery document, and in ID tokens.
    discovery: dict[str, Any] = field(default_factory=dict)
    id_claims: dict[str, Any] = field(default_factory=dict)
    secret: str | None = SECRET
    redirect_uri: str | None = None
    slash: str = ""
    #: How it misbehaves: path -> what it does.
    faults: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    now: Any = time.time
    #: What is slow waits for this.
    released: threading.Event = field(default_factory=threading.Event)
    _server: ThreadingHTTPServer | None = None

    # --- running ---------------------------------------------------------------------

    def __enter__(self) -> Issuer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, port: int = 0) -> None:
        handler = type("Handler", (_Handler,), {"issuer": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        serve = self._server.serve_forever
        threading.Thread(target=serve, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.released.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def port(self) -> int:
        assert self._server is not None
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def name(self) -> str:
        """What stands in ``iss``."""
        return self.url + self.slash

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return self.requests.count(path)

    # --- tokens ----------------------------------------------------------------------

    def claims(self, **other: object) -> dict[str, Any]:
        """What an access token says; None leaves a claim out."""
        now = int(self.now())
        made = {
            "iss": self.name,
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + 300,
            **self.user,
            **other,
        }
        return {name: value for name, value in made.items() if value is not None}

    def token(self, **other: object) -> str:
        """An access token, signed with its first key."""
        return self.keys[0].sign(self.claims(**other))

    def id_token(self, **other: object) -> str:
        """An ID token that a program sends on, signed alike; it is for the same audience."""
        return self.keys[0].sign(self.claims(**other), typ="JWT")

    # --- endpoints -------------------------------------------------------------------

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.name,
            "jwks_uri": f"{self.url}/jwks",
            "authorization_endpoint": f"{self.url}/authorize?tenant=1",
            "token_endpoint": f"{self.url}/token",
            **self.discovery,
        }

    def key_set(self) -> dict[str, Any]:
        return {"keys": [*(key.jwk() for key in self.keys), *self.entries]}

    def authorize(self, query: dict[str, str]) -> str:
        """Where to send the browser: back, with a code."""
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT
        assert query["redirect_uri"] == self.redirect_uri
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self.codes[code] = query
        back = {"code": code, "state": query["state"], "iss": self.name}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def redeem(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """An ID token for a code, once."""
        client = self._client(form, authorization)
        asked = self.codes.pop(form.get("code", ""), None)
        if client != (CLIENT, self.secret):
            return 401, {"error": "invalid_client"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge:
            return 400, {"error": "invalid_grant"}
        if form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        claims = self.claims(aud=CLIENT, nonce=asked["nonce"])
        claims = {**claims, **self.id_claims}
        token = self.keys[0].sign(claims, typ="JWT")
        return 200, {"id_token": token, "access_token": "x", "token_type": "Bearer"}

    @staticmethod
    def _client(form: dict[str, str], authorization: str) -> tuple[str, str | None]:
        if authorization.startswith("Basic "):
            name, _, secret = base64.b64decode(authorization[6:]).decode().partition(":")
            return unquote_plus(name), unquote_plus(secret)
        return form.get("client_id", ""), form.get("client_secret")


class _Handler(BaseHTTPRequestHandler):
    issuer: Issuer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if self._misbehaved(parts.path):
            return
        if parts.path == "/.well-known/openid-configuration":
            self._send(200, self.issuer.document())
        elif parts.path == "/jwks":
            self._send(200, self.issuer.key_set())
        elif parts.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self._send(302, {}, Location=self.issuer.authorize(query))
        else:
            self._send(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self._misbehaved(self.path):
            return
        form = {name: values[0] for name, values in parse_qs(body).items()}
        status, answer = self.issuer.redeem(form, self.headers.get("Authorization", ""))
        self._send(status, answer)

    def _misbehaved(self, path: str) -> bool:
        self.issuer.requests.append(path)
        fault = self.issuer.faults.get(path, "")
        if fault == "slow":
            self.issuer.released.wait(10)
        elif fault == "drop":
            self.close_connection = True
            self.connection.close()
            return True
        elif fault == "error":
            self._send(500, {})
            return True
        elif fault == "garbage":
            self._raw(200, b"<html>not json</html>")
            return True
        elif fault == "list":
            self._raw(200, b"[]")
            return True
        elif fault == "huge":
            self._raw(200, b'{"keys": ["' + b"x" * 2_000_000 + b'"]}')
            return True
        elif fault == "redirect":
            self._send(302, {}, Location=f"{self.issuer.url}/elsewhere")
            return True
        elif fault == "trickle":
            self._trickle()
            return True
        return False

    def _trickle(self) -> None:
        """A byte now and then: no single read takes long."""
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        try:
            for _ in range(200):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            self.close_connection = True

    def _send(self, status: int, document: dict[str, Any], **headers: str) -> None:
        self._raw(status, json.dumps(document).encode(), **headers)

    def _raw(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
