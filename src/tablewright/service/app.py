"""One process of systems, as an ASGI application.

Each system is an app of its own, mounted under its name, with its own OpenAPI document and its own
handlers; the parent has what they share: ``/health``, ``/metrics`` and, if there is one, the front
(the console). Around everything lies the middleware. Opening the application opens every system and
then starts its workers; ending it goes the other way round.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI
from starlette.responses import RedirectResponse, Response

from tablewright.service import problems
from tablewright.service.exchange import Exchanges
from tablewright.service.headers import CONTENT_SECURITY_POLICY, SecurityHeaders
from tablewright.service.health import Health
from tablewright.service.inside import inside_routes
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.kit.outbox.routes import outbox_routes
from tablewright.service.logs import log_exchange
from tablewright.service.metrics import Metrics
from tablewright.service.middleware import BodyLimit, Crowd, HeadRequests, Hosts, TimeLimit
from tablewright.service.openapi import describe
from tablewright.service.ports import join
from tablewright.service.request_metrics import RequestMetrics
from tablewright.service.routes import check_types
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.service.shortcut import ByName, shorten
from tablewright.service.system import Allowance, Parts, System
from tablewright.service.workers import runner

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from tablewright.service.pages import Pages

#: The systems of a process, each with what it runs on and what it brings.
Systems = Mapping[System, tuple[Runtime, Parts]]

log = logging.getLogger("tablewright")


class Front(Protocol):
    """What people see: it adds routes to the parent, and renders the systems' pages."""

    @property
    def pages(self) -> Pages: ...

    def install(self, parent: FastAPI) -> None:
        """Add its own routes."""
        ...

    def reference(self, system: str) -> str:
        """The path of the page about a system's API."""
        ...

    def problem(self, request: Request, problem: problems.Problem) -> Response | None:
        """The problem as a page; None where a document is better."""
        ...


class Application:
    """The ASGI application of a process."""

    def __init__(self, parent: FastAPI, around: ASGIApp, health: Health, life: _Life) -> None:
        self.parent = parent
        self.health = health
        self.systems = life.systems
        self._life = life
        self._around = around

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._around(scope, receive, send)

    @property
    def failure(self) -> BaseException | None:
        """Why it did not start."""
        return self._life.failure

    def give_up(self) -> None:
        """Do not go on opening; what is open is closed in order. May be called by a signal."""
        self._life.give_up()

    def stop_soon(self) -> None:
        """Say that it is about to end: not ready any more, and streams of events end now."""
        self.health.stopping = True
        for runtime, _ in self.systems.values():
            runtime.events.close()


def assemble(
    systems: Systems,
    *,
    settings: Settings | None = None,
    metrics: Metrics | None = None,
    front: Front | None = None,
    opened: Sequence[Callable[[], Awaitable[None]]] = (),
    workers: bool = True,
    policy: str = CONTENT_SECURITY_POLICY,
) -> Application:
    """Put the systems together. Settings and metrics are those of the first, if not given.

    ``opened`` is awaited when everything is open and before the first request: demo data, say.
    """
    first = next(iter(systems.values()), None)
    settings = settings or (first[0].settings if first else Settings())
    metrics = metrics or (first[0].metrics if first else Metrics())
    health = Health(
        {system.name: parts.health for system, (_, parts) in systems.items()},
        warnings={system.name: parts.warnings for system, (_, parts) in systems.items()},
    )
    _log_warnings(systems)
    if settings.local:
        join(parts for _, parts in systems.values())
    life = _Life(systems, opened, workers)
    parent = FastAPI(openapi_url=None, redirect_slashes=False, lifespan=life)
    _install(parent, front)
    parent.include_router(inside_routes(health, metrics, settings))
    if front is not None:
        front.install(parent)
    if first is not None:
        _include(parent, first[0].auth.routers(), prefix="/auth")
    apps = {
        system.name: _app_of(system, runtime, parts, front)
        for system, (runtime, parts) in systems.items()
    }
    for name, app in apps.items():
        _mount(parent, name, app)
    around = surrounded(ByName(parent, apps), settings, metrics, policy, _allowances(systems))
    return Application(parent, around, health, life)


def _log_warnings(systems: Mapping[System, tuple[Runtime, Parts]]) -> None:
    for system, (_, parts) in systems.items():
        for text in () if parts.warnings is None else parts.warnings():
            log.warning("%s: %s", system.title, text)


def _install(app: FastAPI, front: Front | None) -> None:
    problems.install(app)
    app.state.problem_page = None if front is None else front.problem


def _app_of(system: System, runtime: Runtime, parts: Parts, front: Front | None) -> FastAPI:
    app = FastAPI(
        title=system.title,
        description=system.about,
        openapi_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    _install(app, front)
    page = None if front is None else front.reference(system.name)
    describe(app, system, parts.reference, page)
    _include(app, parts.routers)
    app.include_router(runtime.auth.api(), prefix="/api/v1")
    app.include_router(outbox_routes(runtime), prefix="/api/v1")
    if front is not None and parts.pages is not None:
        app.include_router(parts.pages(front.pages), include_in_schema=False)
    check_types(app.routes)
    shorten(app)
    return app


def _include(app: FastAPI, routers: Sequence[APIRouter], prefix: str = "") -> None:
    for router in routers:
        app.include_router(router, prefix=prefix)


def _mount(parent: FastAPI, name: str, app: FastAPI) -> None:
    """Under the system's name; the name alone leads there, without asking what host it is."""
    path = f"/{name}"

    async def below() -> Response:
        return RedirectResponse(f"{path}/", 308)

    router = APIRouter()
    router.add_api_route(path, below, methods=["GET", "HEAD"], include_in_schema=False)
    parent.include_router(router)
    parent.mount(path, app, name=name)


def _allowances(systems: Systems) -> dict[str, Allowance]:
    """What some paths may have that others may not."""
    return {
        f"/{system.name}{path}": allowance
        for system, (_, parts) in systems.items()
        for path, allowance in parts.allowances.items()
    }


def surrounded(
    app: ASGIApp,
    settings: Settings,
    metrics: Metrics,
    policy: str = CONTENT_SECURITY_POLICY,
    allowances: Mapping[str, Allowance] | None = None,
) -> ASGIApp:
    """The app with its middleware, from the inside out. Nothing is allowed less than by default."""
    time, size = settings.request_timeout_secs, settings.request_max_bytes
    allowed = (allowances or {}).items()
    app = HeadRequests(app)
    app = TimeLimit(app, time, {path: max(time, each.timeout_secs) for path, each in allowed})
    app = BodyLimit(app, size, {path: max(size, each.max_bytes) for path, each in allowed})
    app = Crowd(app, settings.max_requests)
    if names := _hosts(settings):
        # Load balancers ask by address whether a process that is not local is alive.
        free = () if settings.local else ("/health",)
        app = Hosts(app, names, loopback=settings.local, free=free)
    counted = RequestMetrics(metrics)
    app = Exchanges(app, begins=(counted.begin,), ends=(counted.end, log_exchange))
    return SecurityHeaders(app, https=settings.https, policy=policy)


def _hosts(settings: Settings) -> set[str]:
    """Return the names to answer under; none if any is as good, because no setting names one."""
    own = urlsplit(settings.url).hostname or settings.host
    if settings.local or settings.hosts or settings.base_url:
        return {own, *settings.hosts}
    return set()


class _Life:
    """From opening the systems to closing them; each worker ends before the system it works for."""

    def __init__(
        self, systems: Systems, opened: Sequence[Callable[[], Awaitable[None]]], workers: bool
    ) -> None:
        self.systems = systems
        #: Why it did not begin.
        self.failure: BaseException | None = None
        self._given_up = False
        self._opening: asyncio.Task[object] | None = None
        self._opened = opened
        self._workers = workers

    @asynccontextmanager
    async def __call__(self, _: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                await self._open_unless_given_up(stack)
            except BaseException as error:
                self.failure = error
                raise
            yield

    def give_up(self) -> None:
        self._given_up = True
        if self._opening is not None:
            self._opening.get_loop().call_soon_threadsafe(self._opening.cancel)

    def _gave_up(self) -> bool:
        return self._given_up

    async def _open_unless_given_up(self, stack: AsyncExitStack) -> None:
        """Whoever is told to stop while it starts does not fail: it goes on to its end."""
        if self._gave_up():
            return
        opening = self._opening = asyncio.current_task()
        try:
            await self._open(stack)
        except asyncio.CancelledError:
            if opening is None or not self._gave_up():
                raise
            opening.uncancel()
        finally:
            self._opening = None

    async def _open(self, stack: AsyncExitStack) -> None:
        for identity in {runtime.auth.identity for runtime, _ in self.systems.values()}:
            stack.push_async_callback(identity.close)
        for _, parts in self.systems.values():
            await stack.enter_async_context(parts.lifespan())
        if self._workers:
            for runtime, parts in self.systems.values():
                # Every system has an outbox, whether it has workers of its own or not.
                workers = (*parts.workers, outbox_worker(runtime, parts.sinks, parts.address_of))
                await stack.enter_async_context(runner(runtime, workers))
        for each in self._opened:
            await each()
