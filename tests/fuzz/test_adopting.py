"""Models written from what a table holds: whatever is stored there, the source only declares.

The source is run as soon as it is written, so nothing of an item may become code. It is looked at
here before it is run.
"""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.fuzz.declaring import inert, looked_at
from tests.fuzz.test_inputs import texts
from tests.sampling import many

from tablewright.adopt import Sampled, propose
from tablewright.deploy.state import TableState
from tablewright.model.errors import ModelError
from tablewright.model.table import KeyAttribute, OnDemand
from tablewright.values import InvalidValue, normalize_item

names = texts.filter(bool) | st.sampled_from(["type", "entity", "status", "name", "ttl"])
words = texts | st.sampled_from(["USER#1", "USER#2", "ORDER#a#b", "PROFILE", "2026-01-01", "open"])
values = st.one_of(
    words.map(lambda text: {"S": text}),
    st.integers(-5, 5).map(lambda number: {"N": str(number)}),
    st.booleans().map(lambda flag: {"BOOL": flag}),
    st.lists(words.filter(bool), min_size=1, max_size=2, unique=True).map(
        lambda each: {"SS": each}
    ),
    st.dictionaries(names, words.map(lambda text: {"S": text}), max_size=2).map(
        lambda members: {"M": members}
    ),
)


@st.composite
def items(draw: Any) -> dict[str, Any]:
    found = draw(st.dictionaries(names, values, max_size=4))
    found |= {name: {"S": draw(words.filter(bool))} for name in ("PK", "SK")}
    return dict(found)


def storable(item: dict[str, Any]) -> bool:
    try:
        normalize_item(item)
    except (InvalidValue, UnicodeError):
        return False
    return True


def _item(**attributes: str) -> dict[str, Any]:
    return {name: {"S": text} for name, text in attributes.items()}


@given(found=st.lists(items().filter(storable), max_size=5), name=texts.filter(bool))
@settings(max_examples=many(60), deadline=None)
@example(found=[_item(PK='USER#"""', SK='"""\nimport os')], name='"""')
@example(found=[_item(PK="a", SK="b", type='X"); import os')], name="m")
def test_what_is_stored_does_not_become_code(found: list[dict[str, Any]], name: str) -> None:
    key = (KeyAttribute("PK", "S"), KeyAttribute("SK", "S"))
    state = TableState(name="Things", physical="Things", key=key, indexes={}, billing=OnDemand())
    with looked_at():
        try:
            proposal = propose(name, [Sampled(state, found, whole=True)])
        except ModelError:
            return
    inert(proposal.source)
