"""Long lists on pages: searched and cut on the server, so that a page stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Generic, TypeAlias, TypeVar

from pydantic import BeforeValidator

from tablewright.service.paths import with_query
from tablewright.service.search import Matcher

T = TypeVar("T")

#: Rows of one page.
ROWS: Final = 50


def _read_number(text: object) -> object:
    readable = isinstance(text, str) and text.isascii() and text.isdigit() and len(text) < 6
    return int(str(text)) if readable else 1


#: The number of a page in an address; what is no number is the first page.
PageNumber: TypeAlias = Annotated[int, BeforeValidator(_read_number)]


@dataclass(frozen=True)
class RowPage(Generic[T]):
    """Some rows of a list, and where the next ones are."""

    rows: Sequence[T]
    #: How many match altogether.
    total: int
    #: "" at the end.
    more: str


def page_of_rows(
    rows: Iterable[T],
    fields: Callable[[T], Iterable[str | None]],
    path: str,
    *,
    q: str = "",
    page: int = 1,
    **chosen: str,
) -> RowPage[T]:
    """Return a page of the rows that contain every word of ``q``, in their order."""
    matcher = Matcher(q)
    found = [each for each in rows if matcher.matches(fields(each))]
    at = min(max(page, 1), len(found) // ROWS + 1)
    more = with_query(path, q=q, **chosen, page=at + 1) if len(found) > at * ROWS else ""
    return RowPage(found[(at - 1) * ROWS : at * ROWS], len(found), more)
