"""One call as HTTP, and an HTTP answer as the outcome of a call: all that needs no socket.

The transports for threads and for coroutines differ in how bytes travel; everything else about
the protocol stands here: signing, the checksum of answers, errors, and clocks that are wrong.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from tablewright.client.transports.credentials import Credentials
from tablewright.client.transports.endpoints import Endpoint
from tablewright.client.transports.reading import Answer
from tablewright.client.transports.sigv4 import Signer
from tablewright.client.transports.wire import (
    STREAM_OPERATIONS,
    Failure,
    Request,
    Response,
    Unreachable,
)
from tablewright.model.errors import RequestError

#: What a service says to a signature of another time than its own.
_ABOUT_TIME = frozenset(
    {
        "InvalidSignatureException",
        "RequestExpired",
        "RequestInTheFuture",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    }
)
#: It allows 5 to 15 minutes. With less difference than this, the signature is wrong itself.
_SKEW_SECONDS = 240.0
EXPIRED = frozenset({"ExpiredToken", "ExpiredTokenException"})
#: No answer of the service is larger; a compressed one that is has been made to hurt.
_MAX_INFLATED = 64 * 1024 * 1024


class Exchange:
    """Makes the requests to one endpoint and understands its answers."""

    def __init__(
        self, endpoint: Endpoint, region: str, now: Callable[[], float] = time.time
    ) -> None:
        self.endpoint = endpoint
        through = endpoint.proxy
        if through is None or endpoint.secure:
            self._signer = Signer(endpoint.authority, region)
        else:  # a proxy that passes requests on has to be told where to
            self._signer = Signer(
                endpoint.authority, region, url=endpoint.url + "/", extra=through.header()
            )
        self._now = now
        self._offset = 0.0  # of the service's clock to ours
        self._targets: dict[str, bytes] = {}

    def message(self, request: Request, credentials: Credentials) -> tuple[bytes, int]:
        """The bytes to send, and how many of them are the body."""
        try:
            body = orjson.dumps(request.body)
        except TypeError as error:
            raise RequestError(f"{request.operation} cannot be sent as JSON: {error}") from None
        target = self._targets.get(request.operation) or self._target(request.operation)
        head = self._signer.head(credentials, target, body, self._now() + self._offset)
        return head + body, len(body)

    def response(self, answer: Answer, sent: int) -> Response:
        """What the answer means; raises :class:`Failure` or :class:`Unreachable`."""
        headers, body = answer.headers, answer.body
        checksum = headers.get(b"x-amz-crc32")
        if checksum is not None and checksum != b"%d" % zlib.crc32(body):
            raise Unreachable("the answer was damaged on its way: wrong x-amz-crc32", sent=True)
        plain = body if b"content-encoding" not in headers else _inflated(headers, body)
        if answer.status != 200:
            raise self._failure(answer, plain)
        try:
            parsed = orjson.loads(plain) if plain else {}
        except orjson.JSONDecodeError:
            parsed = None
        if type(parsed) is not dict:
            raise Unreachable(
                f"{self.endpoint.url} did not answer as DynamoDB does: {_excerpt(plain)}", sent=True
            )
        return Response(parsed, sent, len(body))

    # --- inside ----------------------------------------------------------------------

    def _target(self, operation: str) -> bytes:
        if not (operation.isascii() and operation.isalnum()):
            raise RequestError(f"{operation!r} is not an operation of DynamoDB.")
        service = "DynamoDBStreams" if operation in STREAM_OPERATIONS else "DynamoDB"
        target = self._targets[operation] = f"{service}_20120810.{operation}".encode()
        return target

    def _failure(self, answer: Answer, plain: bytes) -> Failure:
        body = _object(plain)
        type_ = body.get("__type") or answer.headers.get(b"x-amzn-errortype", b"").decode("latin-1")
        # Either may be `namespace#Code`, and the header `Code:http://...`.
        code = str(type_).partition(":")[0].rpartition("#")[2]
        message = str(body.get("message") or body.get("Message") or "")
        if not code:
            code = _code_of(answer.status)
            message = message or f"HTTP status {answer.status}: {_excerpt(plain)}"
        corrected = code in _ABOUT_TIME and self._correct(answer.headers.get(b"date"))
        return Failure(
            code, message, answer.status, body, _retry_after(answer.headers), corrected=corrected
        )

    def _correct(self, date: bytes | None) -> bool:
        """Go by the service's clock from now on, if ours is far from it."""
        try:
            theirs = parsedate_to_datetime((date or b"").decode("latin-1")).timestamp()
        except (ValueError, TypeError, IndexError, OverflowError):
            return False
        ours = self._now()
        if abs(theirs - (ours + self._offset)) < _SKEW_SECONDS:
            return False
        self._offset = theirs - ours
        return True


def _inflated(headers: dict[bytes, bytes], body: bytes) -> bytes:
    """The body without its compression, which we never ask for but gateways may add."""
    coding = headers[b"content-encoding"].strip().lower()
    if coding in (b"", b"identity"):
        return body
    if coding not in (b"gzip", b"deflate"):
        raise Unreachable(f"the answer is in an unknown coding: {coding!r}", sent=True)
    engine = zlib.decompressobj(32 + zlib.MAX_WBITS)  # either of the two
    try:
        inflated = engine.decompress(body, _MAX_INFLATED)
    except zlib.error as error:
        raise Unreachable(f"the answer cannot be decompressed: {error}", sent=True) from None
    if not engine.eof:
        raise Unreachable("the compressed answer is not complete", sent=True)
    return inflated


def _object(plain: bytes) -> dict[str, Any]:
    try:
        parsed = orjson.loads(plain)
    except orjson.JSONDecodeError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _code_of(status: int) -> str:
    """A name for an error that is not DynamoDB's own, as a gateway sends it."""
    if status in (502, 503, 504):
        return "ServiceUnavailable"
    if status >= 500:
        return "InternalServerError"
    return "ThrottlingException" if status == 429 else f"Http{status}"


def _retry_after(headers: dict[bytes, bytes]) -> float | None:
    for name, unit in ((b"x-amz-retry-after", 0.001), (b"retry-after", 1.0)):
        text = headers.get(name, b"")
        if text.isdigit():
            return int(text) * unit
    return None


def _excerpt(plain: bytes) -> str:
    text = " ".join(plain[:400].decode("utf-8", "replace").split())
    return text[:200] if text else "an empty body"
