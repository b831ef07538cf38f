"""What callers and workers write: records, counts, totals, promises, closed labels.

Where a counter or a gate is given, its numbers are what is added to the stored ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from tablewright.model import (
    Check,
    Condition,
    Delete,
    Put,
    Rate,
    Update,
    attr,
    check,
    delete,
    put,
    transaction,
    update,
    write,
)
from tablewright.systems.pricekeeper.shapes import TotalKey
from tablewright.systems.pricekeeper.spend import (
    AMOUNTS,
    WRITER_FIELDS,
    AlertSent,
    Dirty,
    Exhausted,
    Gate,
    Ledger,
    RecentAlert,
    Reservation,
    StreamCheckpoint,
    Total,
    UsageCounter,
)

#: What a correction changes, and the field of the original that keeps the net amount.
NET = {
    "cost_usd_picos": "net_cost_picos",
    "input_tokens": "net_input_tokens",
    "output_tokens": "net_output_tokens",
    "cache_read_tokens": "net_cache_read_tokens",
    "cache_write_tokens": "net_cache_write_tokens",
}


def _counted(delta: UsageCounter) -> Update[UsageCounter]:
    """One list of additions, and the flush that made them.

    The number of a writer's flush never falls: who has lost the slot and does not know it yet is
    refused.
    """
    amounts = {name: getattr(delta, name) for name in AMOUNTS}
    flushes = {name: no for name in WRITER_FIELDS if (no := getattr(delta, name))}
    # Fields by name are references to anything, for a type checker.
    counter: Any = UsageCounter
    changed = (
        update(UsageCounter, delta.org_id, delta.app_id, delta.label, delta.shard, delta.day)
        .upsert()
        .do(
            *(attr(getattr(counter, name)).add(by) for name, by in amounts.items() if by),
            *(attr(getattr(counter, name)).set(no) for name, no in flushes.items()),
            attr(UsageCounter.updated_at_epoch).set(delta.updated_at_epoch),
            attr(UsageCounter.expires_at_epoch).set(delta.expires_at_epoch),
        )
    )
    for name, no in flushes.items():
        last = attr(getattr(counter, name))
        changed = changed.when(last.missing() | (last <= no))
    return changed


def _moved(gate: Gate) -> Update[Gate]:
    return (
        update(Gate, gate.scope, gate.day, gate.label)
        .upsert()
        .do(
            attr(Gate.granted_picos).add(gate.granted_picos),
            attr(Gate.spent_picos).add(gate.spent_picos),
            attr(Gate.expires_at_epoch).set_if_missing(gate.expires_at_epoch),
        )
    )


# --- recording -----------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(1, peak=500), expect=11)
def flush(
    rows: Sequence[Ledger],
    counts: Sequence[UsageCounter],
    kept: Sequence[Reservation] = (),
    gates: Sequence[Gate] = (),
) -> list[Put[Ledger] | Update[UsageCounter] | Delete[Reservation] | Update[Gate]]:
    """Records of one organisation and all that they count, at most 100 writes. [2]

    A record that is there already cancels all; it comes back with the refusal. Promises that were
    kept go, and their gates move from what was promised to what was spent.
    """
    return [
        # The same as put(row).new(), made once instead of twice: there are a hundred.
        *(Put(row, "new") for row in rows),
        *map(_counted, counts),
        *(delete(each).existing() for each in kept),
        *map(_moved, gates),
    ]


@write(component="api", rate=Rate(1, peak=500))
def record_for_stream(row: Ledger) -> Put[Ledger]:
    """One record that the fold will count; its id is as unique as any. [2]"""
    return put(row).new()


@transaction(component="fold", rate=Rate(0.07), expect=9)
def fold(
    checkpoint: StreamCheckpoint, previous: str | None, counts: Sequence[UsageCounter]
) -> tuple[Put[StreamCheckpoint], *tuple[Update[UsageCounter], ...]]:
    """What a piece of the stream counts, once: only after the piece before it. [2]"""
    moved = put(checkpoint)
    if previous is None:
        return moved.new(), *map(_counted, counts)
    follows = attr(StreamCheckpoint.sequence) == previous
    return moved.when(follows), *map(_counted, counts)


@transaction(component="api", rate=Rate(0.001), expect=4)
def correct(
    correction: Ledger,
    original: Ledger,
    count: UsageCounter,
    dirty: Dirty,
    final: Sequence[TotalKey] = (),
    gates: Sequence[Gate] = (),
) -> list[
    Put[Ledger]
    | Update[Ledger]
    | Update[UsageCounter]
    | Update[Dirty]
    | Update[Total]
    | Update[Gate]
]:
    """A signed row on the original's day, as long as nothing of it falls below zero. [2]

    Corrections of one record come one after the other, each pointing to the one before. Totals
    that were final are open again, and the count is marked to be summed.
    """
    reopened = (update(Total, *key).do(attr(Total.final).set(False)) for key in final)
    return [
        put(correction).new(),
        _corrected(correction, original),
        _counted(count),
        _marked(dirty),
        *reopened,
        *map(_moved, gates),
    ]


def _corrected(correction: Ledger, original: Ledger) -> Update[Ledger]:
    amounts = {net: getattr(correction, name) for name, net in NET.items()}
    row: Any = Ledger
    latest = attr(Ledger.last_correction)
    before = original.last_correction
    changed = update(Ledger, original.org_id, original.app_id, original.bucket, original.request_id)
    changed = changed.do(
        *(attr(getattr(row, net)).add(by) for net, by in amounts.items() if by),
        latest.set(correction.request_id),
    ).when(latest.missing() if before is None else latest == before)
    for net, by in amounts.items():
        if by < 0:
            changed = changed.when(attr(getattr(row, net)) >= -by)
    return changed


@transaction(component="cli", rate=Rate(0.0001), expect=9)
def repair_count(
    delta: UsageCounter, revs: Sequence[int | None], dirty: Dirty
) -> list[Update[UsageCounter] | Check[UsageCounter] | Update[Dirty]]:
    """What a count lacks, unless one of its shards has changed since they were read. [11]

    ``revs`` are those of its shards in order; None is a shard that is not there.
    """
    rev = attr(UsageCounter.rev)
    where = (delta.org_id, delta.app_id, delta.label)
    others: list[Check[UsageCounter]] = []
    for shard, seen in enumerate(revs):
        if shard != delta.shard:
            same = check(UsageCounter, *where, shard, delta.day)
            others.append(same.absent() if seen is None else same.when(rev == seen))
    own = revs[delta.shard]
    repaired = _counted(delta).when(rev.missing() if own is None else rev == own)
    return [repaired, *others, _marked(dirty)]


# --- totals --------------------------------------------------------------------------------------


def _marked(dirty: Dirty) -> Update[Dirty]:
    return (
        update(Dirty, dirty.slot, dirty.org_id, dirty.day, dirty.app_id, dirty.label)
        .upsert()
        .do(
            attr(Dirty.dirty_until_epoch).set(dirty.dirty_until_epoch),
            attr(Dirty.shard_count).set_if_missing(dirty.shard_count),
            attr(Dirty.expires_at_epoch).set(dirty.expires_at_epoch),
        )
    )


@write(component="api", rate=Rate(0.5, peak=10))
def mark_dirty(dirty: Dirty) -> Update[Dirty]:
    """Say that a count will be written to; tells how many shards it has on its day. [3]"""
    return _marked(dirty)


@write(component="api", rate=Rate(0.001))
def mark_dirty_anew(dirty: Dirty) -> Put[Dirty]:
    """The same where a mark of long ago has ended and is not deleted yet. [3]"""
    return put(dirty).new()


@write(component="aggregator", rate=Rate(1.5, peak=30))
def publish_total(total: Total) -> Put[Total]:
    """A total, unless a later lease or a later sum has written it. [3]"""
    later = (attr(Total.fence) <= total.fence) & (attr(Total.rev) <= total.rev)
    return put(total).when(attr(Total.fence).missing() | later)


@write(component="finaliser", rate=Rate(0.01))
def finish_total(key: TotalKey, fence: int) -> Update[Total]:
    """Nothing can come in any more: the window for late records is over. [3]"""
    return update(Total, *key).do(attr(Total.final).set(True)).when(attr(Total.fence) <= fence)


# --- closed labels and alerts --------------------------------------------------------------------


@write(component="api", rate=Rate(0.01, peak=5))
def exhaust(row: Exhausted) -> Update[Exhausted]:
    """Close labels for the day, under the limits that they were found used up by. [1]"""
    changed = (
        update(Exhausted, row.scope, row.day)
        .upsert()
        .do(
            attr(Exhausted.exhausted_labels).add_members(row.exhausted_labels),
            attr(Exhausted.config_version).set(row.config_version),
            attr(Exhausted.active_model_label).set(row.active_model_label),
            attr(Exhausted.previous_model_label).set(row.previous_model_label),
            attr(Exhausted.reason).set(row.reason),
            attr(Exhausted.activated_at_epoch).set(row.activated_at_epoch),
            attr(Exhausted.expires_at_epoch).set_if_missing(row.expires_at_epoch),
        )
    )
    version = attr(Exhausted.config_version)
    return changed.when(version.missing() | (version == row.config_version))


@write(component="api", rate=Rate(0.001))
def replace_exhausted(row: Exhausted) -> Put[Exhausted]:
    """Start anew after the settings have changed: what an older version closed is forgotten. [1]"""
    return put(row).when(attr(Exhausted.config_version) < row.config_version)


@write(component="api", rate=Rate(0.001))
def restore_labels(scope: str, day: str, labels: Iterable[str], now: datetime) -> Update[Exhausted]:
    """Open labels again for the rest of the day, by hand. [1]"""
    return update(Exhausted, scope, day).do(
        attr(Exhausted.exhausted_labels).delete_members(labels),
        attr(Exhausted.reason).set("MANUAL_OVERRIDE"),
        attr(Exhausted.activated_at_epoch).set(now),
    )


@write(component="aggregator", rate=Rate(0.01, peak=1))
def remember_alert(alert: AlertSent) -> Put[AlertSent]:
    """That an alert goes out; who is refused need not send it. [13]"""
    return put(alert).new()


@write(component="aggregator", rate=Rate(0.01, peak=1))
def list_alert(alert: RecentAlert) -> Put[RecentAlert]:
    """An alert among those of all organisations; written with ``remember_alert``. [13]"""
    return put(alert)


# --- promises ------------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.1, peak=20), expect=3)
def reserve(
    reservation: Reservation, gates: Sequence[tuple[Gate, int]]
) -> tuple[Put[Reservation], *tuple[Update[Gate], ...]]:
    """Promise spend, if every gate has room: each is given with the most it may hold before. [12]

    The room is what the limit leaves after the promise; DynamoDB's conditions do not reckon.
    """
    claimed = (_moved(gate).when(_has_room(room)) for gate, room in gates)
    return put(reservation).new(), *claimed


@transaction(component="api", rate=Rate(0.01), expect=3)
def release(
    reservation: Reservation, gates: Sequence[Gate]
) -> tuple[Delete[Reservation], *tuple[Update[Gate], ...]]:
    """Give a promise back before it ends. [12]"""
    return delete(reservation).existing(), *map(_moved, gates)


@transaction(component="sweeper", rate=Rate(0.01, peak=1), expect=3)
def sweep_reservation(
    reservation: Reservation, gates: Sequence[Gate]
) -> tuple[Delete[Reservation], *tuple[Update[Gate], ...]]:
    """Take an ended promise out of its gates, once. [12]"""
    return delete(reservation).existing(), *map(_moved, gates)


def _has_room(room: int) -> Condition:
    granted = attr(Gate.granted_picos)
    return granted.missing() | (granted <= room)
