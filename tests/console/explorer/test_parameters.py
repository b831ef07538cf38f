"""Forms of patterns: which field a parameter gets, and what becomes of what is typed into it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from inspect import Parameter
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from tests.console.gallery import Painting

from tablewright.console.explorer.arguments import Wrong, read_argument, read_arguments
from tablewright.console.explorer.parameters import ParameterField, fields_of
from tablewright.console.explorer.views import demo_of
from tablewright.model import Delete, delete, get, write
from tablewright.model.pattern import Pattern
from tablewright.service.problems import Problem
from tablewright.systems import NAMES, load

NOTHING = Parameter.empty


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


def field(annotation: object, value: object = NOTHING, default: object = NOTHING) -> ParameterField:
    """The field of one parameter, with a value that the demo gave."""

    def take(it: Any) -> Delete[Painting]:
        return delete(Painting, "north", "one")

    take.__annotations__["it"] = annotation
    take.__defaults__ = None if default is NOTHING else (default,)
    pattern: Pattern[..., Any] = write()(take)
    (found,) = fields_of(pattern, {} if value is NOTHING else {"it": value}, {"it": "its type"})
    return found


def read(annotation: object, text: str, default: object = NOTHING) -> object:
    return read_argument(field(annotation, default=default), text, [Painting])


@pytest.mark.parametrize(
    ("annotation", "kind", "nullable"),
    [
        (str, "text", False),
        (Annotated[str, Field(min_length=2)], "text", False),
        (str | None, "text", True),
        (int, "integer", False),
        (Decimal | None, "number", True),
        (bool, "switch", False),
        (bool | None, "choice", True),
        (date, "date", False),
        (datetime | None, "moment", True),
        (timedelta, "span", False),
        (Literal["a", "b"] | None, "choice", True),
        (Size, "choice", False),
        (Painting, "json", False),
        (Painting | None, "json", True),
        (Iterable[str], "json", False),
        (Mapping[tuple[str, int], int], "json", False),
        (str | int, "json", False),
    ],
)
def test_which_field_an_annotation_gets(annotation: object, kind: str, nullable: bool) -> None:
    found = field(annotation)
    assert (found.kind, found.nullable) == (kind, nullable)


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (str, " as typed ", " as typed "),
        (int, " 12 ", 12),
        (Decimal, "0.10", Decimal("0.10")),
        (bool, "yes", True),
        (bool, "", False),
        (bool | None, "", None),
        (bool | None, "no", False),
        (date, "2026-11-20", date(2026, 11, 20)),
        (datetime, "2026-11-20T12:00", datetime(2026, 11, 20, 12, tzinfo=UTC)),
        (datetime, "2026-11-20T12:00:00.5+01:00", datetime(2026, 11, 20, 11, 0, 0, 500000, UTC)),
        (timedelta, "PT30S", timedelta(seconds=30)),
        (Literal[1, 2], "2", 2),
        (Size, "large", Size.LARGE),
        (str | None, "  ", None),
        (list[bytes], '[{"base64": "AP8="}]', [b"\x00\xff"]),
        (Mapping[tuple[str, int], float], '[[["a", 1], 0.5]]', {("a", 1): 0.5}),
        (Painting, '{"wall": "n", "name": "x"}', Painting(wall="n", name="x")),
    ],
)
def test_texts_become_values(annotation: object, text: str, value: object) -> None:
    assert read(annotation, text) == value


def test_without_a_demo_an_entity_begins_with_what_it_must_have() -> None:
    assert json.loads(field(Painting).text) == {"wall": "", "name": ""}
    assert field(Painting | None).text == ""


def test_what_is_left_out_is_the_default() -> None:
    assert read(int, "", default=7) == 7
    assert field(int, default=7).text == "7"
    assert not field(int, default=7).required


@pytest.mark.parametrize(
    ("annotation", "text", "said"),
    [
        (str, "", "A value is needed."),
        (int, "twelve", "valid integer"),
        (Annotated[int, Field(le=9)], "10", "less than or equal to 9"),
        (datetime, "yesterday", "valid datetime"),
        (Size, "huge", "Choose one of small, large."),
        (Painting, '{"wall": "n"', "line 1, column 13"),
        (Painting, '{"wall": "n"}', "name: Field required."),
        (Painting, '{"wall": "n", "name": "x", "prize": 1}', "prize: Extra inputs"),
        (list[int], "[1, true, []]", "2: Input should be a valid integer"),
        (list[bytes], '[{"base64": "?"}]', "is not base64"),
        (dict[str, Any], '{"a": "\\ud800"}', "half of a character"),
        (list[int], "[" * 100_000, "nested too deeply"),
        (Pattern, '{"a": 1}', "its type"),
        (str, "x" * 500_001, "too long"),
    ],
)
def test_what_is_wrong_is_said(annotation: object, text: str, said: str) -> None:
    with pytest.raises(Wrong) as raised:
        read(annotation, text)
    assert said in raised.value.texts[0]


def test_every_field_that_is_wrong_is_named() -> None:
    @get(Painting)
    def one(wall: str, name: str) -> None:
        """A painting."""

    with pytest.raises(Problem) as raised:
        read_arguments(fields_of(one, {}, {}), {}, [])
    assert [each.field for each in raised.value.errors] == ["wall", "name"]
    assert raised.value.status == 422


@pytest.mark.parametrize("name", NAMES)
def test_forms_with_the_demo_calls_make_the_same_calls(name: str) -> None:
    model, demo = load(name).model, demo_of(load(name))
    assert demo is not None
    entities = [each.cls for each in model.entities.values()]
    for called, op in demo.calls.items():
        fields = fields_of(model.patterns[called], op.called_with or {}, {})
        typed = {each.name: each.text for each in fields}
        assert model.patterns[called](**read_arguments(fields, typed, entities)) == op, called
