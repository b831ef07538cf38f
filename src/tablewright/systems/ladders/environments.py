"""One model, several environments: what a table is called, tagged and guarded by in each.

``Db(transport, names=Environment("dev").physical)`` runs the model in an environment; set-up takes
the rest of its settings from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.model import Table

PRODUCTION = "prod"


@dataclass(frozen=True)
class Environment:
    """The settings that differ between environments; all others stand with the tables."""

    name: str

    def __post_init__(self) -> None:
        if re.fullmatch(r"[a-z0-9-]{1,20}", self.name) is None:
            raise ValueError(f"{self.name!r} is no environment: letters, digits and - are allowed")

    def physical(self, table: str) -> str:
        """The name of a table in the account."""
        return f"osem-{self.name}-{table}"

    def tags(self, table: Table) -> dict[str, str]:
        return {**table.tags, "Environment": self.name}

    @property
    def guarded(self) -> bool:
        """Whether tables can be restored to any second, and not be deleted by mistake."""
        return self.name == PRODUCTION

    def table(self, table: Table) -> Table:
        """The table as it stands in the account, for requests that create or compare it."""
        return Table(
            self.physical(table.name),
            pk=table.pk,
            sk=table.sk,
            indexes=tuple(table.indexes.values()),
            discriminator=table.discriminator,
            delimiter=table.delimiter,
            ttl=table.ttl,
            billing=table.billing,
            stream=table.stream,
            pitr=self.guarded or table.pitr,
            tags=self.tags(table),
            table_class=table.table_class,
            deletion_protection=self.guarded or table.deletion_protection,
        )
