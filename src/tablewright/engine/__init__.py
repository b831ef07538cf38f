"""The embedded, durable, DynamoDB-compatible engine.

``Engine(path)`` or ``Engine.memory()``; ``engine.call("PutItem", request)``.

Errors::

    Exception
     ├─ AwsError          the service's own answer: code, message, status
     ├─ EngineClosed      the engine was used after it had been closed
     └─ FolderError       the data folder cannot be used
         └─ FolderInUse   another process owns it
"""

from tablewright.engine.engine import Engine
from tablewright.engine.errors import AwsError, EngineClosed
from tablewright.engine.pending import Pending
from tablewright.engine.realism import Fault, Realism
from tablewright.engine.storage.folder import FolderError, FolderInUse

__all__ = [
    "AwsError",
    "Engine",
    "EngineClosed",
    "Fault",
    "FolderError",
    "FolderInUse",
    "Pending",
    "Realism",
]
