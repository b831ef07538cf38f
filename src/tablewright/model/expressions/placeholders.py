"""Placeholders of one request: ``#n0`` for attribute names and ``:v0`` for values.

Every name goes through one, so that no reserved word or odd sign in a name can ever matter. All
expressions of a request share one object; :attr:`Placeholders.names` and
:attr:`Placeholders.values` then go into the request as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tablewright.model.errors import RequestError
from tablewright.values import AttributeValue


class Placeholders:
    """Collects the names and values of a request while its expressions are rendered."""

    __slots__ = ("_known_names", "_known_values", "names", "values")

    def __init__(self) -> None:
        #: For ``ExpressionAttributeNames``.
        self.names: dict[str, str] = {}
        #: For ``ExpressionAttributeValues``.
        self.values: dict[str, AttributeValue] = {}
        self._known_names: dict[str, str] = {}
        self._known_values: dict[tuple[str, object], str] = {}

    def name(self, attribute: str) -> str:
        """The placeholder of an attribute name; the same one each time."""
        known = self._known_names.get(attribute)
        if known is None:
            known = self._known_names[attribute] = f"#n{len(self.names)}"
            self.names[known] = attribute
        return known

    def value(self, av: AttributeValue) -> str:
        """The placeholder of a value; equal scalars share one."""
        ((kind, content),) = av.items()
        if not isinstance(content, str | bool):
            return self._new_value(av)
        known = self._known_values.get((kind, content))
        if known is None:
            known = self._known_values[kind, content] = self._new_value(av)
        return known

    def parameter(self, name: str, encode: Callable[[object], AttributeValue | None]) -> str:
        """The placeholder of a parameter that has no argument yet: a request cannot have one."""
        raise RequestError(f'param("{name}") has no value here: it only works in a filter')

    def path(self, steps: Iterable[str | int]) -> str:
        """A document path such as ``#n0.#n1[2]``."""
        text = ""
        for step in steps:
            if isinstance(step, int):
                text += f"[{step}]"
            else:
                text += ("." if text else "") + self.name(step)
        return text

    def _new_value(self, av: AttributeValue) -> str:
        placeholder = f":v{len(self.values)}"
        self.values[placeholder] = av
        return placeholder
