"""A made-up system, as small as one can be: notes on a shelf."""

# FastAPI reads the annotations of routes that are made inside a function, so none is postponed.
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Header
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tablewright.model import Entity, Key, Model, Put, Table, get, put, query, write
from tablewright.model.errors import OutcomeUnknown, Throttled, VersionConflict
from tablewright.model.types import Version
from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problems import Problem, not_found
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.service.workers import Held, Worker

shelf = Table("Shelf", pk="PK", sk="SK")


class Note(Entity, table=shelf, keys={"primary": Key("SHELF#{shelf}", "NOTE#{note_id}")}):
    shelf: str
    note_id: str
    text: str = ""
    version: Version = 0


@get(Note)
def note(shelf: str, note_id: str) -> None:
    """One note."""


@query(Note)
def notes(shelf: str) -> None:
    """The notes of a shelf."""


@write(component="api")
def save_note(note: Note) -> Put[Note]:
    """A note, new or changed."""
    return put(note)


model = Model("shelf", __name__)


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    greeting: str = "hello"


class NoteIn(BaseModel):
    """A note as it comes."""

    model_config = ConfigDict(extra="forbid")

    note_id: str = Field(min_length=1, max_length=20, pattern="^[a-z0-9]+$")
    text: str = Field(default="", max_length=1000)


class NoteOut(BaseModel):
    """A note as it goes."""

    note_id: str
    text: str
    version: int


class Life:
    """What a test can see and change of the system while it runs."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.wrong = ""
        self.slow = asyncio.Event()
        self.worked = 0


LIFE = Life()


def _out(found: Note) -> NoteOut:
    return NoteOut(note_id=found.note_id, text=found.text, version=found.version)


def routes(runtime: Runtime) -> APIRouter:
    router = APIRouter(prefix="/api/v1")
    db = runtime.db

    @router.get("/shelves/{shelf}/notes")
    async def list_notes(shelf: str, paging: Paging) -> PageBody[NoteOut]:
        page = await db.run(notes(shelf), limit=paging.limit, cursor=paging.cursor)
        return page_body(page, [_out(each) for each in page])

    @router.post("/shelves/{shelf}/notes", status_code=201)
    async def add_note(shelf: str, body: NoteIn) -> NoteOut:
        made = Note(shelf=shelf, note_id=body.note_id, text=body.text)
        return _out(await db.run(save_note(made)))

    @router.get("/shelves/{shelf}/notes/{note_id}")
    async def one_note(shelf: str, note_id: str) -> NoteOut:
        found = await db.run(note(shelf, note_id))
        if found is None:
            raise not_found("note")
        return _out(found)

    @router.put("/shelves/{shelf}/notes/{note_id}")
    async def change_note(
        shelf: str, note_id: str, body: NoteIn, if_match: Annotated[int, Header(ge=0, le=10**9)]
    ) -> NoteOut:
        changed = Note(shelf=shelf, note_id=note_id, text=body.text, version=if_match)
        return _out(await db.run(save_note(changed)))

    @router.post("/forms", status_code=204)
    async def form(name: Annotated[str, Form()]) -> None:
        del name

    @router.get("/secret")
    async def secret(who: Annotated[Principal, Depends(runtime.auth.require("keeper"))]) -> str:
        return who.name

    @router.get("/greeting")
    async def greeting() -> dict[str, str]:
        return {"greeting": runtime.options(Options).greeting}

    return router


def odd_routes() -> APIRouter:
    """Everything that can go wrong; not documented."""
    router = APIRouter(prefix="/odd", include_in_schema=False)
    raised = {
        "fault": lambda: RuntimeError("password=hunter2 of ann@example.org"),
        "problem": lambda: Problem(418, "TEAPOT", "No coffee.", extra={"size": 2, "status": 1}),
        "stale": lambda: VersionConflict("SHELF#x"),
        "throttled": lambda: Throttled("too much on SHELF#x"),
        "unknown": lambda: OutcomeUnknown("SHELF#x"),
    }

    @router.get("/raise/{what}")
    async def fail(what: str) -> None:
        raise raised[what]()

    @router.get("/sleep")
    async def sleep(secs: float) -> str:
        await asyncio.sleep(secs)
        return "done"

    @router.get("/stream")
    async def stream(lines: int, secs: float = 0.0, fail: bool = False) -> Response:
        return StreamingResponse(_lines(lines, secs, fail), media_type="text/csv")

    @router.get("/kept")
    async def kept() -> Response:
        return Response("ok", headers={"Cache-Control": "max-age=60"})

    return router


async def _lines(lines: int, secs: float, fail: bool) -> AsyncIterator[str]:
    for number in range(lines):
        yield f"{number}\n"
        await asyncio.sleep(secs)
    if fail:
        raise RuntimeError("the rest is lost")


def events_routes(runtime: Runtime) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/events")
    async def events(request: Request) -> Response:
        return runtime.events.stream(request, ["notes"])

    return router


def build(runtime: Runtime) -> Parts:
    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        LIFE.steps.append("open")
        yield
        LIFE.steps.append("close")

    async def health() -> str:
        if LIFE.wrong == "raise":
            raise RuntimeError("the check itself")
        if LIFE.wrong == "hang":
            await asyncio.sleep(60)
        return LIFE.wrong

    async def work(held: Held) -> None:
        LIFE.worked += 1

    return Parts(
        routers=[routes(runtime), odd_routes(), events_routes(runtime)],
        workers=[Worker("count", every=60, run=work)],
        lifespan=lifespan,
        health=health,
    )


system = System(
    name="shelf",
    title="Shelf",
    about="Notes on a shelf.",
    model=model,
    build=build,
    roles=("keeper",),
    options=Options,
)
