"""Tables in words: keys, projections and units as people read them, and whole tables as lines."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from tablewright.deploy.state import IndexState, TableState
from tablewright.model.table import Billing, KeyAttribute, OnDemand


def key_text(partition: Iterable[KeyAttribute], sort: Iterable[KeyAttribute]) -> str:
    """``PK S, SK S``, and ``(a S + b N), c S`` where a side has several attributes."""
    sides = [_side(tuple(each)) for each in (partition, sort)]
    return ", ".join(side for side in sides if side)


def _side(attributes: tuple[KeyAttribute, ...]) -> str:
    text = " + ".join(f"{each.name} {each.type}" for each in attributes)
    return f"({text})" if len(attributes) > 1 else text


def projection_text(index: IndexState) -> str:
    if index.projection != "INCLUDE":
        return index.projection
    return f"INCLUDE {', '.join(sorted(index.include))}"


def billing_text(billing: Billing | None) -> str:
    if billing is None:
        return "the table's"
    if not isinstance(billing, OnDemand):
        return f"provisioned, {billing.read_units} read and {billing.write_units} write units"
    ceilings = {"read": billing.max_read_units, "write": billing.max_write_units}
    given = [f"at most {units} {name} units" for name, units in ceilings.items() if units]
    return ", ".join(("on demand", *given))


def lines(state: TableState) -> Iterator[str]:
    """The whole table, one setting per line."""
    yield f"key: {key_text(state.key[:1], state.key[1:])}"
    yield f"billing: {billing_text(state.billing)}"
    if "ttl" not in state.unseen:
        yield f"ttl: {state.ttl or 'off'}"
    yield f"stream: {state.stream or 'off'}"
    if "pitr" not in state.unseen:
        yield f"point-in-time recovery: {f'{state.pitr} days' if state.pitr else 'off'}"
    yield f"class: {state.table_class}"
    yield f"deletion protection: {'on' if state.protected else 'off'}"
    if "tags" not in state.unseen:
        for key in sorted(state.tags):
            yield f"tag {key}: {state.tags[key]}"
    for name in sorted(state.indexes):
        yield from _index_lines(state.indexes[name])


def _index_lines(index: IndexState) -> Iterator[str]:
    yield f"{'local ' if index.local else ''}index {index.name}:"
    yield f"  key: {key_text(*index.keys)}"
    yield f"  projection: {projection_text(index)}"
    if index.billing is not None:
        yield f"  billing: {billing_text(index.billing)}"


def unified(declared: TableState, deployed: TableState | None) -> list[str]:
    """From what is deployed to what the model says, as a unified diff; empty if they agree."""
    old = [] if deployed is None else list(lines(deployed))
    unseen = frozenset() if deployed is None else deployed.unseen
    new = [line for line in lines(declared) if not _is_unseen(line, unseen)]
    names = f"deployed: {declared.physical}", f"model: {declared.name}"
    return list(difflib.unified_diff(old, new, *names, n=2, lineterm=""))


_STARTS = {"ttl": "ttl:", "pitr": "point-in-time recovery:", "tags": "tag "}


def _is_unseen(line: str, unseen: frozenset[str]) -> bool:
    return any(line.startswith(_STARTS[each]) for each in unseen)
