"""For those who test code that uses DynamoDB.

The pytest plugin (``plugin``) gives fixtures: ``tablewright_engine``, ``tablewright_clock``,
``tablewright_url``, ``tablewright_client``, ``tablewright_resource``, ``tablewright_streams``,
``tablewright_patched``, and for models ``tablewright_db`` and ``tablewright_async_db``. Without
pytest, the same from here:

* :func:`connect` and :func:`patched` join boto3 and an engine in one process, without sockets;
* :func:`mock_dynamodb` is the latter as a decorator of functions and classes;
* :func:`injected` makes things go wrong for the length of a ``with`` block;
* :class:`Backend` is a database that a ``Db`` can be put on, in process or at any endpoint;
* :class:`EngineProcess` runs the server in a process of its own, which can be killed.

Nothing here imports boto3, the engine or the server before it is used.
"""

from tablewright.testing.backends import Backend, at_endpoint, in_process, over_http
from tablewright.testing.decorator import mock_dynamodb
from tablewright.testing.faults import injected
from tablewright.testing.process import EngineProcess, StartFailed
from tablewright.testing.sdk import connect, patched

__all__ = [
    "Backend",
    "EngineProcess",
    "StartFailed",
    "at_endpoint",
    "connect",
    "in_process",
    "injected",
    "mock_dynamodb",
    "over_http",
    "patched",
]
