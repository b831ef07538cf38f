"""Articles that arrive while somebody looks at a view.

An article that belongs to the view comes as a line of its list; one that does not (any more) comes
as its id alone, so that the list drops it. Whatever else happens is told without a word: parts of
the page listen, and fetch themselves. The line is the same for everybody, and is made once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tablewright.service.events import Event
from tablewright.service.pages import Pages
from tablewright.systems.sentiment.pages.dashboard_filters import View
from tablewright.systems.sentiment.pages.rows import Line, line_of, row_told
from tablewright.systems.sentiment.rules.filters import ArticleRow, fits

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.auth import Principal
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Lines that are kept, for all who look.
_KEPT = 200


class Arrivals:
    """What arrives, as pieces of a page."""

    def __init__(self, newsroom: Newsroom, pages: Pages) -> None:
        self._newsroom = newsroom
        self._pages = pages
        self._lines: OrderedDict[str, str] = OrderedDict()

    def stream(self, request: Request, by: Principal, view: View) -> Response:
        """What happens from now on, to somebody who looks at a view."""

        def render(event: Event) -> str:
            return self._told(event, view) if event.kind == "item" else ""

        return self._newsroom.live.stream(request, by, snapshot=_nothing, render=render)

    def _told(self, event: Event, view: View) -> str:
        row = row_told(event.data)
        if row is None:
            return ""
        line = line_of(row)
        if not self._belongs(row, view):
            return self._pages.fragment("sentiment/_gone.html", id=line.id)
        return self._html(event.entry, line)

    def _belongs(self, row: ArticleRow, view: View) -> bool:
        wanted = view.wanted(self._newsroom.now())
        in_time = (wanted.since is None or row.timestamp >= wanted.since) and (
            wanted.until is None or row.timestamp < wanted.until
        )
        return in_time and fits(row, wanted)

    def _html(self, entry: str, line: Line) -> str:
        found = self._lines.get(entry)
        if found is None:
            found = self._lines[entry] = self._pages.fragment("sentiment/_arrived.html", line=line)
            if len(self._lines) > _KEPT:
                self._lines.popitem(last=False)
        return found


async def _nothing() -> Mapping[str, object]:
    """The page has its own picture; that the stream has begun is all that it has to know."""
    return {}
