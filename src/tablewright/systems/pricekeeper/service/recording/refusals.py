"""Why a flush was cancelled, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tablewright.model.errors import ConditionFailed, Failure, Unavailable
from tablewright.systems.pricekeeper.service.recording.entry import Entry
from tablewright.systems.pricekeeper.service.recording.group import Written
from tablewright.systems.pricekeeper.spend import Ledger


@dataclass(slots=True)
class Refusals:
    """What the store refused, and why."""

    #: The very same transaction is in the ledger: an attempt before had succeeded.
    committed: bool = False
    #: Reports whose id is taken, by place, and the row that has it.
    taken: dict[int, object] = field(default_factory=dict)
    #: Counters that a later flush of the same slot has written to.
    overtaken: list[object] = field(default_factory=list)
    #: Reports whose promise is gone: it ended, or another report kept it.
    unpromised: list[Entry] = field(default_factory=list)
    #: Gates of a day that is long over.
    gates_ended: bool = False


def refusals_of(made: Written, failures: Sequence[Failure]) -> Refusals:
    """The refusals of a cancelled flush. Raises what neither time nor we can mend."""
    found = Refusals()
    counts = len(made.rows)
    promises = counts + len(made.counts)
    gates = promises + len(made.promised)
    for failure in failures:
        place, error = failure.position, failure.error
        if not isinstance(error, ConditionFailed):
            if not isinstance(error, Unavailable):
                raise error
        elif place < counts:
            found.taken[place] = error.item
            found.committed |= _is_of(made, error.item)
        elif place < promises:
            found.overtaken.append(error.item)
        elif place < gates:
            found.unpromised.append(made.promised[place - promises])
        else:
            found.gates_ended = True
    return found


def _is_of(made: Written, stored: object) -> bool:
    return isinstance(stored, Ledger) and stored.flush_id == made.flush_id
