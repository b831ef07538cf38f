"""Properties that hold for any text and any item, searched for counter-examples."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.expressions import (
    Condition,
    ExpressionError,
    Projection,
    Scope,
    Update,
    nodes,
)
from tablewright.values import AttributeValue, Item, compare, equal, normalize

# --- texts -------------------------------------------------------------------------------

WORDS = [
    *("a", "b", "c.d", "e[0]", "#n", "#unknown", ":v", ":w", ":unknown", "name"),
    *("=", "<>", "<", "<=", ">", ">=", "(", ")", ",", "+", "-", ".", "[", "]", "0", "12"),
    *("AND", "or", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"),
    *("size(", "contains(", "begins_with(", "attribute_exists(", "attribute_type("),
    *("if_not_exists(", "list_append(", "nothing_known(", "@", "'", "\n", "é", "\U0001f600"),
]
texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=14).map("".join),
)

READERS: list[Callable[[Scope, str], Any]] = [
    Scope.condition,
    lambda scope, text: scope.condition(text, "FilterExpression"),
    Scope.update,
    Scope.projection,
    Scope.key_condition,
]


def outcome(read: Callable[[Scope, str], Any], text: str) -> object:
    try:
        return type(read(Scope({"#n": "name"}, {":v": {"N": "1"}, ":w": {"S": "x"}}), text))
    except ExpressionError as error:
        return str(error)


@given(texts, st.sampled_from(READERS))
@settings(max_examples=many(400), deadline=None)
def test_any_text_is_read_or_refused_and_always_in_the_same_way(
    text: str, read: Callable[[Scope, str], Any]
) -> None:
    first = outcome(read, text)
    assert outcome(read, text) == first
    if isinstance(first, str):
        assert "Expression" in first


# --- items -------------------------------------------------------------------------------

TOP = ["a", "b", "c", "d"]
scalars: st.SearchStrategy[AttributeValue] = st.one_of(
    st.sampled_from(["", "a", "ab", "b", "é"]).map(lambda s: {"S": s}),
    st.integers(-3, 3).map(lambda n: {"N": str(n)}),
    st.sampled_from(["", "YQ==", "YWI=", "gA=="]).map(lambda b: {"B": b}),
    st.booleans().map(lambda b: {"BOOL": b}),
    st.just({"NULL": True}),
    st.sets(st.sampled_from(["a", "b", "c"]), min_size=1).map(lambda s: {"SS": sorted(s)}),
    st.sets(st.sampled_from(["1", "2"]), min_size=1).map(lambda s: {"NS": sorted(s)}),
)
attribute_values: st.SearchStrategy[AttributeValue] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda elements: {"L": elements}),
        st.dictionaries(st.sampled_from(TOP), inner, max_size=3).map(lambda m: {"M": m}),
    ),
    max_leaves=6,
)
items: st.SearchStrategy[Item] = st.dictionaries(st.sampled_from(TOP), attribute_values)

paths = st.lists(st.one_of(st.sampled_from(TOP), st.integers(0, 2)), max_size=2).flatmap(
    lambda rest: st.sampled_from(TOP).map(lambda top: (top, *rest))
)


def at(item: Item, path: tuple[str | int, ...]) -> AttributeValue | None:
    """The naive way down a path."""
    value: AttributeValue = {"M": item}
    for step in path:
        try:
            value = value["M" if isinstance(step, str) else "L"][step]
        except (KeyError, IndexError):
            return None
    return value


# --- conditions --------------------------------------------------------------------------

operands = st.one_of(
    paths.map(nodes.Attribute),
    scalars.map(nodes.Literal),
)
predicates = st.one_of(
    st.builds(
        nodes.Comparison, st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), operands, operands
    ),
    st.builds(nodes.Between, operands, operands, operands),
    st.builds(nodes.In, operands, st.lists(operands, min_size=1, max_size=3).map(tuple)),
    paths.map(lambda path: nodes.Call("attribute_exists", (nodes.Attribute(path),))),
)
conditions: st.SearchStrategy[nodes.Condition] = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.builds(nodes.Not, inner),
        st.builds(nodes.And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(nodes.Or, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=6,
)


def naive_operand(node: nodes.Operand, item: Item) -> AttributeValue | None:
    return at(item, node.steps) if isinstance(node, nodes.Attribute) else node.value  # type: ignore


def naive_comparison(operator: str, a: AttributeValue | None, b: AttributeValue | None) -> bool:
    same = a is not None and b is not None and equal(a, b)
    if operator in ("=", "<>"):
        return same == (operator == "=")
    order = None if a is None or b is None else compare(a, b)
    if order is None:
        return False
    return {"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[operator]


def naive(node: nodes.Condition, item: Item) -> bool:
    """Evaluate a condition as slowly and plainly as possible."""
    if isinstance(node, nodes.And):
        return all(naive(part, item) for part in node.parts)
    if isinstance(node, nodes.Or):
        return any(naive(part, item) for part in node.parts)
    if isinstance(node, nodes.Not):
        return not naive(node.part, item)
    values = [naive_operand(child, item) for child in nodes.children(node)]  # type: ignore
    if isinstance(node, nodes.Comparison):
        return naive_comparison(node.operator, values[0], values[1])
    if isinstance(node, nodes.Between):
        return naive_comparison(">=", values[0], values[1]) and naive_comparison(
            "<=", values[0], values[2]
        )
    if isinstance(node, nodes.In):
        return any(naive_comparison("=", values[0], choice) for choice in values[1:])
    return values[0] is not None


@given(conditions, items)
@settings(max_examples=many(200), deadline=None)
def test_conditions_agree_with_a_naive_evaluator(node: nodes.Condition, item: Item) -> None:
    condition = Condition(node)
    assert condition.matches(item) == naive(node, item)
    assert condition.matches(None) == naive(node, {})


def written(node: nodes.Condition, values: dict[str, AttributeValue]) -> str:
    """The text of a tree, with every part in parentheses and its constants in ``values``."""

    def operand(part: nodes.Node) -> str:
        if isinstance(part, nodes.Attribute):
            rest = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in part.steps[1:])
            return f"{part.steps[0]}{rest}"
        assert isinstance(part, nodes.Literal)
        key = f":v{len(values)}"
        values[key] = part.value
        return key

    if isinstance(node, nodes.And | nodes.Or):
        word = " AND " if isinstance(node, nodes.And) else " OR "
        return word.join(f"({written(part, values)})" for part in node.parts)
    if isinstance(node, nodes.Not):
        return f"NOT ({written(node.part, values)})"
    parts = [operand(child) for child in nodes.children(node)]
    if isinstance(node, nodes.Comparison):
        return f"{parts[0]} {node.operator} {parts[1]}"
    if isinstance(node, nodes.Between):
        return f"{parts[0]} BETWEEN {parts[1]} AND {parts[2]}"
    if isinstance(node, nodes.In):
        return f"{parts[0]} IN ({', '.join(parts[1:])})"
    return f"attribute_exists({parts[0]})"


@given(conditions, items)
@settings(max_examples=many(150), deadline=None)
def test_a_written_condition_means_what_its_tree_means(node: nodes.Condition, item: Item) -> None:
    values: dict[str, AttributeValue] = {}
    text = written(node, values)
    refusal = ""
    try:
        condition = Scope(None, values or None).condition(text)
    except ExpressionError as error:
        # Some trees compare an attribute with itself, or things that have no order.
        refusal = str(error)
    assert not re.search("Syntax error|redundant", refusal)
    if not refusal:
        assert condition.matches(item) == naive(node, item)


# --- updates -----------------------------------------------------------------------------

sets = st.sets(st.sampled_from(["a", "b", "c"]), min_size=1).map(lambda s: {"SS": sorted(s)})
targets = paths.map(nodes.Attribute)
set_values = st.one_of(
    attribute_values.map(nodes.Literal),
    targets,
    st.builds(
        nodes.Arithmetic,
        st.sampled_from("+-"),
        targets,
        st.integers(-5, 5).map(lambda n: nodes.Literal({"N": str(n)})),
    ),
)
actions: st.SearchStrategy[nodes.Action] = st.one_of(
    st.builds(nodes.Set, targets, set_values),
    st.builds(nodes.Remove, targets),
    st.builds(nodes.Add, targets, sets.map(nodes.Literal)),
    st.builds(nodes.Delete, targets, sets.map(nodes.Literal)),
)


def apart(chosen: list[nodes.Action]) -> bool:
    """Whether no target leads to or through another, or takes it for something else."""
    steps = [action.target.steps for action in chosen]
    for i, one in enumerate(steps):
        for two in steps[i + 1 :]:
            for left, right in zip(one, two, strict=False):
                if type(left) is not type(right):
                    return False
                if left != right:
                    break
            else:
                return False
    return True


@given(items, st.lists(actions, min_size=1, max_size=3).filter(apart))
@settings(max_examples=many(200), deadline=None)
def test_an_update_leaves_the_old_item_alone(item: Item, chosen: list[nodes.Action]) -> None:
    before = copy.deepcopy(item)
    update = Update(chosen)
    try:
        after = update.apply(item)
    except ExpressionError:
        after = {}
    assert item == before
    # What comes out is canonical already, and only what was named has changed.
    assert {name: normalize(value)[0] for name, value in after.items()} == after
    if after:
        for name in item.keys() - update.attributes:
            assert after[name] is item[name]


@given(items, targets, attribute_values)
@settings(max_examples=many(150), deadline=None)
def test_what_is_set_is_there(item: Item, target: nodes.Attribute, value: AttributeValue) -> None:
    path = target.steps
    try:
        after = Update([nodes.Set(target, nodes.Literal(value))]).apply(item)
    except ExpressionError:
        assert at(item, path[:-1]) is None or at(item, path) is None
        return
    if isinstance(path[-1], int):
        parent = at(item, path[:-1])
        assert parent is not None
        path = (*path[:-1], min(path[-1], len(parent["L"])))
    assert at(after, path) == value


# --- projections -------------------------------------------------------------------------


@given(items, paths, paths)
@settings(max_examples=many(200), deadline=None)
def test_a_projection_holds_exactly_what_its_paths_lead_to(
    item: Item, one: tuple[str | int, ...], two: tuple[str | int, ...]
) -> None:
    assert Projection([one]).apply(item) == alone(item, one)
    if one[0] != two[0]:
        together = Projection([one, two]).apply(item)
        assert together == alone(item, one) | alone(item, two)


def alone(item: Item, path: tuple[str | int, ...]) -> Item:
    """The one value a path leads to, wrapped in the maps and lists on the way."""
    value = at(item, path)
    if value is None:
        return {}
    for step in reversed(path[1:]):
        value = {"M": {step: value}} if isinstance(step, str) else {"L": [value]}
    return {str(path[0]): value}
