"""Which item, or which part of a table, a WHERE clause selects.

A condition is taken apart at its ANDs. For a statement about one item, equalities on the key
attributes give its key, and the rest stays a condition (:func:`one_item`). For a read,
:func:`decomposed` turns the condition into queries: one for each partition key and range of sort
keys that it names. If a part of it could hold for any partition key, there is nothing to query
and the table or index has to be scanned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise, product
from typing import NamedTuple, cast

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.queries.ranges import Range, key_range
from tablewright.engine.schema import Index, KeyPart, Table
from tablewright.expressions import KeyOperator, KeyTerm, nodes
from tablewright.values import AttributeValue, Item, equal

MAX_READS = 50
NOT_ONE_ITEM = "Where clause does not contain a mandatory equality on all key attributes"

_FLIPPED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def wrong_type(name: str) -> AwsError:
    """The error for a key attribute compared with a value of another type."""
    return validation(
        f"Key attribute's data type should match its data type in table's schema: Key {name}"
    )


def conjuncts(condition: nodes.Condition | None) -> Iterator[nodes.Condition]:
    """The conditions that must all hold."""
    if isinstance(condition, nodes.And):
        for part in condition.parts:
            yield from conjuncts(part)
    elif condition is not None:
        yield condition


def joined(conditions: Iterable[nodes.Condition]) -> nodes.Condition | None:
    """All conditions as one."""
    parts = tuple(conditions)
    return nodes.And(parts) if len(parts) > 1 else (parts[0] if parts else None)


# --- one item ----------------------------------------------------------------------------


class OneItem(NamedTuple):
    """The key values a condition fixes, and what is left of it."""

    key: dict[str, list[AttributeValue]]
    rest: list[nodes.Condition]


def one_item(condition: nodes.Condition | None, table: Table, *, choices: bool = False) -> OneItem:
    """Take the equalities with key attributes out of ``condition``.

    With ``choices``, ``key IN (value)`` counts as an equality, as AWS has it for reads.
    """
    found = OneItem({}, [])
    for part in conjuncts(condition):
        name, value = _equality(part, choices)
        if name in table.key_types and value is not None:
            found.key.setdefault(name, []).append(value)
        else:
            found.rest.append(part)
    return found


def _equality(
    condition: nodes.Condition, choices: bool
) -> tuple[str, AttributeValue] | tuple[None, None]:
    if choices and isinstance(condition, nodes.In) and len(condition.choices) == 1:
        condition = nodes.Comparison("=", condition.operand, condition.choices[0])
    term = key_term(condition)
    if term is not None and term.operator == "=":
        return term.name, term.values[0]
    return None, None


def single_key(found: OneItem, table: Table) -> Item:
    """The whole key of the one item; refuses what does not name one."""
    key: Item = {}
    for part in table.parts:
        values = found.key.get(part.name)
        if not values:
            raise validation(NOT_ONE_ITEM)
        check_single(part.name, values)
        if part.kind not in values[0]:
            raise wrong_type(part.name)
        key[part.name] = values[0]
    return key


def check_single(name: str, values: list[AttributeValue]) -> None:
    """Refuse several values for one key attribute."""
    if not all(equal(value, values[0]) for value in values):
        raise validation(
            f"Multiple conditions on same key {name}. "
            "Only single item Update/Insert/Delete are supported"
        )


# --- many items --------------------------------------------------------------------------


def key_term(condition: nodes.Condition) -> KeyTerm | None:
    """``condition`` as a comparison of an attribute with values, if it is one."""
    if isinstance(condition, nodes.Comparison):
        left, right, operator = condition.left, condition.right, condition.operator
        if isinstance(left, nodes.Literal):
            left, right, operator = right, left, _FLIPPED.get(operator, "<>")
        if operator not in _FLIPPED:
            return None
        return _term(left, operator, right)
    if isinstance(condition, nodes.Between):
        return _term(condition.operand, "BETWEEN", condition.low, condition.high)
    if isinstance(condition, nodes.Call) and condition.function == "begins_with":
        return _term(condition.operands[0], "begins_with", condition.operands[1])
    return None


def _term(subject: nodes.Operand, operator: str, *operands: nodes.Operand) -> KeyTerm | None:
    values = [operand.value for operand in operands if isinstance(operand, nodes.Literal)]
    if not isinstance(subject, nodes.Attribute) or len(subject.steps) != 1:
        return None
    (name,) = subject.steps
    if not isinstance(name, str) or len(values) < len(operands):
        return None
    return KeyTerm(name, cast(KeyOperator, operator), tuple(values))


@dataclass(slots=True)
class Query:
    """One partition, a range of its sort keys, and what its items must meet besides."""

    partition: AttributeValue
    range: Range
    condition: nodes.Condition | None
    #: whether the sort key is also compared in a way that is no range
    is_loose: bool


def decomposed(
    where: nodes.Condition | None, table: Table, index: Index | None
) -> list[Query] | None:
    """The queries that ``where`` asks for; None if it takes a scan."""
    hash_ = index.hash[0] if index is not None else table.hash
    range_ = index.range[0] if index is not None and index.range else None
    if index is None:
        range_ = table.range
    if where is None or not _is_keyed(where, hash_.name):
        return None
    names = {hash_.name} | ({range_.name} if range_ is not None else set())
    queries: list[Query] = []
    for count, branch in enumerate(_branches(where, names)):
        if count >= MAX_READS:
            raise validation("Too many decomposed read operations for a given query.")
        query = _query(branch, hash_, range_)
        if query is None:
            return None
        queries.append(query)
    return _disjoint(queries, where)


def _is_keyed(condition: nodes.Condition, name: str) -> bool:
    """Whether ``condition`` can only hold for partition keys that it names."""
    if isinstance(condition, nodes.And):
        return any(_is_keyed(part, name) for part in condition.parts)
    if isinstance(condition, nodes.Or):
        return all(_is_keyed(part, name) for part in condition.parts)
    return all(_equality(each, choices=False)[0] == name for each in _alternatives(condition))


def _branches(condition: nodes.Condition, names: set[str]) -> Iterator[tuple[nodes.Condition, ...]]:
    """``condition`` as alternatives, each a conjunction; only where keys are concerned."""
    if isinstance(condition, nodes.And):
        # More than the limit is as good as any number: the product has no fewer.
        parts = [tuple(islice(_branches(p, names), MAX_READS + 1)) for p in condition.parts]
        for combination in product(*parts):
            yield tuple(part for branch in combination for part in branch)
    elif isinstance(condition, nodes.Or) and _mentions(condition, names):
        for part in condition.parts:
            yield from _branches(part, names)
    elif isinstance(condition, nodes.In) and _attribute_name(condition.operand) in names:
        for alternative in _alternatives(condition):
            yield (alternative,)
    else:
        yield (condition,)


def _alternatives(condition: nodes.Condition) -> list[nodes.Condition]:
    """``a IN (x, y)`` as ``a = x`` and ``a = y``; anything else is its only alternative."""
    if not isinstance(condition, nodes.In):
        return [condition]
    return [nodes.Comparison("=", condition.operand, each) for each in condition.choices]


def _attribute_name(operand: nodes.Operand) -> str | None:
    if isinstance(operand, nodes.Attribute) and len(operand.steps) == 1:
        return str(operand.steps[0])
    return None


def _mentions(condition: nodes.Condition, names: set[str]) -> bool:
    return any(
        isinstance(node, nodes.Attribute) and str(node.steps[0]) in names
        for node in nodes.bottom_up(condition)
    )


def _query(
    branch: tuple[nodes.Condition, ...], hash_: KeyPart, range_: KeyPart | None
) -> Query | None:
    """The query of one alternative; None if it names two partitions at once."""
    partitions: list[KeyTerm] = []
    ranges: list[KeyTerm] = []
    rest: list[nodes.Condition] = []
    is_loose = False
    for part in branch:
        term = key_term(part)
        if term is not None and term.name == hash_.name and term.operator == "=":
            _check_type(term, hash_)
            partitions.append(term)
        elif term is not None and range_ is not None and term.name == range_.name:
            _check_type(term, range_)
            ranges.append(term)
        else:
            rest.append(part)
            is_loose = is_loose or (range_ is not None and _mentions(part, {range_.name}))
    partition = partitions[0]
    if not all(equal(term.values[0], partition.values[0]) for term in partitions):
        return None
    sort_parts = [range_] if range_ is not None else []
    wanted = key_range([partition], [hash_], sort_parts)
    for term in ranges:
        wanted = _intersection(wanted, key_range([partition, term], [hash_], sort_parts))
    return Query(partition.values[0], wanted, joined(rest), is_loose)


def _check_type(term: KeyTerm, part: KeyPart) -> None:
    if not all(part.kind in value for value in term.values):
        raise wrong_type(part.name)
    if term.operator == "begins_with" and part.kind == "N":
        raise wrong_type(part.name)


def _intersection(one: Range, other: Range) -> Range:
    highs = [high for high in (one.high, other.high) if high is not None]
    return Range(one.pk, max(one.low, other.low), min(highs) if highs else None)


def _disjoint(queries: list[Query], where: nodes.Condition) -> list[Query]:
    """The queries partition by partition, in key order; refuses those that overlap."""
    partitions: dict[bytes, list[Query]] = {}
    for query in queries:
        partitions.setdefault(query.range.pk, []).append(query)
    result: list[Query] = []
    for pk, group in partitions.items():
        group.sort(key=lambda query: query.range.low)
        overlap = any(
            before.range.high is None or before.range.high > after.range.low
            for before, after in pairwise(group)
        )
        if not overlap:
            result.extend(group)
        elif any(query.is_loose for query in group):
            # What is no range cannot be told apart: one query, and the whole condition.
            result.append(Query(group[0].partition, Range(pk, b"", None), where, True))
        else:
            raise validation(
                "Overlapping conditions with range keys are not supported in where clause"
            )
    return result
