"""The DynamoDB wire protocol over HTTP/1.1, in front of an engine.

``serve`` runs it until a signal; ``ServerThread`` embeds it. The parts, from the socket inwards:
``server`` (listening, timeouts, stop), ``connection`` (bytes to requests and back), ``dispatch``
(requests to operations), ``authorization`` and ``signature`` (who may), ``encodings`` and
``answers`` (bytes of answers), ``separate`` (one engine per access key and region).
"""

from tablewright.server.limits import Limits
from tablewright.server.running import ServerThread, serve
from tablewright.server.separate import SeparateEngines
from tablewright.server.server import Server
from tablewright.server.signature import Credentials

__all__ = ["Credentials", "Limits", "SeparateEngines", "Server", "ServerThread", "serve"]
