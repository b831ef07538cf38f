"""Mails to many, as organisers write them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, Field

from tablewright.service.bodies import LINES, line, shown
from tablewright.systems.kurukshetra.fields import TeamStatus

MOST_TEXT: Final = 10_000


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


class AudienceIn(BaseModel):
    """Who gets it: everybody, or those of whom all that is said here is true."""

    model_config = shown(status=["paid"], track="ai-ml")

    status: list[TeamStatus] = Field(
        default_factory=list, max_length=7, description="Members of teams in one of these states."
    )
    track: Annotated[str, Field(min_length=1, max_length=60)] | None = None
    college: Annotated[str, *line(1, 120)] | None = None
    leaders: bool = Field(default=False, description="Only who leads a team.")


class MailIn(BaseModel):
    """What is said, and to whom."""

    model_config = shown(
        subject="Doors open at eight",
        text="Bring your ticket, your laptop and something to sleep on.",
        to={"status": ["paid"]},
    )

    subject: Annotated[str, *line(1, 150)]
    text: Annotated[
        str, Field(min_length=1, max_length=MOST_TEXT, pattern=LINES), AfterValidator(_said)
    ]
    to: AudienceIn = Field(default_factory=AudienceIn)
