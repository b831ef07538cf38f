"""Sentiment's own settings: the section ``[sentiment]``, ``TABLEWRIGHT_SENTIMENT_…``."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Options(BaseModel):
    """What an operator may choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    #: Streams that may be open in a process, and of one person.
    streams: int = Field(default=100, ge=1)
    streams_per_user: int = Field(default=5, ge=1)
