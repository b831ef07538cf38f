"""From a complete request to its answer, or to the engine's future of it.

:meth:`Dispatcher.begin` returns the answer's bytes where the server can give it itself (health,
CORS, refusals), and the engine's future otherwise; :meth:`Dispatcher.finish` makes the answer of
a future that is done. Neither knows anything of sockets.

The order of refusals is AWS's: content type, JSON, target, authentication, empty body. The JSON
is parsed by the engine; here it is looked at only when the request is refused anyway. Who has not
been authenticated causes little work: the signature covers the body as sent, so a compressed body
is inflated only once the signature has been verified, and a large one is not parsed to find out
which refusal AWS would prefer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from typing import Any

import httptools
import orjson

from tablewright import __version__
from tablewright.engine.errors import AwsError, DropConnection, internal
from tablewright.engine.shapes import OPERATIONS, STREAM_OPERATIONS
from tablewright.server.answers import Answers
from tablewright.server.authorization import Claim, claim_of, looks_signed
from tablewright.server.encodings import BadEncoding, TooLarge, decode
from tablewright.server.limits import Limits
from tablewright.server.reading import too_large
from tablewright.server.request import JSON_1_0, Request
from tablewright.server.signature import Credentials, Verifier
from tablewright.server.wire import EngineOf, Reply, Wire

log = logging.getLogger("tablewright.server")

Submit = Callable[[str, bytes], Reply]

TARGETS = {
    f"{prefix}_20120810.{name}".encode(): name
    for prefix, names in (("DynamoDB", OPERATIONS), ("DynamoDBStreams", STREAM_OPERATIONS))
    for name in names
    if name != "DescribeEndpoints"
}
#: Not an operation of DynamoDB: `tablewright engine verify` asks it.
TARGETS[b"DynamoDB_20120810.VerifyStore"] = "VerifyStore"
#: Answered here: the server's own address is not the engine's to know.
_DESCRIBE_ENDPOINTS = b"DynamoDB_20120810.DescribeEndpoints"
_ENDPOINT_MINUTES = 1440
#: A larger body is not parsed for the sake of a refusal.
_PARSED_FOR_REFUSAL = 64 * 1024
#: Content types of requests, and of the answers to them.
CONTENT_TYPES = {
    JSON_1_0: JSON_1_0,
    b"application/x-amz-json-1.1": b"application/x-amz-json-1.1",
    b"application/json": b"application/json",
}
_SERIALIZATION = b'{"__type":"com.amazon.coral.service#SerializationException"}'
_UNKNOWN_OPERATION = b'{"__type":"com.amazon.coral.service#UnknownOperationException"}'
_FOREIGN = orjson.dumps(
    {
        "__type": "com.amazon.coral.service#AccessDeniedException",
        "Message": "Web pages are not answered here: the request has an Origin header.",
    }
)
_NOT_FOUND = b"<UnknownOperationException/>\n"
_PREFLIGHT_SECONDS = b"172800"


class Dispatcher:
    """Answers requests with one engine, or with one per access key and region."""

    def __init__(
        self,
        engine: Wire | EngineOf,
        answers: Answers,
        *,
        limits: Limits,
        credentials: Iterable[Credentials] = (),
        region: str = "us-east-1",
        browsers: bool = True,
    ) -> None:
        keys = tuple(credentials)
        self.verifier = Verifier(keys) if keys else None
        self._answers = answers
        self._limits = limits
        self._region = region
        self._browsers = browsers
        self._engine_of: EngineOf | None = None
        self._submit: Submit | None = None
        if isinstance(engine, Wire):
            self._submit = engine.submit_json
        else:
            self._engine_of = engine
        #: The one engine's, if whoever shows some credentials may use it: the hot path.
        self._open = None if keys else self._submit

    def begin(self, request: Request) -> Reply | bytes:
        """The engine's future of an answer, or the answer itself."""
        headers = request.headers
        if not self._browsers and b"origin" in headers:
            return self._foreign(request)
        operation = TARGETS.get(headers.get(b"x-amz-target", b""))
        submit = self._open
        if (
            submit is not None
            and operation is not None
            and headers.get(b"content-type") == JSON_1_0
            and request.body
            and request.url == b"/"
            and request.method == b"POST"
            and b"content-encoding" not in headers
            and looks_signed(headers)
        ):
            return self._hand_over(submit, operation, request)
        return self._carefully(request, operation)

    def finish(self, request: Request, reply: Reply) -> bytes | None:
        """The answer of a future that is done; None closes the connection without one."""
        try:
            body = reply.result()
        except AwsError as error:
            return self._answers.error(request, error)
        except DropConnection:
            return None
        except (Exception, CancelledError):
            return self._broken(request)
        return self._answers.ok(request, body)

    # --- the careful way -------------------------------------------------------------

    def _carefully(self, request: Request, operation: str | None) -> Reply | bytes:
        path, query = _split(request.url)
        if request.method != b"POST":
            return self._other_method(request, path)
        given = request.headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if path != "/" or (request.body and given not in CONTENT_TYPES):
            return self._not_found(request)
        request.content_type = CONTENT_TYPES.get(given, b"application/json")
        is_endpoints = operation is None and (
            request.headers.get(b"x-amz-target") == _DESCRIBE_ENDPOINTS
        )
        if operation is None and not is_endpoints:
            return self._answers.failure(request, 400, self._refusal_of_unknown(request))
        try:
            submit = self._admitted(request, path, query)
        except AwsError as error:
            if not _may_be_json(request):
                return self._answers.failure(request, 400, _SERIALIZATION)
            return self._answers.error(request, error)
        except Exception:
            return self._broken(request)
        try:
            request.body = self._decoded(request)
        except TooLarge:
            refused = too_large(self._limits.body_bytes)
            return self._answers.failure(request, refused.status, refused.body)
        except BadEncoding:
            # A client's fault, but this is how AWS answers it.
            return self._answers.error(request, internal("The request body cannot be decoded"))
        if not request.body:
            return self._answers.failure(request, 400, _SERIALIZATION)
        if operation is None:
            return self._describe_endpoints(request)
        return self._hand_over(submit, operation, request)

    def _refusal_of_unknown(self, request: Request) -> bytes:
        return _UNKNOWN_OPERATION if _may_be_json(request) else _SERIALIZATION

    def _describe_endpoints(self, request: Request) -> bytes:
        """Name the address that the client has used, so that a client that follows stays here."""
        if not _may_be_json(request):
            return self._answers.failure(request, 400, _SERIALIZATION)
        host = request.headers.get(b"host", b"localhost").decode("latin-1")
        endpoint = {"Address": host, "CachePeriodInMinutes": _ENDPOINT_MINUTES}
        return self._answers.ok(request, orjson.dumps({"Endpoints": [endpoint]}))

    def _hand_over(self, submit: Submit, operation: str, request: Request) -> Reply | bytes:
        try:
            return submit(operation, request.body)
        except AwsError as error:
            return self._answers.error(request, error)
        except Exception:
            return self._broken(request)

    def _decoded(self, request: Request) -> bytes:
        coding = request.headers.get(b"content-encoding")
        if coding is None:
            return request.body
        return decode(request.body, coding, self._limits.body_bytes)

    def _admitted(self, request: Request, path: str, query: str) -> Submit:
        """What takes this request's operation; raises if its signature is refused."""
        claim = claim_of(request.headers, query)
        if self.verifier is not None:
            self.verifier.verify(
                claim,
                request.method.decode("latin-1"),
                path,
                query,
                request.headers,
                request.body,
            )
        return self._submit or self._separate(claim).submit_json

    def _separate(self, claim: Claim) -> Wire:
        assert self._engine_of is not None
        return self._engine_of(claim.access_key, claim.region or self._region)

    # --- what needs no engine --------------------------------------------------------

    def _other_method(self, request: Request, path: str) -> bytes:
        if request.method == b"OPTIONS" and b"origin" in request.headers:
            return self._preflight(request)
        if request.method == b"GET" and path == "/":
            # The space at the end is AWS's.
            text = b"healthy: " + request.headers.get(b"host", b"tablewright") + b" "
            return self._answers.render(request, 200, text, b"text/plain")
        if request.method == b"GET" and path == "/healthz":
            health = {"status": "ok", "version": __version__, "region": self._region}
            return self._answers.render(request, 200, orjson.dumps(health), b"application/json")
        return self._not_found(request)

    def _preflight(self, request: Request) -> bytes:
        lines = [b"Access-Control-Max-Age: " + _PREFLIGHT_SECONDS]
        for asked, allowed in (
            (b"access-control-request-headers", b"Access-Control-Allow-Headers: "),
            (b"access-control-request-method", b"Access-Control-Allow-Methods: "),
        ):
            if value := request.headers.get(asked):
                lines.append(allowed + value)
        return self._answers.render(request, 200, b"", None, tuple(lines))

    def _foreign(self, request: Request) -> bytes:
        """What a page sent is refused, without the headers that would let it read the answer."""
        del request.headers[b"origin"]
        return self._answers.failure(request, 403, _FOREIGN)

    def _not_found(self, request: Request) -> bytes:
        return self._answers.render(request, 404, _NOT_FOUND, None)

    def _broken(self, request: Request) -> bytes:
        """Something failed that should not: the log has it, the client hears AWS's words."""
        log.exception("a request failed unexpectedly")
        message = "The request processing has failed because of an unknown error"
        return self._answers.error(request, internal(message))


def _split(url: bytes) -> tuple[str, str]:
    """Path and query string, as sent; of an absolute URL too, which proxies are given."""
    try:
        # Its types say that nothing is missing, which is not so.
        parsed: Any = httptools.parse_url(url)
    except httptools.HttpParserInvalidURLError:
        return "", ""
    return (parsed.path or b"/").decode("latin-1"), (parsed.query or b"").decode("latin-1")


def _may_be_json(request: Request) -> bool:
    """Whether the body is JSON, as far as can be said of it with little work."""
    body = request.body
    if not body or len(body) > _PARSED_FOR_REFUSAL or b"content-encoding" in request.headers:
        return True
    try:
        orjson.loads(body)
    except orjson.JSONDecodeError:
        return False
    return True
