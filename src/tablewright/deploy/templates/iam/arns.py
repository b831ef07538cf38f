"""Names of resources: as texts for an account, or as references inside a template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


class Arns(Protocol):
    """How a document names tables, their indexes and streams."""

    def table(self, name: str) -> Any: ...

    def index(self, name: str, index: str) -> Any: ...

    def streams(self, name: str) -> Any: ...

    def backups(self, name: str) -> Any: ...


@dataclass(frozen=True)
class Account:
    """Texts, for a policy document of its own."""

    region: str = "us-east-1"
    account: str = "000000000000"
    prefix: str = ""
    partition: str = "aws"
    #: Tables whose own name differs from the logical one.
    own: Mapping[str, str] = field(default_factory=dict)

    def table(self, name: str) -> str:
        place = f"arn:{self.partition}:dynamodb:{self.region}:{self.account}"
        return f"{place}:table/{self.prefix}{self.own.get(name, name)}"

    def index(self, name: str, index: str) -> str:
        return f"{self.table(name)}/index/{index}"

    def streams(self, name: str) -> str:
        # Each start of a stream has a name of its own, by its time.
        return f"{self.table(name)}/stream/*"

    def backups(self, name: str) -> str:
        return f"{self.table(name)}/backup/*"
