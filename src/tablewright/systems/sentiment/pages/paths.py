"""Where pages are, and who may do what on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.systems.sentiment.rules.ids import shown_id

if TYPE_CHECKING:
    from tablewright.service.auth import Principal

BASE: Final = "/sentiment"
#: Who reads pages: people, and not the keys of programs that send articles.
READERS: Final = ("viewer", "analyst", "operator", "admin")


def item_path(source_id: str) -> str:
    return f"{BASE}/items/{shown_id(source_id)}"


@dataclass(frozen=True)
class Rights:
    """What somebody may do; pages show what they can use."""

    #: Verdicts, topics, alert rules.
    edit: bool
    #: The queue, sources, uploads.
    operate: bool
    #: Models and settings.
    administer: bool

    @classmethod
    def of(cls, who: Principal) -> Rights:
        return cls(who.has("analyst", "admin"), who.has("operator", "admin"), who.has("admin"))
