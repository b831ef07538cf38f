"""boto3 and botocore in front of an engine in the same process: no sockets, no credentials.

botocore asks its ``before-send`` handlers for a response before it opens a connection. Ours hands
the request's JSON to the engine and wraps what comes back, so that everything else (serialising,
parsing, retries, waiters, paginators, the resource layer) is botocore's own.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, wraps
from io import BytesIO
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar, overload
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tablewright.engine import Engine

SERVICES = ("dynamodb", "dynamodbstreams")
#: botocore's names of the two services in events.
_EVENTS = ("dynamodb", "dynamodb-streams")
_AWS_HOSTS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws")
_KEYS = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing"}


class Redirect:
    """Answers botocore's requests with an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._numbers = count(1)
        self.over = False

    def register(self, events: Any) -> None:
        """Stand in for the network, and for whoever did before, in what uses this emitter."""
        for name in _EVENTS:
            for event, handler in (("before-send", self.send), ("choose-signer", _unsigned)):
                ours = f"tablewright-{event}-{name}"
                events.unregister(f"{event}.{name}", unique_id=ours)
                events.register_first(f"{event}.{name}", handler, unique_id=ours)

    def send(self, request: Any, **_: Any) -> Any:
        """The response to one prepared request."""
        from botocore.awsrequest import AWSResponse
        from botocore.exceptions import ConnectionClosedError

        from tablewright.engine.errors import AwsError, DropConnection

        engine = self._engine
        if self.over:
            # A client that is kept across tests goes to the engine of the test that uses it.
            if not _active:
                raise RuntimeError(
                    "This DynamoDB client was made inside a patched() block that is over. Use it "
                    "inside a block, or make a new client."
                )
            engine = _active[-1]._engine
        try:
            status, body = 200, self._answer(engine, request)
        except AwsError as error:
            status, body = error.status, _json(error.body())
        except DropConnection:
            raise ConnectionClosedError(endpoint_url=request.url) from None
        headers = {
            "Content-Type": "application/x-amz-json-1.0",
            "Content-Length": str(len(body)),
            "x-amzn-RequestId": f"{next(self._numbers):052d}",
        }
        return AWSResponse(request.url, status, headers, _Raw(body))

    def _answer(self, engine: Engine, request: Any) -> bytes:
        target = request.headers["X-Amz-Target"]
        text = target.decode() if isinstance(target, bytes) else target
        body = request.body
        return engine.call_json(
            text.rpartition(".")[2], body.encode() if isinstance(body, str) else body
        )


class _Raw(BytesIO):
    """A body as urllib3 hands it out."""

    def stream(self, amount: int = 0, decode_content: bool | None = None) -> Iterator[bytes]:
        yield self.read()


T = TypeVar("T")


@overload
def connect(engine: Engine) -> Any: ...


@overload
def connect(engine: Engine, target: T) -> T: ...


def connect(engine: Engine, target: Any = None) -> Any:
    """Send the DynamoDB requests of ``target`` to ``engine``; returns ``target``.

    The target is a client, a resource, or a session, boto3's or botocore's, whose clients made
    from now on are meant. Without one, a new boto3 client is made.
    """
    _need_boto3()
    if target is None:
        target = new_client(engine)
    Redirect(engine).register(_events_of(target))
    return target


def new_client(engine: Engine, service: str = "dynamodb") -> Any:
    """A boto3 client that needs no configuration; not connected to anything yet."""
    return _session().client(service, region_name=engine.region, **_KEYS)


def new_resource(engine: Engine) -> Any:
    """A boto3 resource that needs no configuration; not connected to anything yet."""
    return _session().resource("dynamodb", region_name=engine.region, **_KEYS)


#: The blocks that are open, the innermost last.
_active: list[Redirect] = []


@contextmanager
def patched(engine: Engine | None = None) -> Iterator[Engine]:
    """Send the requests of every DynamoDB client to an engine inside the block::

        with patched():
            client = boto3.client("dynamodb")      # no region, no credentials, no network

    Yields the engine: the given one, or one in memory that is closed at the end. Clients made
    before are meant too, such as a ``boto3.resource`` at the top of a module, unless they have an
    endpoint of their own. Clients of other services are left alone.
    """
    _need_boto3()
    from botocore.session import Session

    original = Session.create_client
    signature = inspect.signature(original)
    with ExitStack() as stack:
        if engine is None:
            from tablewright.engine import Engine

            engine = stack.enter_context(Engine.memory())
        redirect = Redirect(engine)
        region = engine.region

        @wraps(original)
        def create_client(*arguments: Any, **options: Any) -> Any:
            call = signature.bind(*arguments, **options)
            if call.arguments["service_name"] not in SERVICES:
                return original(*arguments, **options)
            _fill_in(call.arguments, region)
            client = original(*call.args, **call.kwargs)
            redirect.register(client.meta.events)
            return client

        stack.enter_context(_earlier_clients())
        Session.create_client = create_client
        _active.append(redirect)
        try:
            yield engine
        finally:
            _active.remove(redirect)
            Session.create_client = original
            redirect.over = True


@contextmanager
def _earlier_clients() -> Iterator[None]:
    """Redirect what clients made outside of any block would send to AWS, until the block ends."""
    from botocore import UNSIGNED
    from botocore.endpoint import Endpoint
    from botocore.signers import RequestSigner

    send, choose = Endpoint._send, RequestSigner._choose_signer

    @wraps(send)
    def redirected(self: Any, request: Any) -> Any:
        if not _active or not _is_for_aws(request):
            return send(self, request)
        return _active[-1].send(request)

    @wraps(choose)
    def unsigned_without_keys(self: Any, *arguments: Any, **options: Any) -> Any:
        # Without credentials nothing could be signed, and nobody checks the signature.
        if self.signing_name == "dynamodb" and self._credentials is None:
            return UNSIGNED
        return choose(self, *arguments, **options)

    Endpoint._send, RequestSigner._choose_signer = redirected, unsigned_without_keys
    try:
        yield
    finally:
        Endpoint._send, RequestSigner._choose_signer = send, choose


def _is_for_aws(request: Any) -> bool:
    """Whether a request goes to DynamoDB at AWS, and not to an endpoint that somebody named."""
    target = request.headers.get("X-Amz-Target") or b""
    text = target.decode() if isinstance(target, bytes) else str(target)
    host = urlsplit(request.url).hostname or ""
    return text.startswith("DynamoDB") and host.endswith(_AWS_HOSTS)


def _fill_in(given: dict[str, Any], region: str) -> None:
    """Give a client the region and the keys that nobody gave it, so that it looks for none."""
    if given.get("region_name") is None:
        config = given.get("config")
        given["region_name"] = (
            (config is not None and config.region_name)
            or given["self"].get_config_variable("region")
            or region
        )
    if given.get("aws_access_key_id") is None and given.get("aws_secret_access_key") is None:
        given.update(_KEYS)


def _events_of(target: Any) -> Any:
    meta = getattr(target, "meta", None)
    if meta is not None:
        client = getattr(meta, "client", None)  # a resource's meta has its client
        return meta.events if client is None else client.meta.events
    session = getattr(target, "_session", target)  # boto3's session holds botocore's
    if hasattr(session, "get_component"):
        return session.get_component("event_emitter")
    raise TypeError(f"not a boto3 or botocore client, resource or session: {target!r}")


@cache
def _session() -> Any:
    """One session for all the clients we make: loading the service's model is what takes long."""
    import boto3
    from botocore.session import Session

    # Whatever is configured on this machine shall make no difference to a test.
    nowhere = (None, None, os.devnull, None)
    variables = {"profile": (None,) * 4, "config_file": nowhere, "credentials_file": nowhere}
    return boto3.Session(botocore_session=Session(session_vars=variables))


def _unsigned(**_: Any) -> Any:
    """Nobody checks the signature, so none is made."""
    from botocore import UNSIGNED

    return UNSIGNED


def _json(body: dict[str, Any]) -> bytes:
    import orjson

    return orjson.dumps(body, default=str)


def _need_boto3() -> None:
    try:
        import boto3  # noqa: F401
    except ImportError:
        raise ImportError(
            "boto3 is not installed. Install it (pip install boto3) to use an engine through "
            "boto3, or use engine.call(...) or a URL without it."
        ) from None
