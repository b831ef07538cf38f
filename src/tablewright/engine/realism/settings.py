"""What realism can be asked for, in Python or as a JSON file.

The same settings as JSON, for :meth:`Realism.parse`::

    {"lag": 0.5, "throughput": true,
     "faults": [{"operations": ["PutItem"], "rate": 0.1, "error": "InternalServerError"}]}
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

import orjson

from tablewright.engine.shapes import OPERATIONS, STREAM_OPERATIONS

#: Only these answer with members left unprocessed.
BATCHES = frozenset({"BatchGetItem", "BatchWriteItem"})


@dataclasses.dataclass(frozen=True)
class Fault:
    """Something that goes wrong now and then.

    A fault is considered for each request of its ``operations`` (of every operation, if none is
    named) and fires with probability ``rate``, at most ``times`` times in all. One that fires does
    what it names:

    * ``latency``: that many seconds pass. Event loops are not held up; a ``ManualClock`` is moved
      instead of waited for.
    * ``error``: the request fails with this code, such as ``InternalServerError``, and ``message``
      or AWS's own words. With ``TransactionCanceledException``, the transaction's ``members``
      (positions) are given ``reason`` as the code of their cancellation reason.
    * ``drop``: the connection is closed without an answer.
    * ``unprocessed``: each member of a batch is left unprocessed with this probability.

    Errors, drops and latency come before the operation, which then does not happen; or ``after``
    it took effect, so that only the answer is lost or late.
    """

    operations: Collection[str] | None = None
    rate: float = 1.0
    times: int | None = None
    error: str | None = None
    message: str | None = None
    members: Collection[int] = (0,)
    reason: str = "TransactionConflict"
    latency: float = 0.0
    drop: bool = False
    unprocessed: float = 0.0
    after: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.operations, str):
            object.__setattr__(self, "operations", frozenset((self.operations,)))
        elif self.operations is not None:
            object.__setattr__(self, "operations", frozenset(self.operations))
        object.__setattr__(self, "members", frozenset(self.members))
        unknown = sorted(set(self.operations or ()) - OPERATIONS - STREAM_OPERATIONS)
        if unknown:
            raise ValueError(f"no such operation: {', '.join(unknown)}")
        for name in ("rate", "unprocessed"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"a fault's {name} lies between 0 and 1")
        if self.latency < 0:
            raise ValueError("a fault's latency cannot be negative")
        self._check_effects()

    def _check_effects(self) -> None:
        if not (self.error or self.latency or self.drop or self.unprocessed):
            raise ValueError("a fault needs an error, latency, drop or unprocessed")
        if self.error and self.drop:
            raise ValueError("a fault cannot both answer with an error and drop the connection")
        if self.unprocessed and (self.error or self.latency or self.drop):
            raise ValueError("a fault that leaves batch members unprocessed does nothing else")

    def concerns(self, operation: str) -> bool:
        """True if this fault may happen to ``operation``."""
        if self.unprocessed and operation not in BATCHES:
            return False
        return self.operations is None or operation in self.operations


@dataclasses.dataclass(frozen=True)
class Realism:
    """How much like the real service the engine behaves towards its callers."""

    #: Seconds by which global indexes, and reads that do not ask for consistency, lag behind.
    lag: float = 0.0
    #: Whether provisioned throughput (and on-demand maxima) of tables and global indexes bind.
    throughput: bool = False
    #: Whether one partition key may use only 1000 write and 3000 read units a second.
    partitions: bool = False
    #: How many seconds' worth of unused throughput can be saved up; new tables start with it.
    burst: float = 300.0
    #: Seconds for which a new table is CREATING, and a deleted one DELETING.
    table_delay: float = 0.0
    #: What goes wrong now and then.
    faults: tuple[Fault, ...] = ()
    #: Where the random choices of faults start; the same seed makes the same choices.
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "faults", tuple(self.faults))
        if self.lag < 0:
            raise ValueError("the lag cannot be negative")
        if self.table_delay < 0:
            raise ValueError("the table delay cannot be negative")
        if self.burst < 1:
            raise ValueError("the burst is at least one second's worth")

    @classmethod
    def parse(cls, text: str | bytes) -> Realism:
        """Settings from JSON; raises ValueError that says what is wrong with it."""
        try:
            given = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ValueError(f"the realism settings are not JSON: {error}") from None
        fields = _fields(cls, given, "realism")
        faults = fields.get("faults", [])
        if not isinstance(faults, list):
            raise ValueError("'faults' has to be a list")
        fields["faults"] = tuple(Fault(**_fields(Fault, fault, "a fault")) for fault in faults)
        return cls(**fields)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Realism:
        """Settings from a JSON file."""
        return cls.parse(Path(path).read_bytes())


_KINDS: dict[str, tuple[type, ...]] = {
    "lag": (int, float),
    "throughput": (bool,),
    "partitions": (bool,),
    "burst": (int, float),
    "table_delay": (int, float),
    "faults": (list,),
    "seed": (int,),
    "operations": (list, str),
    "rate": (int, float),
    "times": (int,),
    "error": (str,),
    "message": (str,),
    "members": (list,),
    "reason": (str,),
    "latency": (int, float),
    "drop": (bool,),
    "unprocessed": (int, float),
    "after": (bool,),
}


def _fields(kind: type, given: object, what: str) -> dict[str, Any]:
    """The JSON object ``given``, if its fields are those of the dataclass ``kind``."""
    if not isinstance(given, dict):
        raise ValueError(f"{what} has to be a JSON object")
    known = [field.name for field in dataclasses.fields(kind)]
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"{what} has no field {name!r}; it has {', '.join(known)}")
        wanted = _KINDS[name]
        if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
            words = " or ".join(each.__name__ for each in wanted)
            raise ValueError(f"{name!r} of {what} has to be of type {words}")
    return dict(given)
