"""Throughput that runs out: of tables, of global indexes, of single partitions.

Each of them has a bucket of units for reads and one for writes, filled at its rate. A request is
admitted while the bucket holds anything, and is charged for what it really used afterwards, so
that a bucket can go into debt; that is how the service treats requests whose cost it does not
know beforehand.

A write is refused if a global index it has to change cannot keep up, as on AWS.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tablewright.clock import Clock
from tablewright.engine.capacity import Units, write_units
from tablewright.engine.errors import AwsError
from tablewright.engine.items.writes import Row, read_row
from tablewright.engine.schema import Index, Table
from tablewright.engine.storage.transaction import ANSWERS, Transaction

if TYPE_CHECKING:
    from tablewright.engine.items.changes import Change
    from tablewright.values import Item

Kind: TypeAlias = Literal["Read", "Write"]
Place: TypeAlias = tuple[str, str | None, Kind, bytes | None]

#: What one partition can serve in a second.
PARTITION_UNITS: dict[Kind, float] = {"Read": 3000.0, "Write": 1000.0}
#: Buckets that are full again are forgotten when there are more than this.
MANY_BUCKETS = 10_000

TABLE_EXCEEDED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
INDEX_EXCEEDED = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the "
    "under-provisioned global secondary indexes with the UpdateTable API."
)
HOT = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if "
    "you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
)
OVER_MAXIMUM = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"

#: The error codes, as a transaction's cancellation reasons spell them.
_REASON_CODES = {
    "ProvisionedThroughputExceededException": "ProvisionedThroughputExceeded",
    "ThrottlingException": "ThrottlingError",
}


@dataclass(frozen=True, slots=True)
class Source:
    """What units are taken from: a table or index, and perhaps one partition of it."""

    table: Table
    index: Index | None
    kind: Kind
    pk: bytes | None = None

    @property
    def place(self) -> Place:
        """What the bucket is known by; the same for a table and for a stale copy of it."""
        index = None if self.index is None else self.index.name
        return self.table.body["TableId"], index, self.kind, self.pk

    @property
    def on_demand(self) -> bool:
        return bool(self.table.body.get("BillingMode") == "PAY_PER_REQUEST")

    def rate(self) -> float | None:
        """Units a second; None if there is no bound."""
        if self.pk is not None:
            return PARTITION_UNITS[self.kind]
        body = self.table.body if self.index is None else self.index.body
        if self.on_demand:
            bound = (body.get("OnDemandThroughput") or {}).get(f"Max{self.kind}RequestUnits", -1)
        else:
            bound = body["ProvisionedThroughput"][f"{self.kind}CapacityUnits"]
        return float(bound) if bound > 0 else None

    def exceeded(self) -> AwsError:
        """The error that says that there is nothing left."""
        if self.pk is not None:
            limit = "KeyRangeThroughputExceeded"
        elif self.on_demand:
            limit = "MaxOnDemandThroughputExceeded"
        else:
            limit = "ProvisionedThroughputExceeded"
        arn = self.table.arn if self.index is None else f"{self.table.arn}/index/{self.index.name}"
        what = "Table" if self.index is None else "Index"
        reasons = [{"reason": f"{what}{self.kind}{limit}", "resource": arn}]
        if self.on_demand:
            text = HOT if self.pk is not None else OVER_MAXIMUM
            return AwsError("ThrottlingException", text, throttlingReasons=reasons)
        text = TABLE_EXCEEDED if self.index is None else INDEX_EXCEEDED
        code = "ProvisionedThroughputExceededException"
        return AwsError(code, text, ThrottlingReasons=reasons)


class Bucket:
    """Units that are there to be used."""

    __slots__ = ("moment", "room", "units")

    def __init__(self, now: float, room: float) -> None:
        self.moment = now
        self.room = room
        self.units = room

    def fill(self, now: float, rate: float, room: float) -> None:
        """Add what has come in since the last time."""
        if now > self.moment:
            self.units += (now - self.moment) * rate
        self.moment = now
        self.room = room
        self.units = min(self.units, room)


class Throttle:
    """All buckets of an engine."""

    def __init__(self, clock: Clock, throughput: bool, partitions: bool, burst: float) -> None:
        self._clock = clock
        self._throughput = throughput
        self._partitions = partitions
        self._burst = burst
        self._buckets: dict[Place, Bucket] = {}
        self._changing = threading.Lock()

    # --- reading ---------------------------------------------------------------------

    def admit_read(self, table: Table, index: Index | None = None, pk: bytes | None = None) -> None:
        """Raise if there is nothing left to read with; ``pk`` is the only partition read."""
        owner = index if index is not None and index.is_global else None
        self._admit(Source(table, owner, "Read", pk))

    def charge_read(
        self, table: Table, units: Units, index: Index | None = None, pk: bytes | None = None
    ) -> None:
        if index is not None and index.is_global:
            self._charge(Source(table, index, "Read", pk), units.globals.get(index.name, 0.0))
        else:
            self._charge(Source(table, None, "Read", pk), units.total)

    def refusal_of_read(self, table: Table, pk: bytes) -> AwsError | None:
        """The error :meth:`admit_read` would raise."""
        return _raised(lambda: self.admit_read(table, pk=pk))

    def refused_reads(
        self, tables: list[Table], pks: list[bytes]
    ) -> list[dict[str, object]] | None:
        """The cancellation reasons of a reading transaction; None if it is admitted."""
        sources = [[Source(table, None, "Read", pk)] for table, pk in zip(tables, pks, strict=True)]
        return self._reasons(sources)

    # --- writing ---------------------------------------------------------------------

    def admit_change(self, transaction: Transaction, change: Change) -> None:
        """Raise if there is nothing left to write with; charges for a condition that fails."""
        table, pk = change.table, change.key[0]
        self._admit(Source(table, None, "Write", pk))
        row = read_row(transaction, table, change.key)
        if change.refused_by(row):
            self._charge_refusal(change, row)
            return
        for source in _index_sources(change, row):
            self._admit(source)

    def charge_change(
        self, change: Change, row: Row | None, item: Item | None, units: Units
    ) -> None:
        """Take what a change has used."""
        own = units.table + sum(units.local.values())
        self._charge(Source(change.table, None, "Write", change.key[0]), own)
        for name, used in units.globals.items():
            places = _partitions(change.table.indexes[name], row, item)
            for position, pk in enumerate(places):
                # The index as a whole is charged once, and its partitions share.
                source = Source(change.table, change.table.indexes[name], "Write", pk)
                self._charge(source, used, used / len(places), whole=position == 0)

    def refusal_of_change(self, transaction: Transaction, change: Change) -> AwsError | None:
        """The error :meth:`admit_change` would raise."""
        return _raised(lambda: self.admit_change(transaction, change))

    def refused_changes(
        self, transaction: Transaction, changes: list[Change]
    ) -> list[dict[str, object]] | None:
        """The cancellation reasons of a writing transaction; None if it is admitted."""
        rows = [read_row(transaction, change.table, change.key) for change in changes]
        sources = [
            [Source(change.table, None, "Write", change.key[0]), *_index_sources(change, row)]
            for change, row in zip(changes, rows, strict=True)
        ]
        reasons = self._reasons(sources)
        if reasons is None and any(map(_refused, changes, rows)):
            for change, row in zip(changes, rows, strict=True):
                self._charge_refusal(change, row, 2)
        return reasons

    def _charge_refusal(self, change: Change, row: Row | None, times: int = 1) -> None:
        units = write_units(row.size if row is not None else 0) * times
        self._charge(Source(change.table, None, "Write", change.key[0]), units)

    # --- buckets ---------------------------------------------------------------------

    def _admit(self, source: Source) -> None:
        for part in self._parts(source):
            with self._changing:
                bucket = self._bucket(part)
                if bucket is not None and bucket.units <= 0:
                    raise part.exceeded()

    def _charge(
        self, source: Source, units: float, of_partition: float | None = None, whole: bool = True
    ) -> None:
        for part in self._parts(source):
            if part.pk is None and not whole:
                continue
            used = units if part.pk is None or of_partition is None else of_partition
            with self._changing:
                bucket = self._bucket(part)
                if bucket is not None:
                    bucket.units -= used

    def _reasons(self, sources: list[list[Source]]) -> list[dict[str, Any]] | None:
        reasons: list[dict[str, Any]] = []
        for each in sources:
            try:
                for source in each:
                    self._admit(source)
                reasons.append({"Code": "None"})
            except AwsError as error:
                reasons.append({"Code": _REASON_CODES[error.code], "Message": error.message})
        return reasons if any("Message" in reason for reason in reasons) else None

    def _parts(self, source: Source) -> Iterator[Source]:
        if self._throughput:
            yield replace(source, pk=None)
        if self._partitions and source.pk is not None:
            yield source

    def _bucket(self, source: Source) -> Bucket | None:
        rate = source.rate()
        if rate is None:
            return None
        now = self._clock.now()
        room = rate if source.pk is not None else rate * self._burst
        place = source.place
        bucket = self._buckets.get(place)
        if bucket is None:
            if len(self._buckets) >= MANY_BUCKETS:
                self._forget_full(now)
            bucket = self._buckets[place] = Bucket(now, room)
        bucket.fill(now, rate, room)
        return bucket

    def _forget_full(self, now: float) -> None:
        for place, bucket in list(self._buckets.items()):
            # Only a partition's bucket fills up within a second of being used.
            if place[3] is not None:
                bucket.fill(now, PARTITION_UNITS[place[2]], bucket.room)
                if bucket.units >= bucket.room:
                    del self._buckets[place]


def _raised(action: Callable[[], object]) -> AwsError | None:
    try:
        action()
    except AwsError as error:
        return error
    return None


def _refused(change: Change, row: Row | None) -> bool:
    return change.refused_by(row)


def _index_sources(change: Change, row: Row | None) -> list[Source]:
    """The global indexes that ``change`` has to write to, with the partitions concerned."""
    if change.next is None or change.refused_by(row):
        return []
    try:
        item, _ = change.outcome(row)
    except ANSWERS:
        return []  # refused for a reason of its own, which is found again in a moment
    before = row.item if row is not None else None
    return [
        Source(change.table, index, "Write", pk)
        for index in change.table.indexes.values()
        if index.is_global and _touched(index, before, item)
        for pk in _partitions(index, row, item)
    ]


def _touched(index: Index, before: Item | None, item: Item | None) -> bool:
    was = index.key_of(before) if before is not None else None
    now = index.key_of(item) if item is not None else None
    if was is None or now is None or was != now or before is None or item is None:
        return was != now
    return index.project(before) != index.project(item)


def _partitions(index: Index, row: Row | None, item: Item | None) -> list[bytes]:
    """The partitions of an index in which an item stood and will stand."""
    before = row.item if row is not None else None
    places = [index.key_of(each) for each in (before, item) if each is not None]
    return list(dict.fromkeys(place[0] for place in places if place is not None))
