"""``limit`` and ``cursor`` of every list, and the page that answers them.

::

    @router.get("/orgs")
    async def orgs(paging: Paging) -> PageBody[OrgOut]:
        page = await db.run(all_orgs(), limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [OrgOut.of(org) for org in page])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field

from tablewright.client import Page

T = TypeVar("T")

DEFAULT_LIMIT = 50
MOST_LIMIT = 100


@dataclass(frozen=True)
class PageRequest:
    """Which part of a list is asked for."""

    limit: int
    #: What an earlier page gave; None is the beginning.
    cursor: str | None


# Asynchronous, or it would be called in a thread.
async def _asked(
    limit: Annotated[
        int, Query(ge=1, le=MOST_LIMIT, description="The most that may be on the page.")
    ] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None,
        Query(min_length=1, max_length=4096, description="`next_cursor` of the page before."),
    ] = None,
) -> PageRequest:
    return PageRequest(limit, cursor)


#: The parameter of a route.
Paging = Annotated[PageRequest, Depends(_asked)]


class PageBody(BaseModel, Generic[T]):
    """A part of a list."""

    items: list[T]
    next_cursor: str | None = Field(
        default=None, description="Give it as `cursor` for what follows; null at the end."
    )


def page_body(page: Page[object], items: Sequence[T]) -> PageBody[T]:
    """The answer: what to show for the results of a page, and where the next one begins."""
    return PageBody(items=list(items), next_cursor=page.cursor)
