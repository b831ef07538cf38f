"""The condition of one write, term by term."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from tablewright.model.definition import EntityDef
from tablewright.model.expressions.conditions import Condition, render
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.storage.defaults import default_of
from tablewright.values import AttributeValue, Item

Body: TypeAlias = dict[str, Any]


class Terms:
    """The condition of one action, term by term."""

    def __init__(self, known: EntityDef[Any], now: float) -> None:
        self.holders = Placeholders()
        self._known = known
        self._now = now
        self._terms: list[str] = []
        #: Another term says already that the item has not ended.
        self._living = False

    @property
    def empty(self) -> bool:
        return not self._terms

    def add(self, text: str) -> None:
        self._terms.append(text)

    def absent(self) -> None:
        """There is no item, or only one that has ended."""
        self.add(self._gone())

    def free(self, owner: str, value: AttributeValue) -> None:
        """As :meth:`absent`, or the item is ``value``'s already."""
        held = f"{self.holders.name(owner)} = {self.holders.value(value)}"
        self.add(f"{self._gone()} OR {held}")

    def present(self) -> None:
        """There is an item, and it has not ended."""
        self.add(f"attribute_exists({self.holders.name(self._known.table.pk.name)})")
        self.not_ended()

    def not_ended(self) -> None:
        """If there is an item, it has not ended."""
        if self._known.ttl is not None:
            self._living = True
            name = self.holders.name(self._known.ttl.attribute)
            self.add(f"attribute_not_exists({name}) OR {self._ended('>')}")

    def at_version(self, version: int) -> None:
        field = self._known.version
        if field is None:
            return
        name = self.holders.name(field.attribute)
        text = f"{name} = {self.holders.value({'N': str(version)})}"
        # Data that is older than the model has no version yet; it is read as 0.
        self.add(text if version else f"attribute_not_exists({name}) OR {text}")

    def meets(self, condition: Condition) -> None:
        """What the caller asked for; of an item that has ended it sees nothing."""
        if self._known.ttl is None or self._living:
            self.add(render(condition, self.holders))
        elif condition.holds_for_none():
            self.add(f"{self._ended('<=')} OR ({render(condition, self.holders)})")
        else:
            self.not_ended()
            self.add(render(condition, self.holders))

    def guard(self, old: Item | None, fields: list[str]) -> None:
        """The stored values of these fields are still those of the item that was read."""
        if old is None:
            return
        for name in fields:
            if name not in self._known.primary.fields:
                attribute = self._known.fields[name].attribute
                self._same(attribute, old.get(attribute))

    def guard_values(self, values: Mapping[str, object]) -> None:
        """The stored values of these fields are these; absent is the same as the default."""
        for name, value in values.items():
            field = self._known.fields[name]
            encoded = None if value is None else field.storage.encode(value)
            info = self._known.cls.__pydantic_fields__[name]
            # What may be None is None where it is absent, whatever its default.
            default = not (field.optional or info.is_required() or info.default_factory)
            same = default and default_of(self._known.cls, name) == value
            self._same(field.attribute, encoded, same)

    def into(self, body: Body) -> None:
        """Put the condition, and what every expression of the body refers to, into it."""
        if self._terms:
            grouped = len(self._terms) > 1
            body["ConditionExpression"] = " AND ".join(
                f"({term})" if grouped and " OR " in term else term for term in self._terms
            )
            body["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if self.holders.names:
            body["ExpressionAttributeNames"] = self.holders.names
        if self.holders.values:
            body["ExpressionAttributeValues"] = self.holders.values

    def _same(self, attribute: str, value: AttributeValue | None, or_absent: bool = False) -> None:
        name = self.holders.name(attribute)
        if value is None:
            self.add(f"attribute_not_exists({name})")
        elif or_absent:
            self.add(f"attribute_not_exists({name}) OR {name} = {self.holders.value(value)}")
        else:
            self.add(f"{name} = {self.holders.value(value)}")

    def _gone(self) -> str:
        text = f"attribute_not_exists({self.holders.name(self._known.table.pk.name)})"
        return text if self._known.ttl is None else f"{text} OR {self._ended('<=')}"

    def _ended(self, operator: str) -> str:
        assert self._known.ttl is not None
        name = self.holders.name(self._known.ttl.attribute)
        return f"{name} {operator} {self.holders.value({'N': str(int(self._now))})}"
