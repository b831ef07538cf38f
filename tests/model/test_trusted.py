"""Entities of values that somebody else has checked, and the condition of a new one."""

from __future__ import annotations

import pytest

from tablewright.model import (
    Entity,
    EpochSeconds,
    Field,
    Key,
    Table,
    Ttl,
    definition,
    put,
)
from tablewright.model.errors import RequestError
from tablewright.model.writes import actions

table = Table("Trusted", pk="PK", sk="SK", ttl="ends_at")


class Note(Entity, table=table, keys={"primary": Key("NOTE#{name}", "NOTE")}):
    name: str = Field(min_length=3)
    size: int = Field(default=0, ge=0)
    text: str | None = None
    made_at: EpochSeconds
    ends_at: Ttl


def whole() -> Note:
    return Note(name="abc", size=7, made_at=100, ends_at=200)  # type: ignore[arg-type]


def test_it_is_the_entity_that_validation_makes() -> None:
    made = definition(Note).trusted(dict(whole().__dict__))
    assert made == whole()
    assert definition(Note).encode(made) == definition(Note).encode(whole())
    assert made.model_copy(update={"size": 8}).size == 8
    assert made.model_dump() == whole().model_dump()
    with pytest.raises(ValueError, match="greater than or equal to 0"):
        made.size = -1


def test_nothing_is_looked_at() -> None:
    wrong = {**whole().__dict__, "name": "x", "size": -5}
    made = definition(Note).trusted(wrong)
    assert (made.name, made.size) == ("x", -5)


@pytest.mark.parametrize("change", [{"size": ...}, {"colour": "red"}])
def test_every_field_has_to_be_there_and_no_other(change: dict[str, object]) -> None:
    values = {**whole().__dict__, **change}
    given = {name: value for name, value in values.items() if value is not ...}
    with pytest.raises(RequestError, match=r"size|colour"):
        definition(Note).trusted(given)


def test_the_condition_of_a_new_entity_knows_the_time() -> None:
    """It is made once a second, not once and for all."""
    for now in (150.0, 150.9, 151.2):
        (action,) = actions(put(whole()).new(), now)
        (moment,) = action.body["ExpressionAttributeValues"].values()
        assert moment == {"N": str(int(now))}
        assert action.body["ConditionExpression"].startswith("attribute_not_exists(")
        assert not action.repeatable
