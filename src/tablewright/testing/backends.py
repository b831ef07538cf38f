"""Where tests run: one :class:`Backend` is a database that a ``Db`` or ``AsyncDb`` can be put on.

The same test runs unchanged on the engine in process (:func:`in_process`), on the engine behind a
port (:func:`over_http`), and on any other endpoint that speaks DynamoDB (:func:`at_endpoint`), such
as AWS's own DynamoDB Local. Tables of a shared endpoint are kept apart by a prefix of their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from tablewright.client import AsyncDb, Db
    from tablewright.client.transports import AsyncTransport, Transport
    from tablewright.engine import Engine


@dataclass(frozen=True)
class Backend:
    """One database for one test."""

    #: For people: ``engine``, ``http``, or what the caller says.
    name: str
    transport: Callable[[], Transport]
    async_transport: Callable[[], AsyncTransport]
    #: Where other processes reach it; None if they cannot.
    url: str | None = None
    #: What stands before every table's name; empty where nobody else is.
    prefix: str = ""
    #: The engine itself, for faults and for looking inside; None if it is none of ours.
    engine: Engine | None = None
    _opened: list[Transport] = field(default_factory=list, repr=False)

    def db(self, **settings: Any) -> Db:
        """A ``Db`` on it; the settings are those of :class:`tablewright.client.Db`."""
        from tablewright.client import Db

        transport = self.transport()
        self._opened.append(transport)
        return Db(transport, **self._named(settings))

    def async_db(self, **settings: Any) -> AsyncDb:
        """An ``AsyncDb`` on it, to be closed by the test (``async with``)."""
        from tablewright.client import AsyncDb

        return AsyncDb(self.async_transport(), **self._named(settings))

    def close(self) -> None:
        """Close what was opened on it."""
        while self._opened:
            self._opened.pop().close()

    def _named(self, settings: dict[str, Any]) -> dict[str, Any]:
        if self.prefix:
            settings.setdefault("names", self.physical)
        return settings

    def physical(self, table: str) -> str:
        """The name that a table has there."""
        return self.prefix + table


@contextmanager
def in_process(engine: Engine) -> Iterator[Backend]:
    """The engine in this process, without sockets."""
    from tablewright.client import AsyncEmbedded, Embedded

    yield Backend("engine", lambda: Embedded(engine), lambda: AsyncEmbedded(engine), engine=engine)


@contextmanager
def over_http(engine: Engine) -> Iterator[Backend]:
    """The engine behind a port of this process."""
    from tablewright.server import ServerThread

    with ServerThread(engine) as server, at_endpoint(server.url, engine=engine) as backend:
        yield backend


@contextmanager
def at_endpoint(
    url: str, *, name: str = "http", prefix: str = "", engine: Engine | None = None
) -> Iterator[Backend]:
    """Whatever answers at ``url``."""
    from tablewright.client import AsyncHttpTransport, Credentials, HttpTransport

    keys = Credentials("testing", "testing")
    backend = Backend(
        name,
        lambda: HttpTransport(url, region="us-east-1", credentials=keys),
        lambda: AsyncHttpTransport(url, region="us-east-1", credentials=keys),
        url,
        prefix,
        engine,
    )
    try:
        yield backend
    finally:
        backend.close()


def new_prefix() -> str:
    """A prefix that no other test has."""
    return f"t{uuid4().hex[:12]}-"
