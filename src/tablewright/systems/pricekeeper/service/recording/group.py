"""The reports that go into one transaction, and what it writes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from tablewright.model import Op, together
from tablewright.systems.pricekeeper.recording import flush
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.gates import GateKey
from tablewright.systems.pricekeeper.rules.rows import Sums, UsageId, counter_ends
from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.slot import Writer
from tablewright.systems.pricekeeper.spend import Gate, Ledger, Reservation, UsageCounter

#: How gates move with rows and the promises that they keep; see :mod:`reservations`.
GatesFor: TypeAlias = Callable[
    [Iterable[tuple[Account, Ledger]], Iterable[Reservation]], Sequence[Gate]
]
#: What DynamoDB takes in one transaction.
MAX_ACTIONS = 100


class Group:
    """Reports of one organisation that fit into one transaction."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], Entry] = {}
        self._counts: set[UsageId] = set()
        self._promises: set[str] = set()
        self._gates: set[GateKey] = set()
        self._actions = 0

    @property
    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def add(self, entry: Entry) -> bool:
        """Take a report in; False if there is no room for it.

        The same id again takes no room: what becomes of the first decides about it.
        """
        first = self._entries.get(entry.key)
        if first is not None:
            first.followers.append(entry)
            return True
        if self._actions + self._needs(entry) > MAX_ACTIONS:
            return False
        self._actions += self._needs(entry)
        self._entries[entry.key] = entry
        self._counts.add(entry.count)
        self._gates.update(entry.gates)
        self._keep_once(entry)
        return True

    def _keep_once(self, entry: Entry) -> None:
        """Of two reports that keep the same promise, the second counts in full."""
        if entry.promise is not None:
            uuid = entry.promise.reservation_uuid
            if uuid in self._promises:
                entry.promise = None
            self._promises.add(uuid)

    def _needs(self, entry: Entry) -> int:
        """The actions that a report adds: its row, and what others do not need already."""
        gates = sum(key not in self._gates for key in entry.gates)
        return 1 + (entry.count not in self._counts) + (entry.promise is not None) + gates


def take(queue: deque[Entry]) -> Group:
    """As many reports from the front of a queue as one transaction holds."""
    group = Group()
    while queue and group.add(queue[0]):
        queue.popleft()
    return group


# --- what is written -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Written:
    """One transaction, part by part in the order of its members."""

    writer: Writer
    flush_id: str
    number: int
    entries: Sequence[Entry]
    rows: Sequence[Ledger]
    counts: Sequence[UsageCounter]
    #: The entries that keep promises.
    promised: Sequence[Entry]
    gates: Sequence[Gate]
    sums: dict[UsageId, Sums]

    def op(self) -> Op[object]:
        """The transaction; its token makes it harmless to send it again."""
        made = flush(self.rows, self.counts, promises_of(self.promised), self.gates)
        return together(made).with_token(self.flush_id)


def written(
    entries: Sequence[Entry],
    shards: dict[UsageId, int],
    writer: Writer,
    *,
    flush_id: str,
    number: int,
    now: int,
    gates_for: GatesFor,
) -> Written:
    """What records these reports."""
    rows = [entry.row(flush_id) for entry in entries]
    sums: dict[UsageId, Sums] = {}
    accounts: dict[UsageId, Account] = {}
    for entry, row in zip(entries, rows, strict=True):
        key = entry.count
        if key not in sums:
            sums[key], accounts[key] = Sums(), entry.account
        sums[key].add(row)
    counts = [
        counter(accounts[key], key, each, writer.shard(shards[key]), now, {writer.field: number})
        for key, each in sums.items()
    ]
    promised = [entry for entry in entries if entry.promise is not None]
    gated = [(each.account, row) for each, row in zip(entries, rows, strict=True) if each.gates]
    gates = gates_for(gated, promises_of(promised)) if gated or promised else ()
    return Written(writer, flush_id, number, entries, rows, counts, promised, gates, sums)


def promises_of(entries: Iterable[Entry]) -> list[Reservation]:
    """The promises that reports keep."""
    return [entry.promise for entry in entries if entry.promise is not None]


def counter(
    account: Account,
    key: UsageId,
    sums: Sums,
    shard: int,
    now: int,
    flushes: dict[str, int] | None = None,
) -> UsageCounter:
    """What is added to one shard of a count."""
    return UsageCounter(
        org_id=key.org_id,
        app_id=key.app_id,
        label=key.label,
        shard=shard,
        day=key.day,
        **sums.values(),
        **(flushes or {}),
        updated_at_epoch=datetime.fromtimestamp(now, UTC),
        expires_at_epoch=datetime.fromtimestamp(counter_ends(account, key.day, now), UTC),
    )
