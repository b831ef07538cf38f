"""A made-up system that tells its news by streams, and how a browser reads them."""

# FastAPI reads the annotations of routes that are made inside a function, so none is postponed.
import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from tablewright.model import Entity, Key, Model, Table
from tablewright.service.auth import Principal
from tablewright.service.kit.idempotent_routes import idempotent
from tablewright.service.problems import forbidden
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System

board = Table("Board", pk="PK", sk="SK")


class Post(Entity, table=board, keys={"primary": Key("POST#{post_id}", "POST")}):
    post_id: str


@dataclass
class Seen:
    """What a test sees of the system from outside of its loop."""

    posts: int = 0
    #: Holds up whoever posts, until it is set.
    gate: asyncio.Event | None = None
    #: Paths whose kept answers nobody is given any more.
    barred: set[str] = field(default_factory=set)


SEEN = Seen()


def routes(runtime: Runtime) -> APIRouter:
    router = APIRouter(route_class=idempotent(runtime))

    async def whole() -> dict[str, object]:
        return {"posts": SEEN.posts}

    @router.get("/events")
    async def events(request: Request) -> Response:
        return runtime.events.stream(request, ["posts"], lasting=["kept"], snapshot=whole)

    @router.post("/posts", status_code=201)
    async def add(request: Request, text: str = "") -> dict[str, object]:
        SEEN.posts += 1
        if SEEN.gate is not None:
            await SEEN.gate.wait()
        runtime.events.publish("posts", "added", {"number": SEEN.posts, "text": text})
        return {"number": SEEN.posts}

    @router.post("/kept", status_code=204)
    async def keep(text: str) -> None:
        await runtime.db.run(
            runtime.events.entry("kept", "kept", {"text": text}, at=runtime.clock.now())
        )
        runtime.events.wake()

    return router


async def not_barred(request: Request, by: Principal) -> None:
    if request.url.path in SEEN.barred:
        raise forbidden()


def guarded_routes(runtime: Runtime) -> APIRouter:
    router = APIRouter(route_class=idempotent(runtime, not_barred))

    @router.post("/guarded", status_code=201)
    async def add_guarded() -> dict[str, object]:
        SEEN.posts += 1
        return {"number": SEEN.posts}

    return router


def build(runtime: Runtime) -> Parts:
    return Parts(routers=[routes(runtime), guarded_routes(runtime)])


system = System(
    name="board",
    title="Board",
    about="Posts on a board.",
    model=Model("board", __name__),
    build=build,
)


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """One event, as a browser would have it; a comment has no kind."""

    kind: str
    data: str = ""
    id: str | None = None


def told(block: str) -> Told | None:
    """What one block of lines says; None if it is only the time to wait."""
    if block.startswith(":"):
        return Told("")
    fields: dict[str, list[str]] = {}
    for line in block.splitlines():
        name, _, value = line.partition(": ")
        fields.setdefault(name, []).append(value)
    if "event" not in fields:
        assert list(fields) == ["retry"]
        return None
    assert len(fields["event"]) == 1
    return Told(fields["event"][0], "\n".join(fields["data"]), fields.get("id", [None])[0])


def blocks(lines: Iterable[str]) -> Iterator[Told]:
    """What the lines of an answer say, as they come."""
    waiting: list[str] = []
    for line in lines:
        if line:
            waiting.append(line)
            continue
        found = told("\n".join(waiting))
        waiting.clear()
        if found is not None:
            yield found


async def chunks(body: AsyncIterator[bytes]) -> AsyncIterator[Told]:
    """The same for the body of an answer that was not sent anywhere."""
    async for chunk in body:
        assert chunk.endswith(b"\n\n")
        found = told(chunk.decode()[:-2])
        if found is not None:
            yield found
