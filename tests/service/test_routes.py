"""Routes whose types cannot be found out are refused before anybody calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import pytest
from fastapi import APIRouter, Depends, FastAPI
from tests.service.shelf import Note

from tablewright.service.routes import check_types

if TYPE_CHECKING:
    from decimal import Decimal


async def admin() -> str:
    return "ann"


Admin = Annotated[str, Depends(admin)]


def _app(router: APIRouter) -> FastAPI:
    app = FastAPI(openapi_url=None)
    outer = APIRouter(prefix="/api")
    outer.include_router(router)
    app.include_router(outer)
    return app


def test_a_local_name_in_a_postponed_annotation() -> None:
    router = APIRouter()
    local = Depends(admin)

    @router.post("/notes")
    async def add(who: Annotated[str, local]) -> None: ...

    with pytest.raises(TypeError, match=r"POST /api/notes: name 'local' is not defined in .*add"):
        check_types(_app(router).routes)


def test_a_name_for_type_checkers_only() -> None:
    router = APIRouter()

    @router.get("/notes/{price}")
    async def one(price: Decimal) -> None: ...

    with pytest.raises(TypeError, match="'Decimal' is not defined"):
        check_types(_app(router).routes)


def test_the_types_of_dependencies() -> None:
    router = APIRouter()
    local = Depends(admin)

    async def who(name: Annotated[str, local]) -> str:
        return name

    router.add_api_route("/x", _nothing, dependencies=[Depends(who)])
    with pytest.raises(TypeError, match=r"GET /api/x: .* in the types of .*who"):
        check_types(_app(router).routes)


async def _nothing() -> None: ...


def test_routes_that_are_fine() -> None:
    router = APIRouter()
    local = Depends(admin)

    @router.get("/a")
    async def one(who: Admin, note_id: str = "") -> dict[str, str]:
        return {who: note_id}

    @router.get("/b")
    async def two(who: str = local) -> Note | None: ...

    app = _app(router)
    app.mount("/files", FastAPI())
    check_types(app.routes)
