"""The transport for threads: DynamoDB's protocol over HTTP/1.1, signed, on kept connections."""

from __future__ import annotations

import os
from types import TracebackType

from tablewright.client.transports.connection import Pool
from tablewright.client.transports.credentials import Credentials, Source
from tablewright.client.transports.exchange import EXPIRED, Exchange
from tablewright.client.transports.site import Site
from tablewright.client.transports.tls import Tls
from tablewright.client.transports.wire import STREAM_OPERATIONS, Failure, Request, Response
from tablewright.model.errors import RequestError

CONNECT_SECONDS = 5.0
READ_SECONDS = 30.0


class HttpTransport:
    """Requests over HTTP; any number of threads may use one::

        HttpTransport()                                      # AWS, as the environment says
        HttpTransport("http://127.0.0.1:8000")               # a server on this machine
        HttpTransport(region="eu-west-1", profile="staging")

    Without ``endpoint_url``: ``AWS_ENDPOINT_URL_DYNAMODB``, ``AWS_ENDPOINT_URL``, or else AWS's
    endpoint of the region. Without ``region``: ``AWS_REGION``, ``AWS_DEFAULT_REGION``, the profile.
    Without ``credentials``: the environment, then botocore's chain; a server on this machine needs
    none. ``read_timeout`` is for a whole answer.
    """

    def __init__(
        self,
        endpoint_url: str | None = None,
        region: str | None = None,
        credentials: Credentials | Source | None = None,
        *,
        profile: str | None = None,
        connect_timeout: float = CONNECT_SECONDS,
        read_timeout: float = READ_SECONDS,
        keep: int = 64,
        ca_bundle: str | os.PathLike[str] | None = None,
        site: Site | None = None,
    ) -> None:
        site = site or Site(endpoint_url, region, credentials, profile=profile)
        tls = Tls(ca_bundle)

        def pool(exchange: Exchange) -> Pool:
            return Pool(
                exchange.endpoint,
                tls,
                connect_timeout=connect_timeout,
                read_timeout=read_timeout,
                keep=keep,
            )

        self._site = site
        self._main = pool(site.main)
        self._streams = self._main if site.streams is site.main else pool(site.streams)
        self._closed = False

    def send(self, request: Request) -> Response:
        """The answer to one request."""
        if self._closed:
            raise RequestError("This transport has been closed; make another one to go on.")
        site = self._site
        exchange, pool = site.main, self._main
        if request.operation in STREAM_OPERATIONS:
            exchange, pool = site.streams, self._streams
        credentials = site.credentials.current() or site.credentials.fetch()
        message, sent = exchange.message(request, credentials)
        answer = pool.ask(message)
        try:
            return exchange.response(answer, sent)
        except Failure as failure:
            if failure.code in EXPIRED:
                site.credentials.forget()
            raise

    def close(self) -> None:
        """Close the connections. Does nothing the second time."""
        self._closed = True
        self._main.close()
        self._streams.close()

    def __enter__(self) -> HttpTransport:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
