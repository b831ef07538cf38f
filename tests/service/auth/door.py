"""A process with one small system behind a door, and a browser in front of it."""

# FastAPI reads the annotations of routes that are made inside a function, so none is postponed.
import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import httpx2
from fastapi import Depends, FastAPI, Form, Request
from starlette.responses import HTMLResponse, Response

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.service import problems
from tablewright.service.auth import Auth, Identity, Principal
from tablewright.service.keys import Keys
from tablewright.service.kit import kit_model
from tablewright.service.limits import RateLimits
from tablewright.service.settings import Settings
from tablewright.testing import Backend

T = TypeVar("T")
ROLES = ("admin", "operator", "auditor")
URL = "http://127.0.0.1:8080"


def run(what: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(what)


@dataclass
class Door:
    """What a test has of the process."""

    app: FastAPI
    auth: Auth
    db: AsyncDb
    keys: Keys
    settings: Settings

    def browser(self, url: str = "", **options: Any) -> httpx2.AsyncClient:
        """A client that keeps cookies, at the address that people use."""
        transport = httpx2.ASGITransport(app=self.app)
        base = url or self.settings.url
        return httpx2.AsyncClient(transport=transport, base_url=base, **options)

    @property
    def cookie(self) -> str:
        return self.auth.identity.cookie


@asynccontextmanager
async def door(
    backend: Backend,
    clock: Clock,
    *,
    data: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **fields: Any,
) -> AsyncIterator[Door]:
    """A process that has the system ``shop``."""
    settings = Settings(data=data, **fields)
    keys = Keys(None if data is None else data / "keys", environ or {})
    identity = Identity(settings, keys, clock)
    async with backend.async_db(clock=clock) as db:
        await db.create_tables(kit_model)
        auth = Auth("shop", identity, db=db, limits=RateLimits(clock), roles=ROLES)
        yield Door(_app(auth), auth, db, keys, settings)
    await identity.close()


def _app(auth: Auth) -> FastAPI:
    app = FastAPI()
    problems.install(app)
    for router in auth.routers():
        app.include_router(router, prefix="/auth")
    app.include_router(auth.api(), prefix="/shop/api/v1")
    _routes(app, auth)
    return app


def _routes(app: FastAPI, auth: Auth) -> None:
    @app.get("/page")
    async def page(request: Request) -> Response:
        """A page with a form, as the console renders it."""
        identity = auth.identity
        session = identity.seen_session(request.cookies.get(identity.cookie))
        if session is None:
            return HTMLResponse("nobody ")
        return HTMLResponse(f"{session.principal.name} {identity.sessions.csrf(session)}")

    @app.get("/who")
    async def who(principal: Annotated[Principal, Depends(auth.require())]) -> dict[str, Any]:
        return {
            "id": principal.id,
            "name": principal.name,
            "kind": principal.kind,
            "roles": sorted(principal.roles),
        }

    @app.get("/maybe")
    async def maybe(request: Request) -> str:
        found = await auth.principal(request)
        return "nobody" if found is None else found.id

    @app.post("/change")
    async def change(principal: Annotated[Principal, Depends(auth.require("admin"))]) -> str:
        return principal.id

    @app.post("/form")
    async def form(
        principal: Annotated[Principal, Depends(auth.require("admin"))],
        text: Annotated[str, Form()],
    ) -> str:
        return f"{principal.id}: {text}"

    @app.get("/audit")
    async def audit(
        principal: Annotated[Principal, Depends(auth.require("admin", "auditor"))],
    ) -> str:
        return principal.id

    @app.get("/stream")
    async def stream(principal: Annotated[Principal, Depends(auth.require_stream())]) -> str:
        return principal.id


def own(url: str = URL) -> dict[str, str]:
    """What a browser says of a request from our own page."""
    return {"Origin": url, "Sec-Fetch-Site": "same-origin"}


async def sign_in(
    browser: httpx2.AsyncClient, user: str = "demo-admin", url: str = URL
) -> httpx2.Response:
    """Choose a demo user on the sign-in page."""
    return await browser.post("/auth/sign-in", data={"user": user}, headers=own(url))


async def csrf_of(browser: httpx2.AsyncClient) -> str:
    """The token in a page's forms."""
    return (await browser.get("/page")).text.rpartition(" ")[2]


def problem(response: httpx2.Response) -> tuple[int, str]:
    """The status and code of a problem document."""
    assert response.headers["content-type"] == problems.MEDIA_TYPE
    found = response.json()
    assert found["status"] == response.status_code
    return response.status_code, found["code"]
