"""Ladders' own settings: the section ``[ladders]``, ``TABLEWRIGHT_LADDERS_…``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Whoever has an address there may sign in; everybody else is invited.
    email_domains: frozenset[str] = Field(
        default=frozenset(), json_schema_extra={"variable": "LADDERS_EMAIL_DOMAINS"}
    )
    #: A day in reminders begins and ends here.
    zone: str = "UTC"
    #: Of one user; somebody who types saves every few seconds.
    requests_per_minute: int = Field(default=600, ge=1, le=1_000_000)
