"""The options that say where a command works; what they cost to know is next to nothing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.cli.models import own_names

if TYPE_CHECKING:
    from tablewright.deploy.naming import Naming


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Place:
    """The options that say where."""

    endpoint: str | None = None
    "The database at this URL: tablewright engine, DynamoDB Local, any that speaks DynamoDB."
    data: Path | None = None
    "The embedded database in this folder."
    aws: bool = False
    "DynamoDB on AWS."
    region: str | None = None
    "The region; otherwise AWS_REGION, or what the profile says."
    profile: str | None = None
    "A profile of the AWS configuration."
    prefix: str = ""
    "Stands before all table names: --prefix osem --env prod makes osem-prod-Users."
    env: Annotated[str, Parameter(name="--env")] = ""
    "The environment, part of all table names; prod asks for recovery and deletion protection."
    own: Annotated[Mapping[str, str], Parameter(parse=False)] = field(default_factory=dict)

    @property
    def naming(self) -> Naming:
        from tablewright.deploy.naming import Naming

        return Naming(self.prefix, self.env, self.own)

    def command(self, verb: str, model: str) -> str:
        """Write the command of `tablewright tables` that does something at this place."""
        given: dict[str, str | Path | None] = {
            "--data": self.data,
            "--endpoint": self.endpoint,
            "--region": self.region,
            "--profile": self.profile,
            "--prefix": self.prefix,
            "--env": self.env,
        }
        words = ["tablewright", "tables", verb, model, *(["--aws"] if self.aws else [])]
        for name, value in given.items():
            words += [name, str(value)] if value else []
        return shlex.join(words)

    def of(self, model: str) -> Place:
        """The same place, with the names that the tables of this model have there."""
        return replace(self, own=own_names(model))
