"""Running a PartiQL statement: page by page, up to so many rows, in so much time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from tablewright.client.transports import Failure, Request, Unreachable
from tablewright.console.explorer.explaining import Refusal
from tablewright.console.explorer.grounds import MOST_REQUESTS, Ground
from tablewright.console.explorer.jsonable import as_text, in_a_cell
from tablewright.console.explorer.outcomes import ExchangeView, UnitsRow, exchange_view, units_of
from tablewright.console.explorer.recording import items_in
from tablewright.console.explorer.running import in_time
from tablewright.console.explorer.statements import (
    StatementError,
    is_select,
    sendable,
    tables_named,
)
from tablewright.service.problems import FieldError, invalid
from tablewright.values import Item, item_size

#: Rows that are shown.
MOST_ROWS = 100
#: The most bytes of rows that are read for a page.
MOST_BYTES = 2_000_000

_ADVICE = {
    "ResourceNotFoundException": "There are: {tables}. Put the name between double quotes.",
    "DuplicateItemException": "An item with that key is there; UPDATE or DELETE it.",
}


@dataclass(frozen=True)
class Answer:
    """What a statement gave."""

    statement: str
    reads: bool
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    json: str
    #: There is more than is shown.
    more: bool
    size: int
    units: tuple[UnitsRow, ...]
    exchanges: tuple[ExchangeView, ...]
    seconds: float
    refusal: Refusal | None


async def execute(ground: Ground, text: str) -> Answer:
    """Run a statement; the problem 422 if it may not be run at all."""
    statement = _statement(ground, text)
    for name in tables_named(statement):
        await ground.note(f"table/{ground.logical(name)}", "PartiQL")
    started = time.perf_counter()
    items: list[Item] = []
    more, refusal = False, None
    try:
        more = await in_time(_pages(ground, statement, items))
    except (Failure, Unreachable) as error:
        refusal = _refusal(ground, error)
    except TimeoutError:
        refusal = Refusal("TOO_SLOW", "It took too long and was given up; what came stands below.")
    return _answer(ground, statement, items, more, refusal, time.perf_counter() - started)


def _statement(ground: Ground, text: str) -> str:
    try:
        return sendable(text, ground.tables, ground.physical, reads_only=ground.live)
    except StatementError as error:
        raise invalid(FieldError("statement", str(error))) from None


async def _pages(ground: Ground, statement: str, items: list[Item]) -> bool:
    """Fill ``items``; gives whether there is more."""
    token = None
    for _ in range(MOST_REQUESTS):
        body: dict[str, Any] = {"Statement": statement, "ReturnConsumedCapacity": "INDEXES"}
        if token is not None:
            body["NextToken"] = token
        answer = await ground.recording.send(Request("ExecuteStatement", body))
        items += items_in(answer.body)
        token = answer.body.get("NextToken")
        if token is None or len(items) > MOST_ROWS or _bytes(items) > MOST_BYTES:
            break
    return token is not None or len(items) > MOST_ROWS


def _bytes(items: list[Item]) -> int:
    return sum(map(item_size, items))


def _refusal(ground: Ground, error: Failure | Unreachable) -> Refusal:
    if isinstance(error, Unreachable):
        return Refusal("UNAVAILABLE", f"The database does not answer: {error.message}")
    advice = _ADVICE.get(error.code, "").format(tables=", ".join(ground.tables))
    return Refusal(error.code, error.message, advice)


def _answer(
    ground: Ground,
    statement: str,
    items: list[Item],
    more: bool,
    refusal: Refusal | None,
    seconds: float,
) -> Answer:
    shown = items[:MOST_ROWS]
    found = dict.fromkeys(name for item in shown for name in item)
    keys = {each.name for known in ground.tables.values() for each in known.primary()}
    columns = tuple(sorted(found, key=lambda name: name not in keys))
    exchanges = tuple(ground.recording.exchanges)
    return Answer(
        statement=statement,
        reads=is_select(statement),
        columns=columns,
        rows=tuple(tuple(value_text(item.get(name)) for name in columns) for item in shown),
        json=as_text(shown),
        more=more,
        size=_bytes(shown),
        units=units_of(exchanges, ground, None),
        exchanges=tuple(map(exchange_view, exchanges)),
        seconds=seconds,
        refusal=refusal,
    )


def value_text(value: object) -> str:
    """A stored value, short."""
    if not isinstance(value, dict) or len(value) != 1:
        return ""
    ((kind, content),) = value.items()
    return "null" if kind == "NULL" else in_a_cell(content)
