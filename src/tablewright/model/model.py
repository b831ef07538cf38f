"""The model: all tables, entities and patterns of one system, as later tools read them."""

from __future__ import annotations

import copy
import sys
from types import ModuleType
from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError
from tablewright.model.pattern import Pattern
from tablewright.model.table import Table


class Model:
    """What the named modules declare: ``model = Model("orders", __name__)``, as their last line.

    Tables are found by their entities too. Things imported from elsewhere do not count, unless
    their module is named as well.
    """

    def __init__(self, name: str, *modules: str | ModuleType) -> None:
        self.name = name
        self.tables: dict[str, Table] = {}
        self.entities: dict[str, EntityDef[Any]] = {}
        self.patterns: dict[str, Pattern[..., Any]] = {}
        if not modules:
            raise ModelError(f"model {name}: name the modules that declare it, such as __name__")
        for module in modules:
            self._collect(_module(name, module))

    def table(self, name: str) -> Table:
        """The table of that name; :class:`ModelError` if there is none."""
        found = self.tables.get(name)
        if found is None:
            raise ModelError(
                f"model {self.name} has no table {name}; it has {', '.join(self.tables)}"
            )
        return found

    def joined(self, other: Model) -> Model:
        """Both as one, under this one's name: what is deployed and permitted together."""
        whole = copy.copy(self)
        for kept, what in (("tables", "table"), ("entities", "entity"), ("patterns", "pattern")):
            own: dict[str, Any] = dict(getattr(self, kept))
            for name, value in getattr(other, kept).items():
                self._add(own, name, value, what)
            setattr(whole, kept, own)
        return whole

    def _collect(self, module: ModuleType) -> None:
        for value in list(vars(module).values()):
            if isinstance(value, Table):
                self._add(self.tables, value.name, value, "table")
            elif isinstance(value, Pattern) and value.module == module.__name__:
                self._add(self.patterns, value.name, value, "pattern")
            elif _declared_in(value, module):
                known: EntityDef[Any] = value.__tablewright__
                self._add(self.tables, known.table.name, known.table, "table")
                self._add(self.entities, known.cls.__name__, known, "entity")

    def _add(self, kept: dict[str, Any], name: str, value: object, what: str) -> None:
        if kept.setdefault(name, value) is not value:
            raise ModelError(f"model {self.name}: two things are called {what} {name}")

    def __repr__(self) -> str:
        return (
            f"<model {self.name}: {len(self.tables)} tables, {len(self.entities)} entities, "
            f"{len(self.patterns)} patterns>"
        )


def _module(model: str, module: str | ModuleType) -> ModuleType:
    if isinstance(module, ModuleType):
        return module
    found = sys.modules.get(module)
    if found is None:
        raise ModelError(f"model {model}: no module {module!r} has been imported")
    return found


def _declared_in(value: object, module: ModuleType) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Entity)
        and value.__module__ == module.__name__
        and "__tablewright__" in value.__dict__
    )
