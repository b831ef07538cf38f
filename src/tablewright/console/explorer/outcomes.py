"""A run as its page shows it: results in tables, units beside the plan, requests as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import orjson
from pydantic import BaseModel

from tablewright.client.events import Consumed
from tablewright.console.explorer.explaining import Refusal
from tablewright.console.explorer.grounds import Ground
from tablewright.console.explorer.jsonable import as_text, in_a_cell, jsonable, members
from tablewright.console.explorer.recording import Exchange
from tablewright.console.explorer.running import Run
from tablewright.plan.loads import Load
from tablewright.plan.units import Place

#: Of a request or an answer; there may be twenty of them.
_MOST_BODY = 16_000


@dataclass(frozen=True)
class Group:
    """Results of one kind."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    #: All of them, decoded.
    json: str


@dataclass(frozen=True)
class UnitsRow:
    """What was used of a table or an index, beside what is planned for one call."""

    place: str
    reads: float
    writes: float
    planned_reads: float
    planned_writes: float

    @property
    def tells(self) -> bool:
        """An index is read without its table, which is then reported with no units."""
        return bool(self.reads or self.writes or self.planned_reads or self.planned_writes)


@dataclass(frozen=True)
class ExchangeView:
    """A request and its answer."""

    operation: str
    request: str
    response: str
    seconds: float
    error: str
    item_count: int


@dataclass(frozen=True)
class Outcome:
    """What the page says of a run."""

    ground: str
    refusal: Refusal | None
    #: A result that is one value: a count.
    value: str
    count: int
    groups: tuple[Group, ...]
    units: tuple[UnitsRow, ...]
    exchanges: tuple[ExchangeView, ...]
    seconds: float
    cursor: str

    @property
    def reads(self) -> float:
        return sum(row.reads for row in self.units)

    @property
    def writes(self) -> float:
        return sum(row.writes for row in self.units)


def outcome_of(run: Run, ground: Ground, load: Load | None) -> Outcome:
    """The whole of it."""
    groups = groups_of(run.result)
    return Outcome(
        ground=run.ground,
        refusal=run.refusal,
        value=str(run.result) if isinstance(run.result, int | str | float) else "",
        count=sum(len(each.rows) for each in groups),
        groups=groups,
        units=units_of(run.exchanges, ground, load),
        exchanges=tuple(map(exchange_view, run.exchanges)),
        seconds=run.seconds,
        cursor=run.cursor,
    )


# --- results -------------------------------------------------------------------------------


def groups_of(result: object) -> tuple[Group, ...]:
    """Results by what they are: of a query by entity, of a collection by its parts."""
    found: dict[str, list[object]] = {}
    for title, each in _single(result):
        if each is not None:
            found.setdefault(title, []).append(each)
    return tuple(_group(title, every) for title, every in found.items())


def _single(result: object) -> Iterable[tuple[str, object]]:
    if isinstance(result, BaseModel):
        yield type(result).__name__, result
    elif dataclasses.is_dataclass(result) and not isinstance(result, Sequence | type):
        for each in dataclasses.fields(result):
            yield from _titled(each.name, getattr(result, each.name))
    elif isinstance(result, Sequence) and not isinstance(result, str | bytes):
        for each in result:
            yield from _single(each)


def _titled(title: str, value: object) -> Iterable[tuple[str, object]]:
    many = value if isinstance(value, list | tuple) else [value]
    yield from ((title, each) for each in many)


def _group(title: str, every: Sequence[object]) -> Group:
    parts = [members(each) or {"value": each} for each in every]
    columns = tuple(dict.fromkeys(name for each in parts for name in each))
    rows = tuple(tuple(in_a_cell(jsonable(each.get(name))) for name in columns) for each in parts)
    return Group(title, columns, rows, as_text(every[0] if len(every) == 1 else every))


# --- units ---------------------------------------------------------------------------------


def units_of(
    exchanges: Iterable[Exchange], ground: Ground, load: Load | None
) -> tuple[UnitsRow, ...]:
    """By table and index, those that are only planned too."""
    used = _used(each for exchange in exchanges for each in exchange.consumed)
    named = {Place(ground.logical(place.table), place.index): each for place, each in used.items()}
    planned = () if load is None else load.units.places
    rows = (_units_row(place, named, load) for place in dict.fromkeys((*named, *planned)))
    return tuple(each for each in rows if each.tells)


def _used(consumed: Iterable[Consumed]) -> dict[Place, tuple[float, float]]:
    found: dict[Place, tuple[float, float]] = {}
    for each in consumed:
        place = Place(each.table, each.index)
        reads, writes = found.get(place, (0.0, 0.0))
        found[place] = (reads + each.read_units, writes + each.write_units)
    return found


def _units_row(
    place: Place, used: Mapping[Place, tuple[float, float]], load: Load | None
) -> UnitsRow:
    reads, writes = used.get(place, (0.0, 0.0))
    planned = None if load is None else load.units
    return UnitsRow(
        str(place),
        reads,
        writes,
        0.0 if planned is None else planned.read.get(place, 0.0),
        0.0 if planned is None else planned.write.get(place, 0.0),
    )


# --- requests ------------------------------------------------------------------------------


def exchange_view(exchange: Exchange) -> ExchangeView:
    return ExchangeView(
        exchange.operation,
        as_text(orjson.loads(exchange.request), _MOST_BODY),
        as_text(orjson.loads(exchange.response), _MOST_BODY),
        exchange.seconds,
        exchange.error,
        len(exchange.items),
    )
