"""A model with a field of every kind, its references, and a real table to try expressions on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, JsonValue

from tablewright.engine import AwsError, Engine
from tablewright.model.expressions.changes import Action, render_changes
from tablewright.model.expressions.conditions import Condition, render
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import field_ref
from tablewright.model.fields import field_defs
from tablewright.model.types import Attribute, EpochSeconds


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    city: str
    code: Annotated[str, Attribute("postcode")] = ""
    lines: list[str] = []
    visits: int = 0
    tags: set[str] = set()


class ThingModel(BaseModel):
    thing_id: str
    status: str
    note: str | None = None
    count: int = 0
    limit: int | None = None
    price: Decimal = Decimal(0)
    ratio: float = 0.0
    flag: bool | None = None
    digest: bytes | None = None
    color: Color | None = None
    made_at: datetime | None = None
    ends_at: EpochSeconds | None = None
    #: A reserved word, and a name that no expression could hold as it is.
    owner: Annotated[str | None, Attribute("Name of the #1 owner.")] = None
    tags: set[str] = set()
    marks: set[int] | None = None
    lines: list[str] = []
    colors: list[Color | None] = []
    history: tuple[int, ...] | None = None
    address: Address | None = None
    homes: list[Address] = []
    scores: dict[str, int] = {}
    by_color: dict[Color, int] = {}
    extra: JsonValue = None


FIELDS = field_defs(ThingModel, None)


class _References:
    """``Thing.status``: what the class of an entity would answer."""

    def __getattr__(self, name: str) -> Any:
        return field_ref("Thing", FIELDS[name])


Thing: Any = _References()


def item(**values: object) -> dict[str, Any]:
    """An item of these fields, as they are stored."""
    stored = {FIELDS[name].attribute: FIELDS[name].storage.encode(v) for name, v in values.items()}
    return {name: av for name, av in stored.items() if av is not None}


def text(condition: Condition) -> tuple[str, dict[str, str], dict[str, Any]]:
    """A condition as it goes into a request: its text, names and values."""
    holders = Placeholders()
    return render(condition, holders), holders.names, holders.values


def plain(condition: Condition) -> str:
    """A condition with its names and values written out."""
    return _filled(*text(condition))


def plain_changes(*actions: Action) -> str:
    holders = Placeholders()
    return _filled(render_changes(actions, holders), holders.names, holders.values)


def _filled(expression: str, names: dict[str, str], values: dict[str, Any]) -> str:
    # Longer ones first, for :v1 is the beginning of :v10.
    for placeholder in sorted([*names, *values], key=len, reverse=True):
        if placeholder in names:
            expression = expression.replace(placeholder, names[placeholder])
        else:
            ((_, content),) = values[placeholder].items()
            expression = expression.replace(placeholder, str(content))
    return expression


class Things:
    """A table of things in an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        engine.call(
            "CreateTable",
            {
                "TableName": "Things",
                "KeySchema": [{"AttributeName": "thing_id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "thing_id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )

    def put(self, **values: object) -> None:
        stored = item(**{"thing_id": "a", **values})
        self._engine.call("PutItem", {"TableName": "Things", "Item": stored})

    def get(self) -> dict[str, Any]:
        """The fields of thing "a", decoded; what is absent is not there."""
        request = {"TableName": "Things", "Key": {"thing_id": {"S": "a"}}}
        stored = self._engine.call("GetItem", request).get("Item", {})
        return {
            name: each.storage.decode(stored[each.attribute])
            for name, each in FIELDS.items()
            if each.attribute in stored and name != "thing_id"
        }

    def holds(self, condition: Condition) -> bool:
        """Whether thing "a" meets the condition, as a filter and as a condition of a write."""
        as_filter = self.matching(condition) == {"a"}
        assert as_filter == self.allows(condition, "a")
        return as_filter

    def allows(self, condition: Condition, thing_id: str) -> bool:
        """Whether a write of a thing goes through under the condition."""
        expression, names, values = text(condition)
        check: dict[str, Any] = {
            "TableName": "Things",
            "Key": {"thing_id": {"S": thing_id}},
            "ConditionExpression": expression,
            "ExpressionAttributeNames": names,
        }
        if values:
            check["ExpressionAttributeValues"] = values
        try:
            self._engine.call("TransactWriteItems", {"TransactItems": [{"ConditionCheck": check}]})
        except AwsError as error:
            if error.code != "TransactionCanceledException":
                raise
            return False
        return True

    def matching(self, condition: Condition) -> set[str]:
        """The ids of all things that a scan with this filter finds."""
        expression, names, values = text(condition)
        request: dict[str, Any] = {
            "TableName": "Things",
            "FilterExpression": expression,
            "ExpressionAttributeNames": names,
        }
        if values:
            request["ExpressionAttributeValues"] = values
        return {found["thing_id"]["S"] for found in self._engine.call("Scan", request)["Items"]}

    def change(self, *actions: Action) -> dict[str, Any]:
        """Thing "a" after these changes."""
        holders = Placeholders()
        request: dict[str, Any] = {"TableName": "Things", "Key": {"thing_id": {"S": "a"}}}
        if expression := render_changes(actions, holders):
            request["UpdateExpression"] = expression
            request["ExpressionAttributeNames"] = holders.names
        if holders.values:
            request["ExpressionAttributeValues"] = holders.values
        self._engine.call("UpdateItem", request)
        return self.get()

    def replace_all(self, items: Sequence[dict[str, Any]]) -> None:
        for each in items:
            self._engine.call("PutItem", {"TableName": "Things", "Item": each})


@contextmanager
def things() -> Iterator[Things]:
    with Engine.memory() as engine:
        yield Things(engine)
