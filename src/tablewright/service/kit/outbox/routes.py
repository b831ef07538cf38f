"""The outbox of a system over HTTP, for its administrators."""

# FastAPI reads the annotations of routes, and some are local to a function: not postponed here.
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel

from tablewright.service.auth.principal import Principal
from tablewright.service.bodies import Day
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import Letters, handle_of
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import refusals

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime


Handle = Annotated[str, Path(description="What the list calls the message by.")]
SentOn = Annotated[Day | None, Query(description="A day in UTC. Absent: today.")]


class MessageOut(BaseModel):
    """A message, without what it says."""

    handle: str
    message_id: str
    kind: str
    subject: str
    at: datetime
    attempts: int
    delivered: list[str]
    error: str | None
    ended_at: datetime | None

    @classmethod
    def of(cls, entry: OutboxEntry) -> "MessageOut":
        return cls(
            handle=handle_of(entry),
            message_id=entry.message_id,
            kind=entry.kind,
            subject=entry.subject,
            at=entry.at,
            attempts=entry.attempts,
            delivered=sorted(entry.delivered),
            error=entry.error,
            ended_at=entry.ended_at,
        )


def outbox_routes(runtime: "Runtime") -> APIRouter:
    """To be included below ``/api/v1``."""
    router = APIRouter(prefix="/outbox")
    letters = Letters(runtime.db, runtime.clock)
    admin = Annotated[Principal, Depends(runtime.auth.require("admin"))]

    @router.get("/dead")
    async def list_dead_messages(principal: admin, paging: Paging) -> PageBody[MessageOut]:
        """Messages that were given up, newest first."""
        page = await letters.dead(limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [MessageOut.of(entry) for entry in page])

    @router.get("/sent")
    async def list_sent_messages(
        principal: admin, paging: Paging, day: SentOn = None
    ) -> PageBody[MessageOut]:
        """Messages that were sent on a day (UTC; today if none is given), newest first."""
        wanted = day or datetime.fromtimestamp(runtime.clock.now(), UTC).date()
        page = await letters.sent(wanted, limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [MessageOut.of(entry) for entry in page])

    @router.post("/dead/{handle}/retry", status_code=204, responses=refusals(404))
    async def retry_message(principal: admin, handle: Handle) -> None:
        """Send a message after all; who has it already does not get it again."""
        await letters.retry(principal, handle)

    @router.delete("/dead/{handle}", status_code=204, responses=refusals(404))
    async def discard_message(principal: admin, handle: Handle) -> None:
        """Delete a message that nobody wants any more."""
        await letters.discard(principal, handle)

    return router
