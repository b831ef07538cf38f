"""Everything that the model and the client raise.

Each error has a class, a stable ``code`` for programs, and a text that says what was wrong, where,
and what to do next::

    TablewrightError
     ├─ ModelError              the declaration cannot work; raised while the module is imported
     ├─ RequestError            this call cannot be made as it stands; nothing was sent
     │   ├─ KeyValueError       a value cannot stand in a key
     │   ├─ MissingFields       an update lacks what an index key needs: `fields`
     │   └─ CursorError         a cursor of another pattern, other arguments, or changed by hand
     ├─ DataError               a stored item is not what the model says
     │   ├─ UnknownEntity       no entity of the model owns this item
     │   └─ Incomplete          a collection lacks the one entity it must have
     ├─ Refused                 the database said no; nothing was written
     │   ├─ ConditionFailed     with `item`, the stored one, decoded
     │   │   ├─ AlreadyExists   a new entity's key is taken
     │   │   ├─ NotFound        an entity to change is not there
     │   │   └─ VersionConflict somebody else has written since it was read
     │   ├─ UniqueViolation     with `constraint` and `owner`
     │   └─ TransactionCancelled  with `failures`: the members that failed, each with its error
     ├─ Unfinished              part of the work is done; the error says what is left
     │   ├─ BatchIncomplete     with `unprocessed`, the ops to run again
     │   └─ CeilingReached      a read went past its ceiling of pages or read units
     ├─ Unavailable             the database could not be asked, or stayed busy; nothing was written
     │   └─ Throttled
     ├─ OutcomeUnknown          a write may or may not have happened, and is not safe to repeat
     ├─ CredentialsError        no credentials, expired or unknown ones, or no region
     ├─ ServiceError            any other answer of the service, with `aws_code`
     └─ FeedError               of a change feed; in tablewright.client.feed
         ├─ ConsumerReplaced    another process consumes under the same name, and came later
         ├─ ChangesLost         the stream dropped records before they were read: `gap`
         └─ HandlerFailed       the handler raised: `change`; the feed stands before it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


class TablewrightError(Exception):
    """The root of the tree."""

    code: ClassVar[str] = "TABLEWRIGHT_ERROR"


class ModelError(TablewrightError):
    code = "MODEL"


class RequestError(TablewrightError):
    code = "REQUEST"


class KeyValueError(RequestError):
    code = "KEY_VALUE"


class MissingFields(RequestError):
    code = "MISSING_FIELDS"

    def __init__(self, message: str, fields: Sequence[str]) -> None:
        super().__init__(message)
        self.fields = tuple(fields)


class CursorError(RequestError):
    code = "CURSOR"


class DataError(TablewrightError):
    code = "DATA"


class UnknownEntity(DataError):
    code = "UNKNOWN_ENTITY"


class Incomplete(DataError):
    code = "INCOMPLETE"


class Refused(TablewrightError):
    code = "REFUSED"


class ConditionFailed(Refused):
    code = "CONDITION_FAILED"

    def __init__(self, message: str, item: object | None = None) -> None:
        super().__init__(message)
        #: The stored entity that did not meet the condition; None if there is none.
        self.item = item


class AlreadyExists(ConditionFailed):
    code = "ALREADY_EXISTS"


class NotFound(ConditionFailed):
    code = "NOT_FOUND"


class VersionConflict(ConditionFailed):
    code = "VERSION_CONFLICT"


class UniqueViolation(Refused):
    code = "UNIQUE_VIOLATION"

    def __init__(self, message: str, constraint: str, owner: Mapping[str, object]) -> None:
        super().__init__(message)
        self.constraint = constraint
        #: The fields of the owner's primary key.
        self.owner = dict(owner)


@dataclass(frozen=True)
class Failure:
    """One member of a cancelled transaction that failed."""

    #: Its place among the members, from 0.
    position: int
    #: The op that failed.
    op: object
    #: AWS's reason, such as ``ConditionalCheckFailed``.
    reason: str
    #: What it would have raised alone.
    error: TablewrightError


class TransactionCancelled(Refused):
    code = "TRANSACTION_CANCELLED"

    def __init__(self, message: str, failures: Sequence[Failure]) -> None:
        super().__init__(message)
        self.failures = tuple(failures)


class Unfinished(TablewrightError):
    code = "UNFINISHED"


class BatchIncomplete(Unfinished):
    code = "BATCH_INCOMPLETE"

    def __init__(
        self, message: str, results: Sequence[object], unprocessed: Sequence[object]
    ) -> None:
        super().__init__(message)
        #: In the order of the ops; None where an op is left.
        self.results = tuple(results)
        self.unprocessed = tuple(unprocessed)


class CeilingReached(Unfinished):
    code = "CEILING_REACHED"


class Unavailable(TablewrightError):
    code = "UNAVAILABLE"


class Throttled(Unavailable):
    code = "THROTTLED"


class OutcomeUnknown(TablewrightError):
    code = "OUTCOME_UNKNOWN"


class CredentialsError(TablewrightError):
    code = "CREDENTIALS"

    def __init__(self, message: str, aws_code: str = "") -> None:
        super().__init__(message)
        #: What the service calls it, if it was the service that refused them.
        self.aws_code = aws_code


class ServiceError(TablewrightError):
    code = "SERVICE"

    def __init__(self, aws_code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{aws_code}: {message}")
        self.aws_code = aws_code
        self.message = message
        self.status = status
