"""What any source gives of an article, before it is cleaned, matched and stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Record:
    """An article as a source tells it. Nothing here is to be trusted."""

    title: str
    text: str = ""
    url: str | None = None
    #: The publisher's name.
    source: str = ""
    author: str | None = None
    #: With its time zone; None if the source does not say.
    published_at: datetime | None = None
    #: What the source calls it, where its address does not tell it from others.
    guid: str | None = None
    #: The topic that was asked for, if the source was asked for one.
    own_tag: str | None = None
