"""What a template is to hold beside the tables, and for which environment."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.deploy.naming import Naming
from tablewright.deploy.problems import UNKNOWN, DeployError, Problem
from tablewright.deploy.templates.alarms import MetricAlarm
from tablewright.deploy.templates.iam.access import Access
from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.model.table import Table


@dataclass(frozen=True)
class Settings:
    """The choices of whoever asks for a template."""

    naming: Naming = field(default_factory=Naming)
    #: Provisioned units may grow to so many times what is declared; 1 is no scaling.
    scale: int = 10
    alarms: bool = True
    #: Alarms on metrics of the system's own, beside those of the tables.
    metric_alarms: Sequence[MetricAlarm] = ()
    #: A managed policy for each component.
    policies: bool = False
    vpc_endpoint: bool = False
    access_log: bool = False
    #: What components do beside their own patterns.
    access: Access = field(default_factory=Access)
    #: A sample call of each pattern, which sharpens the policies.
    calls: Mapping[str, Op[Any]] = field(default_factory=dict)

    @property
    def prefix(self) -> str:
        """What stands before every table's name, the environment left out."""
        return Naming(self.naming.prefix)("x").removesuffix("x")

    @property
    def before(self) -> str:
        """What stands before every table's name, the environment included."""
        return self.naming("x").removesuffix("x")

    def tables(self, model: Model) -> list[Table]:
        """The tables as the environment wants them, with ``{env}`` in tags for the parameter."""
        made = []
        for declared in model.tables.values():
            table = self.naming.table(declared)
            table.tags = self.naming.tags(declared)
            made.append(table)
        return made


def check_distinct(tables: Iterable[Table], name: Callable[[str], str]) -> None:
    """Raise if two tables, or two indexes of one, would share the name of a resource."""
    given = list(tables)
    _check_distinct("tables", [table.name for table in given], name)
    for table in given:
        _check_distinct(f"indexes of {table.name}", list(table.indexes), name)


def _check_distinct(what: str, given: Iterable[str], name: Callable[[str], str]) -> None:
    seen: dict[str, str] = {}
    for each in given:
        other = seen.setdefault(name(each), each)
        if other != each:
            text = f"the {what} {other} and {each} would both be called {name(each)} in a template"
            raise DeployError(Problem(UNKNOWN, text, {}, ("Rename one of them in the model.",)))


def identifier(*parts: str) -> str:
    """A name for a resource in a template: letters and digits, each part beginning large."""
    words = re.findall(r"[A-Za-z0-9]+", " ".join(parts))
    return "".join(word[0].upper() + word[1:] for word in words)


def snake(text: str) -> str:
    """A name for a resource: ``by-status`` and ``ByStatus`` are ``by_status``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")
