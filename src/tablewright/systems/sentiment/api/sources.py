"""``/sources``: where articles come from, and reading them now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Response

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.sentiment.bodies.sources import (
    RunOut,
    SourceChange,
    SourceIn,
    SourceOut,
    run_out,
    source_out,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

Name = Annotated[str, Path(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$", description="The source's name.")]
_UNSAFE = "`INVALID`, or `UNSAFE_URL`: the address is not https, or not public."
_ONE: Responses = {200: {"headers": ETAG}, **refusals(404)}
_CREATED: Responses = {
    201: {"headers": ETAG},
    **refusals(
        {409: "`ALREADY_EXISTS`, or `SOURCES_FULL`.", 422: _UNSAFE},
    ),
}
_CHANGED: Responses = {
    200: {"headers": ETAG},
    **refusals(404, 412, 428, {422: _UNSAFE}),
}
_RUN = refusals(
    404,
    {
        409: "`ALREADY_RUNNING`; `QUOTA_EXHAUSTED` until midnight, UTC; `BREAKER_OPEN`: it has "
        "failed, or asks to be left alone; `SOURCE_DISABLED`; `NOT_CONFIGURED`: without a key."
    },
)


def router(newsroom: Newsroom) -> APIRouter:
    """The routes of sources."""
    routes = APIRouter(prefix="/api/v1/sources", tags=["sources"])
    admin = Depends(newsroom.runtime.auth.require("admin"))
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))

    @routes.get("")
    async def list_sources(_: Principal = admin) -> PageBody[SourceOut]:
        """All sources, and how they do."""
        found = await newsroom.sources.standings()
        return PageBody(items=[source_out(each) for each in found])

    @routes.post("", status_code=201, responses=_CREATED)
    async def create_source(body: SourceIn, response: Response, by: Principal = admin) -> SourceOut:
        """A new source. Its address is checked now, and each time that it is read."""
        standing = await newsroom.sources.create(body, by)
        response.headers["ETag"] = etag(standing.source.revision)
        return source_out(standing)

    @routes.get("/{name}", responses=_ONE)
    async def get_source(name: Name, response: Response, _: Principal = admin) -> SourceOut:
        """One source; its ETag is what a change is made with."""
        standing = await newsroom.sources.get(name)
        response.headers["ETag"] = etag(standing.source.revision)
        return source_out(standing)

    @routes.put("/{name}", responses=_CHANGED)
    async def change_source(
        name: Name, body: SourceChange, said: Said, response: Response, by: Principal = admin
    ) -> SourceOut:
        """Other settings (If-Match). With another address it is read from its beginning."""
        standing = await newsroom.sources.save(name, body, by, said)
        response.headers["ETag"] = etag(standing.source.revision)
        return source_out(standing)

    @routes.delete("/{name}", status_code=204, responses=refusals(404, 412))
    async def delete_source(name: Name, said: Said, by: Principal = admin) -> None:
        """Delete a source. Articles that came from it stay."""
        await newsroom.sources.delete(name, by, said)

    @routes.post("/{name}/run", status_code=202, responses=_RUN)
    async def run_source(name: Name, by: Principal = operator) -> RunOut:
        """Read it now. The answer is the run that has begun; look at its end among the runs."""
        return run_out(await newsroom.sources.run_now(name, by))

    @routes.get("/{name}/runs", responses=refusals(404))
    async def list_runs(name: Name, paging: Paging, _: Principal = operator) -> PageBody[RunOut]:
        """The runs of a source, the latest first."""
        page = await newsroom.sources.runs_of(name, paging.limit, paging.cursor)
        return page_body(page, [run_out(each) for each in page])

    return routes
