"""What one call to a source gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from tablewright.systems.sentiment.rules.records import Record


@dataclass(frozen=True)
class Found:
    """A page of records, and how many there were that are none."""

    records: list[Record] = field(default_factory=list)
    bad: int = 0
    #: There is more on the next page.
    more: bool = False
    #: There is more, but the source does not give it.
    cut: bool = False
    etag: str | None = None
    last_modified: str | None = None

    @property
    def newest(self) -> datetime | None:
        """When the latest of them was published."""
        return max((each.published_at for each in self.records if each.published_at), default=None)
