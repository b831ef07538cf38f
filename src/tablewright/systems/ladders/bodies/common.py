"""What the bodies of all subjects share: texts of several lines, and ids."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from tablewright.service.bodies import LINES
from tablewright.systems.ladders.fields import ConfigVersionText, is_version


def _storable(text: str) -> str:
    if any(unicodedata.category(each) == "Cs" for each in text):
        raise ValueError("must be well-formed Unicode")
    return text


def lines(most: int, least: int = 0) -> tuple[Any, AfterValidator]:
    """A text of several lines: ``Annotated[str, *lines(2000)]``."""
    return Field(min_length=least, max_length=most, pattern=LINES), AfterValidator(_storable)


def _stripped(text: object) -> object:
    return text.strip() if isinstance(text, str) else text


#: Why something is done again; blanks around it are no part of it, and none at all.
Reason: TypeAlias = Annotated[str, *lines(500, least=5), BeforeValidator(_stripped)]
_ID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


def _check_id(text: object) -> object:
    if isinstance(text, str) and not re.fullmatch(_ID, text):
        raise ValueError("must be an id, such as 4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10")
    return text


def _check_version(text: object) -> object:
    if isinstance(text, str) and not is_version(text):
        raise ValueError("must be three numbers, such as 1.1.0")
    return text


#: An id in a body; those in paths are just not there if they are none.
Id: TypeAlias = Annotated[str, Field(pattern=_ID), BeforeValidator(_check_id)]
#: The number of a version of the ladder.
VersionIn: TypeAlias = Annotated[ConfigVersionText, BeforeValidator(_check_version)]
