"""Run what the model declares: ``Db`` and ``AsyncDb`` on any transport.

``Db(Embedded(engine))`` runs in process, ``Db(HttpTransport())`` on AWS, and
``Db(HttpTransport("http://127.0.0.1:8000"))`` on any endpoint that speaks DynamoDB. All errors are
drawn in :mod:`tablewright.model.errors`.
"""

from tablewright.client.context import Context, Retries
from tablewright.client.db import AsyncDb, Db
from tablewright.client.events import Consumed, RequestEvent
from tablewright.client.feed import AsyncChangeFeed, Change, ChangeFeed
from tablewright.client.pages import Page
from tablewright.client.transports import (
    AsyncEmbedded,
    AsyncHttpTransport,
    Credentials,
    Embedded,
    HttpTransport,
)

__all__ = [
    "AsyncChangeFeed",
    "AsyncDb",
    "AsyncEmbedded",
    "AsyncHttpTransport",
    "Change",
    "ChangeFeed",
    "Consumed",
    "Context",
    "Credentials",
    "Db",
    "Embedded",
    "HttpTransport",
    "Page",
    "RequestEvent",
    "Retries",
]
