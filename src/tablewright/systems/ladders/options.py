"""Ladders' own settings: the section ``[ladders]``, ``TABLEWRIGHT_LADDERS_…``."""

from __future__ import annotations

from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    # A path, a folder and a file that is no zone are all none.
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("must be a time zone, such as Europe/Berlin") from None
    return name


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Whoever has an address there may sign in; everybody else is invited.
    email_domains: frozenset[str] = Field(
        default=frozenset(), json_schema_extra={"variable": "LADDERS_EMAIL_DOMAINS"}
    )
    #: Times in mails and on pages are of the clock here.
    zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    #: Of one user; somebody who types saves every few seconds.
    requests_per_minute: int = Field(default=600, ge=1, le=1_000_000)
