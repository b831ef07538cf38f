"""``If-Match``, ``If-None-Match`` and ``ETag`` of routes, and what the reference says of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Header

from tablewright.service.preconditions import Precondition


# Asynchronous, or it would be called in a thread.
async def _said(
    if_match: Annotated[
        str | None, Header(description="The ETag of what you change; not for what is new.")
    ] = None,
    if_none_match: Annotated[
        str | None, Header(description="`*`: create it, and do not touch one that is there.")
    ] = None,
) -> Precondition:
    return Precondition(if_match, if_none_match)


#: The parameter of a route.
Said = Annotated[Precondition, Depends(_said)]

#: The headers of an answer.
ETAG: dict[str, Any] = {
    "ETag": {
        "description": "The version, for If-Match.",
        "required": True,
        "schema": {"type": "string"},
    }
}
