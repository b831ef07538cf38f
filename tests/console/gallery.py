"""A made-up system that shows everything a page can be made of: paintings on walls."""

# FastAPI reads the annotations of routes that are made inside a function, so none is postponed.
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.model import Delete, Entity, Key, Model, Put, Table, delete, get, put, query, write
from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, invalid, not_found
from tablewright.service.runtime import Runtime
from tablewright.service.system import NavItem, Parts, System

walls = Table("Gallery", pk="PK", sk="SK", ttl="expires_at")


class Painting(Entity, table=walls, keys={"primary": Key("WALL#{wall}", "PAINTING#{name}")}):
    """A painting on a wall."""

    wall: str
    name: str
    #: In micro-dollars.
    price: int = 0


@get(Painting)
def painting(wall: str, name: str) -> None:
    """One painting."""


@query(Painting)
def paintings(wall: str) -> None:
    """The paintings of a wall."""


@write(component="pages")
def hang(painting: Painting) -> Put[Painting]:
    """A painting on its wall."""
    return put(painting)


@write(component="pages")
def take_down(painting: Painting) -> Delete[Painting]:
    """The wall without it."""
    return delete(painting)


model = Model("gallery", __name__)

#: What is wrong with the system, for tests to say.
WRONG = {"text": ""}
WALL = "north"


def pages_of(runtime: Runtime, pages: Pages) -> APIRouter:
    router = APIRouter()
    db = runtime.db
    Anybody = Annotated[Principal, Depends(runtime.auth.require())]
    Keeper = Annotated[Principal, Depends(runtime.auth.require("keeper"))]

    @router.get("/")
    async def overview(request: Request, who: Anybody) -> Response:
        return pages.render(request, "gallery/overview.html", now=runtime.now())

    @router.get("/live")
    async def live(request: Request, who: Anybody) -> Response:
        return runtime.events.stream(request, ["gallery"])

    @router.get("/count")
    async def count(request: Request, who: Anybody) -> Response:
        return pages.render(request, "gallery/count.html", count=len(await _all(runtime)))

    @router.get("/paintings")
    async def listed(request: Request, who: Anybody, cursor: str | None = None) -> Response:
        page = await db.run(paintings(WALL), limit=3, cursor=cursor)
        return pages.render(request, "gallery/paintings.html", found=list(page), next=page.cursor)

    @router.get("/paintings/new")
    async def new(request: Request, who: Keeper) -> Response:
        return pages.render(request, "gallery/new.html")

    @router.post("/paintings/new")
    async def create(request: Request, who: Keeper) -> Response:
        typed = {name: str(value) for name, value in (await request.form()).items()}
        try:
            made = _painting(typed)
        except Problem as problem:
            status = problem.status
            return pages.render(
                request, "gallery/new.html", status=status, problem=problem, values=typed
            )
        await db.run(hang(made))
        runtime.events.publish("gallery", "painting", {"name": made.name})
        return pages.done(request, "/gallery/paintings", f"{made.name} hangs.")

    @router.post("/paintings/{name}/remove")
    async def remove(request: Request, name: str, who: Keeper) -> Response:
        found = await db.run(painting(WALL, name))
        if found is None:
            raise not_found("painting")
        await db.run(take_down(found))
        return pages.done(request, "/gallery/paintings", f"{name} is taken down.", tone="info")

    @router.get("/broken")
    async def broken(who: Anybody) -> None:
        raise RuntimeError("a frame fell")

    return router


async def _all(runtime: Runtime) -> list[Painting]:
    return [each async for each in runtime.db.iterate(paintings(WALL))]


def _painting(typed: dict[str, str]) -> Painting:
    errors = []
    if not typed.get("name", "").isalnum():
        errors.append(FieldError("body.name", "Letters and digits only."))
    if not typed.get("price", "").isdigit():
        errors.append(FieldError("body.price", "A whole number of dollars."))
    if errors:
        raise invalid(*errors)
    return Painting(wall=WALL, name=typed["name"], price=int(typed["price"]) * 1_000_000)


def routes(runtime: Runtime) -> APIRouter:
    router = APIRouter(prefix="/api/v1")

    @router.get("/paintings/{name}")
    async def one(name: str) -> Painting:
        """One painting, `name` is what it is called."""
        found = await runtime.db.run(painting(WALL, name))
        if found is None:
            raise not_found("painting")
        return found

    @router.post("/paintings", status_code=201)
    async def add(body: Painting) -> Painting:
        return await runtime.db.run(hang(body))

    return router


def build(runtime: Runtime) -> Parts:
    async def health() -> str:
        return WRONG["text"]

    return Parts(
        routers=[routes(runtime)],
        navigation=(
            NavItem("Overview", "", "gauge"),
            NavItem("Paintings", "paintings", "columns"),
            NavItem("Hang one", "paintings/new", "plus", frozenset({"keeper"})),
        ),
        pages=lambda pages: pages_of(runtime, pages),
        templates=Path(__file__).parent / "templates",
        health=health,
    )


system = System(
    name="gallery",
    title="Gallery",
    about="Paintings on walls, and what they are worth.",
    model=model,
    build=build,
    roles=("keeper", "visitor"),
    icon="columns",
)
