"""Systems put together: opening, closing, health, metrics, the front."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx2
import pytest
from fastapi import APIRouter, FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from tests.service.shelf import LIFE, note, system
from tests.service.support import asgi, running
from tests.service.test_problems import NOTES, check

from tablewright.client.transports import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.app import assemble
from tablewright.service.kit import kit_model
from tablewright.service.kit.outbox.messages import Message, message
from tablewright.service.pages import Pages, Tone
from tablewright.service.problems import Problem
from tablewright.service.process import runtime_of, shared_of
from tablewright.service.runtime import Runtime
from tablewright.service.serving import StartFailed
from tablewright.service.settings import Settings, SettingsError
from tablewright.service.system import Parts
from tablewright.testing import Backend


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    LIFE.__init__()  # type: ignore[misc]
    yield
    LIFE.wrong = ""


# --- opening and closing -----------------------------------------------------------------------


def test_opened_before_the_first_request_and_closed_after_the_last(memory: Backend) -> None:
    async def opened(runtime: Runtime) -> None:
        LIFE.steps.append("opened")

    with running(system, memory, opened=opened) as service, service.client() as client:
        assert LIFE.steps == ["open", "opened"]
        assert client.get("/shelf/api/v1/greeting").json() == {"greeting": "hello"}
        _wait_until(lambda: LIFE.worked)
    assert LIFE.steps == ["open", "opened", "close"]
    assert LIFE.worked == 1


def test_a_sink_of_its_own_gets_its_messages(memory: Backend) -> None:
    got: list[str] = []

    class Own:
        name = "own"

        def takes(self, message: Message) -> bool:
            return message.kind == "ours"

        async def send(self, message: Message) -> None:
            got.append(message.subject)

        async def close(self) -> None:
            got.append("closed")

    async def opened(runtime: Runtime) -> None:
        await runtime.db.run(message("ours", "a", {}, at=runtime.clock.now()))

    def build(runtime: Runtime) -> Parts:
        return replace(system.build(runtime), sinks=[Own()])

    with running(replace(system, build=build), memory, opened=opened):
        _wait_until(lambda: got)
    assert got == ["a", "closed"]


def _wait_until(condition: Any, secs: float = 10.0) -> None:
    ends = time.monotonic() + secs
    while not condition():
        assert time.monotonic() < ends, "it never happened"
        time.sleep(0.01)


def test_a_system_that_does_not_open(memory: Backend) -> None:
    @asynccontextmanager
    async def broken() -> AsyncIterator[None]:
        raise RuntimeError("no table")
        yield

    def build(runtime: Runtime) -> Parts:
        return replace(system.build(runtime), lifespan=broken)

    with pytest.raises(StartFailed, match="no table") as caught:
        with running(replace(system, build=build), memory):
            pytest.fail("it has started")
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_a_port_that_is_taken(memory: Backend) -> None:
    with running(system, memory, workers=False) as service:
        port = httpx2.URL(service.url).port
        with pytest.raises(StartFailed, match=rf"cannot listen on 127\.0\.0\.1:{port}: .*in use"):
            with running(system, memory, port=port):
                pytest.fail("it has started")


def test_requests_in_flight_are_finished(memory: Backend) -> None:
    answers: list[httpx2.Response] = []
    with running(system, memory, workers=False) as service, service.client() as client:
        slow = threading.Thread(
            target=lambda: answers.append(client.get("/shelf/odd/sleep?secs=0.5"))
        )
        slow.start()
        _wait_until(lambda: service.server.server_state.tasks)
        service.server.should_exit = True
        slow.join(10)
    assert [answer.status_code for answer in answers] == [200]


def test_streams_of_events_do_not_hold_up_the_end(memory: Backend) -> None:
    lines: list[str] = []

    def read(url: str) -> None:
        with httpx2.stream("GET", f"{url}/shelf/events", timeout=20) as answer:
            lines.extend(answer.iter_lines())

    with running(system, memory, stop_timeout_secs=15, workers=False) as service:
        reader = threading.Thread(target=read, args=(service.url,))
        reader.start()
        _wait_until(lambda: service.runtime.events.readers)
        started = time.monotonic()
    reader.join(10)
    assert time.monotonic() - started < 8
    assert not reader.is_alive()


def test_requests_that_never_end_are_cut_off(memory: Backend) -> None:
    failures: list[Exception] = []

    def ask(client: httpx2.Client) -> None:
        try:
            client.get("/shelf/odd/sleep?secs=60")
        except httpx2.HTTPError as error:
            failures.append(error)

    with running(system, memory, stop_timeout_secs=1, workers=False) as service:
        with service.client() as client:
            slow = threading.Thread(target=ask, args=(client,))
            slow.start()
            _wait_until(lambda: service.server.server_state.tasks)
            service.server.should_exit = True
            slow.join(10)
    assert not slow.is_alive()


# --- health and metrics ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "status", "said"),
    [
        ("", 200, None),
        ("no disk", 503, "no disk"),
        ("raise", 503, "the check failed: RuntimeError"),
    ],
)
def test_health(memory: Backend, wrong: str, status: int, said: str | None) -> None:
    LIFE.wrong = wrong

    async def main() -> None:
        async with asgi(system, memory) as (client, _):
            assert (await client.get("/health/live")).json() == {"status": "ok"}
            for path in ("/health", "/health/ready"):
                answer = await client.get(path)
                assert answer.status_code == status
                found = answer.json()["systems"]["shelf"]
                assert (found["status"] == "ok") is (status == 200)
                assert found.get("detail") == said
            # Others learn that something is wrong, and not what.
            answer = await client.get("/health", headers={"X-Forwarded-For": "10.0.0.1"})
            assert "detail" not in answer.json()["systems"]["shelf"]

    asyncio.run(main())


def test_a_check_that_hangs(memory: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.service.health.TIMEOUT_SECS", 0.1)
    LIFE.wrong = "hang"

    async def main() -> httpx2.Response:
        async with asgi(system, memory) as (client, _):
            return await client.get("/health")

    answer = asyncio.run(main())
    assert answer.status_code == 503
    assert "no answer within" in answer.json()["systems"]["shelf"]["detail"]


def test_a_process_that_stops_is_not_ready(memory: Backend) -> None:
    with running(system, memory, workers=False) as service, service.client() as client:
        service.app.stop_soon()
        answer = client.get("/health/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "stopping")
        assert client.get("/health/live").status_code == 200


def test_metrics(memory: Backend) -> None:
    with running(system, memory, workers=False) as service, service.client() as client:
        client.post(NOTES, json={"note_id": "a"})
        client.get(f"{NOTES}/a")
        client.get(f"{NOTES}/nobody@example.org")
        text = client.get("/metrics").text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    notes = "/shelf/api/v1/shelves/{shelf}/notes"
    name = "tablewright_http_requests_total"
    assert values[f'{name}{{method="POST",route="{notes}",status="201"}}'] == "1.0"
    assert values[f'{name}{{method="GET",route="{notes}/{{note_id}}",status="404"}}'] == "1.0"
    labels = 'index="",pattern="save_note",system="shelf",table="Shelf"'
    assert values[f"tablewright_db_write_units_total{{{labels}}}"] == "1.0"
    labels = labels.replace("save_note", "note")
    assert float(values[f"tablewright_db_read_units_total{{{labels}}}"]) > 0
    assert values["tablewright_http_in_flight"] == "1.0"
    assert "example.org" not in text
    assert "process_cpu_seconds_total" in values


def test_who_may_read_metrics(memory: Backend) -> None:
    with running(system, memory, metrics_token="open sesame", workers=False) as service:
        with service.client() as client:
            assert client.get("/metrics").status_code == 200
            # Through a proxy on this machine everybody looks like this machine.
            for name in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
                check(client.get("/metrics", headers={name: "x"}), 403, "FORBIDDEN")
            proxied = {"X-Forwarded-For": "10.0.0.1", "Authorization": "Bearer open sesame"}
            assert client.get("/metrics", headers=proxied).status_code == 200
            wrong = {**proxied, "Authorization": "Bearer hunter2"}
            check(client.get("/metrics", headers=wrong), 403, "FORBIDDEN")


def test_trusted_proxies_say_who_comes(memory: Backend) -> None:
    with running(system, memory, trusted_proxies=["127.0.0.1"], workers=False) as service:
        with service.client(headers={"X-Forwarded-For": "203.0.113.9"}) as client:
            check(client.get("/metrics"), 403, "FORBIDDEN")


# --- several systems, settings, the front ---------------------------------------------------------


def test_two_systems_share_the_process_and_nothing_else() -> None:
    other = replace(system, name="bench", title="Bench")

    async def main() -> None:
        with Engine.memory() as engine:
            settings = Settings()
            environ = {"TABLEWRIGHT_BENCH_GREETING": "hi"}
            shared = shared_of(settings, environ=environ)
            transport = AsyncEmbedded(engine)
            runtimes = {
                each: runtime_of(each, transport, settings, shared=shared)
                for each in (system, other)
            }
            for each, runtime in runtimes.items():
                await runtime.db.create_tables(each.model, kit_model)
            tables = engine.call("ListTables", {})["TableNames"]
            assert tables == ["Shelf", "bench-kit", "shelf-kit"]
            app = assemble({each: (made, each.build(made)) for each, made in runtimes.items()})
            carried = httpx2.ASGITransport(app=app)
            async with app.parent.router.lifespan_context(app.parent):
                async with httpx2.AsyncClient(transport=carried, base_url=settings.url) as client:
                    said = [
                        (await client.get(f"/{name}/api/v1/greeting")).json()["greeting"]
                        for name in ("shelf", "bench")
                    ]
                    assert said == ["hello", "hi"]
                    found = (await client.get("/health")).json()["systems"]
                    assert set(found) == {"shelf", "bench"}
                    titles = [
                        (await client.get(f"/{name}/openapi.json")).json()["info"]["title"]
                        for name in ("shelf", "bench")
                    ]
                    assert titles == ["Shelf", "Bench"]

    asyncio.run(main())


def test_a_deployment_has_its_own_names_of_tables(memory: Backend) -> None:
    async def main() -> list[str]:
        async with asgi(system, memory, table_prefix="osem-", table_env="prod") as (client, _):
            assert (await client.post(NOTES, json={"note_id": "a"})).status_code == 201
            text = (await client.get("/metrics")).text
            assert 'table="Shelf"' in text
        assert memory.engine is not None
        names: list[str] = memory.engine.call("ListTables", {})["TableNames"]
        return names

    assert asyncio.run(main()) == ["osem-prod-Shelf", "osem-prod-shelf-kit"]


def test_a_system_with_wrong_settings_does_not_start(memory: Backend) -> None:
    with pytest.raises(SettingsError, match="TABLEWRIGHT_SHELF_GREETIN: there is no such"):
        with running(system, memory, environ={"TABLEWRIGHT_SHELF_GREETIN": "x"}):
            pytest.fail("it has started")


def test_cursors_outlive_the_process(memory: Backend, tmp_path: Any) -> None:
    async def main() -> None:
        async with asgi(system, memory, data=tmp_path) as (client, _):
            for number in range(3):
                await client.post(NOTES, json={"note_id": f"n{number}"})
            first = (await client.get(NOTES, params={"limit": 2})).json()
            assert len(first["items"]) == 2
        async with asgi(system, memory, data=tmp_path) as (client, _):
            asked = {"limit": 2, "cursor": first["next_cursor"]}
            rest = (await client.get(NOTES, params=asked)).json()
            assert [each["note_id"] for each in rest["items"]] == ["n2"]
            assert rest["next_cursor"] is None

    asyncio.run(main())


def test_the_name_alone_leads_to_the_system(memory: Backend) -> None:
    async def main() -> httpx2.Response:
        async with asgi(system, memory) as (client, _):
            return await client.get("/shelf")

    answer = asyncio.run(main())
    assert (answer.status_code, answer.headers["location"]) == (308, "/shelf/")


class _Front:
    """A front with a page of its own, a page for the system, and problems as pages."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    @property
    def pages(self) -> Pages:
        return self

    def install(self, parent: FastAPI) -> None:
        async def home() -> Response:
            return HTMLResponse("home")

        parent.add_api_route("/", home, name="home")

    def reference(self, system: str) -> str:
        return f"/about/{system}"

    def problem(self, request: Request, problem: Problem) -> Response | None:
        if "/api/" in request.url.path:
            return None
        return HTMLResponse(f"<h1>{problem.code}</h1>", problem.status)

    def render(
        self, request: Request, template: str, *, status: int = 200, **context: object
    ) -> Response:
        address = request.url_for("home").path
        return HTMLResponse(f"{template} {sorted(context)} {address}", status)

    def done(
        self, request: Request, to: str, message: str = "", *, tone: Tone = "success"
    ) -> Response:
        raise NotImplementedError


def test_the_front(memory: Backend) -> None:
    def build(runtime: Runtime) -> Parts:
        return replace(system.build(runtime), pages=_pages)

    async def main() -> None:
        shown = replace(system, build=build)
        async with asgi(shown, memory, front=_Front) as (client, _):
            html = {"Accept": "text/html"}
            assert (await client.get("/")).text == "home"
            assert (await client.get("/shelf/")).text == "shelf/first.html ['notes'] /"
            for path in ("/nope", "/shelf/nope"):
                answer = await client.get(path, headers=html)
                assert (answer.status_code, answer.text) == (404, "<h1>NOT_FOUND</h1>")
            check(await client.get("/shelf/nope"), 404, "NOT_FOUND")
            check(await client.get(f"{NOTES}/nope", headers=html), 404, "NOT_FOUND")
            assert (await client.get("/shelf/docs")).headers["location"] == "/about/shelf"
            paths = (await client.get("/shelf/openapi.json")).json()["paths"]
            assert "/" not in paths

    asyncio.run(main())


def _pages(shown: Pages) -> APIRouter:
    router = APIRouter()

    async def first(request: Request) -> Response:
        return shown.render(request, "shelf/first.html", notes=[])

    router.add_api_route("/", first)
    return router


def test_what_runs_in_a_request_reads_what_others_wrote(memory: Backend) -> None:
    with running(system, memory, workers=False) as service, service.client() as client:
        client.post(NOTES, json={"note_id": "a", "text": "t"})
        found = service.do(service.runtime.db.run(note("x", "a")))
        assert found is not None
        assert found.text == "t"
