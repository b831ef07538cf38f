"""The steps of a migration: inert, so that they can be shown before anything is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.model.table import Table

Kind: TypeAlias = Literal[
    "create table", "settings", "backfill", "create index", "drop index", "refused"
]


@dataclass(frozen=True)
class Step:
    """One thing to do to one table."""

    table: Table
    kind: Kind
    text: str
    #: Sent one after another; the table is ACTIVE again before the next.
    requests: tuple[tuple[str, dict[str, Any]], ...] = ()
    #: The index it is about; of a backfill, all of them.
    indexes: tuple[str, ...] = ()
    #: What is gone afterwards; such a step needs to be confirmed.
    loses: str = ""
    #: What to do instead, of a step that is refused; what to know, of any other.
    advice: str = ""

    def as_json(self) -> dict[str, object]:
        told = {
            "table": self.table.name,
            "kind": self.kind,
            "text": self.text,
            "requests": [{"operation": name, "body": body} for name, body in self.requests],
            "indexes": list(self.indexes),
            "loses": self.loses,
            "advice": self.advice,
        }
        return {name: value for name, value in told.items() if value}
