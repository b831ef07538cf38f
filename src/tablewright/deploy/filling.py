"""Going through a table and repairing its items, in segments, at a pace, from where it stopped.

Each segment is a flow of its own: a page is read, its items are repaired one by one, the checkpoint
moves on. A crash repeats at most one page of each segment, and repairing twice changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from tablewright.client import Db
from tablewright.client.attempts import Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.setup import ask
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure, Response
from tablewright.deploy.checkpoints import Checkpoint, Counts
from tablewright.deploy.drift import unknown_type
from tablewright.deploy.pace import Pace
from tablewright.deploy.repairs import Repair, Repairs
from tablewright.model.errors import TablewrightError
from tablewright.model.table import Table
from tablewright.values import Item

#: Items in a page: small enough that a pace is kept evenly and a crash repeats little.
PAGE = 100
#: How often one item is looked at again that others keep changing.
_TRIES = 20

Progress = Callable[[Counts], object]


@dataclass
class Filling:
    """One backfill of one table."""

    table: Table
    repairs: Repairs
    checkpoint: Checkpoint
    pace: Pace = field(default_factory=lambda: Pace(None))
    #: Count what would be written, and write nothing.
    dry_run: bool = False
    progress: Progress = lambda counts: None
    #: Set by whoever wants it to end soon.
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, db: Db) -> Counts:
        """All segments at the same time, each in a thread."""
        numbers = range(len(self.checkpoint.segments))
        with ThreadPoolExecutor(len(numbers)) as pool:
            running = [pool.submit(db.drive, self.segment(db.context, each)) for each in numbers]
            try:
                for each in running:
                    each.result()
            except BaseException:
                self.stopped.set()
                raise
        return self.checkpoint.counts

    def segment(self, context: Context, number: int) -> Flow[None]:
        """Everything that is left of one segment."""
        place = self.checkpoint.segments[number]
        while not place.done and not self.stopped.is_set():
            counts = Counts()
            response = yield from self._page(context, number, place.start)
            units = _units(response)
            counts.read_units += units
            yield Pause(self.pace.wait(units))
            try:
                for item in response.body.get("Items") or ():
                    if self.stopped.is_set():
                        self.checkpoint.broken(counts)
                        return  # the page is done again another time
                    yield from self._item(context, item, counts)
            except TablewrightError:
                self.checkpoint.broken(counts)
                raise
            self.checkpoint.moved(number, response.body.get("LastEvaluatedKey"), counts)
            self.progress(self.checkpoint.counts)

    def _page(self, context: Context, number: int, start: dict[str, Any] | None) -> Flow[Response]:
        body: dict[str, Any] = {
            "ConsistentRead": True,
            "Limit": PAGE,
            "Segment": number,
            "TotalSegments": len(self.checkpoint.segments),
            "ReturnConsumedCapacity": "TOTAL",
        }
        if start is not None:
            body["ExclusiveStartKey"] = start
        return (yield from ask(context, self.table, "Scan", body))

    def _item(self, context: Context, item: Item, counts: Counts) -> Flow[None]:
        counts.scanned += 1
        if self.repairs.owner(item) is None:
            counts.others += 1
            _count(counts.unknown, unknown_type(self.table, item))
            return
        current: Item | None = item
        for attempt in range(_TRIES):
            repair = self._needed(current, counts, first=attempt == 0)
            if repair is None:
                return
            if self.dry_run:
                counts.changed += 1
                return
            current = yield from self._write(context, repair, counts)
            if current == {}:
                counts.changed += 1
                return
        self._unreadable(item, f"others changed it {_TRIES} times meanwhile", counts)

    def _needed(self, item: Item | None, counts: Counts, *, first: bool) -> Repair | None:
        """What there is to do; None also if the item is gone, has drifted, or cannot be read."""
        known = self.repairs.owner(item) if item else None
        if not item or known is None:
            return None
        try:
            whole = known.encode(known.decode(item))
            repair = self.repairs.needed(known, item, whole)
        except TablewrightError as error:
            self._unreadable(item, str(error), counts)
            return None
        drifts = list(self.repairs.drifts(known, item, whole))
        for drift in drifts if first else ():
            _count(counts.moved, drift.text)
        # Under the wrong primary key nobody finds the item: an index key would not help.
        return None if any(drift.index is None for drift in drifts) else repair

    def _unreadable(self, item: Item, reason: str, counts: Counts) -> None:
        key = {each.name: item[each.name] for each in self.table.primary()}
        counts.unreadable += 1
        counts.examples.append({"key": key, "reason": reason})

    def _write(self, context: Context, repair: Repair, counts: Counts) -> Flow[Item | None]:
        """An empty item if it was written; else the item as it is now, None if there is none."""
        body = {
            **repair.request(),
            "TableName": context.physical(self.table.name),
            "ReturnConsumedCapacity": "TOTAL",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        call = Call("backfill", None, self.table.name)
        try:
            # Safe to repeat: once it is written, its own condition no longer holds.
            response = yield from send(context, call, "UpdateItem", body)
        except Failure as failure:
            if failure.code != "ConditionalCheckFailedException":
                raise as_service_error(failure) from None
            counts.conflicts += 1
            yield Pause(self.pace.wait(1.0))
            current: Item | None = failure.body.get("Item")
            return current
        units = _units(response)
        counts.write_units += units
        yield Pause(self.pace.wait(units))
        return {}


def _count(found: dict[str, int], text: str | None) -> None:
    if text is not None:
        found[text] = found.get(text, 0) + 1


def _units(response: Response) -> float:
    consumed = response.body.get("ConsumedCapacity") or {}
    return float(consumed.get("CapacityUnits", 0.0))
