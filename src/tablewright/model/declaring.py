"""What patterns are checked for while their module is imported: keys, parameters, projections."""

from __future__ import annotations

from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.errors import ModelError
from tablewright.model.expressions.conditions import Condition
from tablewright.model.keys import BoundKey, KeyCondition
from tablewright.model.ops import Reader
from tablewright.model.pattern import Pattern, Range
from tablewright.model.projection import KeyReader, Projection, missing_from, projection


def partition_condition(bound: BoundKey, values: dict[str, Any]) -> KeyCondition:
    """All of a partition, whatever its sort keys are."""
    return KeyCondition(
        tuple((part.attribute.name, part.encode(values)) for part in bound.partition), None
    )


def key_named(known: EntityDef[Any], name: str) -> BoundKey:
    found = known.keys.get(name)
    if found is None:
        raise ModelError(
            f"{known.name} has no key {name!r}; it has {', '.join(map(repr, known.keys))}"
        )
    return found


def shared_key(
    where: str, owners: tuple[EntityDef[Any], ...], name: str, *, sort: bool = False
) -> BoundKey:
    """The key under which all entities meet in one partition, and in one order if ``sort``."""
    first = key_named(owners[0], name)
    for owner in owners[1:]:
        other = key_named(owner, name)
        mine, theirs = (
            [part.template.text for part in (key.parts if sort else key.partition)]
            for key in (first, other)
        )
        if first.index is not other.index or mine != theirs:
            raise ModelError(
                f"{where}: {owners[0].name} and {owner.name} do not meet under key {name!r}: "
                f"{mine} and {theirs}"
            )
    return first


def reader_for(
    where: str,
    known: EntityDef[Any],
    into: type[Projection] | None,
    bound: BoundKey,
    hydrate: bool,
) -> Reader[Any]:
    if into is None:
        if not hydrate:
            check_whole(where, known, bound)
        elif bound.index is not None and bound.index.keys_only:
            return KeyReader(known)
        return known
    if hydrate:
        raise ModelError(f"{where}: hydrate=True gives whole entities, into= some fields of them")
    found = projection(into)
    if found.entity is not known:
        raise ModelError(f"{where}: {found.name} is a projection of {found.entity.name}")
    found.check_index(bound.index, bound, where)
    return found


def check_whole(where: str, known: EntityDef[Any], bound: BoundKey) -> None:
    lacking = missing_from(bound.index, known, bound, known.fields)
    if lacking and bound.index is not None:
        raise ModelError(
            f"{where}: index {bound.index.name} does not hold {', '.join(lacking)}, so it cannot "
            f"give whole {known.name} entities; read into= a projection, or use hydrate=True"
        )


def check_ends(where: str, known: EntityDef[Any], bound: BoundKey, expired: bool) -> None:
    """That the index can tell the living from the expired."""
    index, end = bound.index, known.ttl
    if end is None or index is None or index.projection == "ALL" or expired:
        return
    keys = (*known.table.primary(), *index.partition, *index.sort)
    if end.attribute not in (*(index.include or ()), *(each.name for each in keys)):
        raise ModelError(
            f"{where}: index {index.name} does not hold {end.attribute}, so it cannot tell which "
            f"{known.name} entities have ended; add it to include=, use hydrate=True, or say "
            "expired=True to read those too"
        )


def check_consistent(where: str, bound: BoundKey, consistent: bool) -> None:
    if consistent and bound.index is not None and not bound.index.local:
        raise ModelError(
            f"{where}: a global index cannot be read consistently; "
            "query the table, or drop consistent=True"
        )


def check_exactly(pattern: Pattern[Any, Any], fields: tuple[str, ...]) -> None:
    """The parameters are these fields, no more and no less."""
    given = set(pattern.parameters)
    if given != set(fields):
        raise ModelError(
            f"pattern {pattern.name} has the parameters ({', '.join(pattern.parameters)}); "
            f"it needs ({', '.join(fields)})"
        )


def check_leading(
    pattern: Pattern[Any, Any], key: BoundKey, range: Range | None, filter: Condition | None
) -> None:
    """The parameters are the partition, then sort components from the left, a range, a filter."""
    given = set(pattern.parameters)
    partition = {name for part in key.partition for name in part.fields}
    sort = [name for part in key.sort for name in part.fields if name not in partition]
    missing = partition - given
    if missing:
        raise ModelError(
            f"pattern {pattern.name} needs the parameter {', '.join(sorted(missing))}: "
            f"the partition of key {key.name!r} is made of it"
        )
    leading = 0
    while leading < len(sort) and sort[leading] in given:
        leading += 1
    rest = given - partition - set(sort[:leading])
    if range is not None:
        _check_range(pattern, key, range, sort, leading)
        rest -= set(range.parameters().values())
    if filter is not None:
        lacking = filter.parameters() - given
        if lacking:
            raise ModelError(
                f"pattern {pattern.name}: its filter uses {', '.join(sorted(lacking))}, "
                "which is not a parameter"
            )
        rest -= filter.parameters()
    if rest:
        raise ModelError(
            f"pattern {pattern.name}: key {key.name!r} has no use for the parameter "
            f"{', '.join(sorted(rest))}; its components are {', '.join(key.fields)}, "
            "given from the left without gaps"
        )


def _check_range(
    pattern: Pattern[Any, Any], key: BoundKey, range: Range, sort: list[str], leading: int
) -> None:
    names = range.parameters()
    lacking = set(names.values()) - set(pattern.parameters)
    if lacking or not names:
        raise ModelError(
            f"pattern {pattern.name}: its range uses {', '.join(sorted(lacking)) or 'nothing'}, "
            "which is not a parameter"
        )
    if leading >= len(sort) or sort[leading] != range.field:
        following = sort[leading] if leading < len(sort) else "nothing"
        raise ModelError(
            f"pattern {pattern.name}: the range is on {range.field}, but the component of key "
            f"{key.name!r} after those given is {following}"
        )
    if len({"ge", "gt"} & names.keys()) == 2 or len({"le", "lt"} & names.keys()) == 2:
        raise ModelError(f"pattern {pattern.name}: a range has one bound on each side")
    if "begins_with" in names and len(names) > 1:
        raise ModelError(f"pattern {pattern.name}: begins_with stands alone in a range")
