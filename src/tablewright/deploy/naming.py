"""What tables are called in an account, and what an environment asks of them."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.model.model import Model
    from tablewright.model.table import Table

#: Environments in which nothing may be lost by accident.
PRODUCTION = frozenset({"prod", "production"})
#: Stands for the environment in the value of a tag.
ENV = "{env}"


@dataclass(frozen=True)
class Naming:
    """``--prefix osem --env prod``: the table Users is ``osem-prod-Users`` there."""

    prefix: str = ""
    env: str = ""
    #: Tables whose own name differs from the logical one: several models have a table ``kit``.
    own: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, table: str) -> str:
        """The physical name of a table."""
        parts = (self.prefix.rstrip("-"), self.env, self.own_name(table))
        return "-".join(part for part in parts if part)

    def own_name(self, table: str) -> str:
        """A table's name without what stands before all of them."""
        return self.own.get(table, table)

    @property
    def environment(self) -> str:
        """What tags call the environment, even where names leave it out."""
        return self.env or "dev"

    @property
    def production(self) -> bool:
        return self.env.lower() in PRODUCTION

    def label(self, model: Model) -> str:
        """What a person types to say that they mean this one."""
        return "-".join(part for part in (self.prefix.rstrip("-") or model.name, self.env) if part)

    def tables(self, model: Model) -> list[Table]:
        """The model's tables as the environment wants them."""
        return [self.table(table) for table in model.tables.values()]

    def table(self, table: Table) -> Table:
        """A tag ``Environment`` names it; production can be recovered, and is not deleted."""
        own = copy.copy(table)
        tags = self.tags(table)
        own.tags = {key: value.replace(ENV, self.environment) for key, value in tags.items()}
        if self.production:
            own.pitr = table.pitr or True
            own.deletion_protection = True
        return own

    def tags(self, table: Table) -> dict[str, str]:
        """A table's tags, with ``{env}`` where they name the environment."""
        named = [key for key in table.tags if key.lower() == "environment" and self.env]
        return {**table.tags, **dict.fromkeys(named, ENV)}
