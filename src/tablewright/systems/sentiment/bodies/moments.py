"""Moments in answers: all in the one form that the store, the exports and the events have, too."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, TypeAlias

from pydantic import PlainSerializer, WithJsonSchema

from tablewright.systems.sentiment.rules.moments import moment_text

Moment: TypeAlias = Annotated[
    datetime,
    PlainSerializer(moment_text, return_type=str, when_used="json"),
    WithJsonSchema(
        {"type": "string", "format": "date-time", "examples": ["2026-11-20T12:07:31.123Z"]}
    ),
]
