"""Where the names in a drawing lead, and what is said beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _nothing(name: str) -> str:
    return ""


@dataclass(frozen=True)
class Leads:
    """Each function is given a name; "" is nowhere, or nothing to say."""

    #: The address of an entity, and of a pattern.
    entity: Callable[[str], str] = _nothing
    pattern: Callable[[str], str] = _nothing
    #: A word or a sign about one.
    about_entity: Callable[[str], str] = _nothing
    about_pattern: Callable[[str], str] = _nothing
    #: The style of an entity's box.
    entity_style: Callable[[str], str] = _nothing


#: A drawing that stands alone.
NOWHERE = Leads()
