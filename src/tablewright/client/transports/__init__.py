"""How requests travel: to an engine in this process, or over HTTP to AWS or any other endpoint.

``wire`` is what all transports have in common, and all that the rest of the client knows of them.
``embedded`` calls an engine. ``http`` (threads) and ``aio`` (coroutines) share everything but the
sockets: ``site`` (which endpoint, region, credentials), ``exchange`` (requests to bytes, answers to
outcomes), ``sigv4``, ``reading`` (bytes to answers), ``tls`` and ``tunnel``.
"""

from tablewright.client.transports.aio import AsyncHttpTransport
from tablewright.client.transports.credentials import Credentials
from tablewright.client.transports.embedded import AsyncEmbedded, Embedded
from tablewright.client.transports.http import HttpTransport
from tablewright.client.transports.wire import (
    AsyncTransport,
    Failure,
    Request,
    Response,
    Transport,
    Unreachable,
)

__all__ = [
    "AsyncEmbedded",
    "AsyncHttpTransport",
    "AsyncTransport",
    "Credentials",
    "Embedded",
    "Failure",
    "HttpTransport",
    "Request",
    "Response",
    "Transport",
    "Unreachable",
]
