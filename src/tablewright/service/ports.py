"""Ports: what one system does for another, though neither knows the other.

A system says in its :class:`~tablewright.service.system.Parts` what it ``offers`` to the others of
its process, and how it is told what there is (``joined``). Only a process on its own machine joins
them (``Settings.local``): whoever may use one system may do there what it needs of the other. All
others are connected by an address and an API key, whose owner has given it away on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tablewright.service.system import Parts


@dataclass(frozen=True)
class HandedRow:
    """A repository that is handed in for a team."""

    team_name: str
    repo_url: str
    #: What the giver calls it: the same one is the same submission, however often it is sent.
    external_id: str


@dataclass(frozen=True)
class RowResult:
    """What became of it: taken as ``sub_id``, or why not."""

    external_id: str
    sub_id: str | None = None
    #: Whether it was not there before.
    created: bool = False
    code: str | None = None
    detail: str = ""


class SubmissionSink(Protocol):
    """Takes in repositories that are to be judged."""

    async def hand_over(self, hack_id: str, rows: Sequence[HandedRow]) -> list[RowResult]:
        """What became of each row, in their order; up to 500. A Problem if none can be taken."""
        ...


@dataclass(frozen=True)
class Ports:
    """What systems do for each other."""

    submissions: SubmissionSink | None = None


def join(parts: Iterable[Parts]) -> None:
    """Tell each system what the others offer."""
    known = list(parts)
    found: dict[str, object] = {}
    for each in known:
        for port in fields(Ports):
            offered = getattr(each.offers, port.name)
            if offered is not None:
                found.setdefault(port.name, offered)
    for each in known:
        if each.joined is not None:
            each.joined(Ports(**found))  # type: ignore[arg-type]
