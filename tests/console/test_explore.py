"""The console around one model: its pages, and the door before them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from tests.console import gallery

from tablewright.cli.explore_process import runtime_of
from tablewright.cli.up_place import empty_database
from tablewright.client import AsyncEmbedded
from tablewright.console.assets import Assets
from tablewright.console.model_front import ModelConsole, Subject, path_name
from tablewright.deploy.naming import Naming
from tablewright.engine import Engine
from tablewright.service.app import assemble
from tablewright.service.settings import Settings

KEY = "a key that was printed"
SUBJECT = Subject(gallery.model, "Paintings on walls.")
MODEL = "/console/gallery/model"

Visit = Callable[[httpx2.AsyncClient], Awaitable[Any]]


@asynccontextmanager
async def opened(assets: Assets, **settings: Any) -> AsyncIterator[httpx2.AsyncClient]:
    """The console, without having entered."""
    with Engine.memory() as engine:
        transport = AsyncEmbedded(engine)
        own = Settings(**{"explore_data": False, **settings})
        runtime = runtime_of(SUBJECT, transport, own, Naming())
        await runtime.db.create_tables(gallery.model)
        front = ModelConsole(SUBJECT, runtime, KEY, assets=assets, empty=empty_database)
        app = assemble({}, settings=own, metrics=runtime.metrics, front=front)
        carried = httpx2.ASGITransport(app=app)
        headers = {"Accept": "text/html"}
        async with httpx2.AsyncClient(
            transport=carried, base_url=own.url, headers=headers
        ) as client:
            yield client


def entered(assets: Assets, visit: Visit, **settings: Any) -> None:
    """Visit it as the one who has the link."""

    async def go() -> None:
        async with opened(assets, **settings) as client:
            answer = await client.get("/enter", params={"key": KEY})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            await visit(client)

    asyncio.run(go())


@pytest.mark.parametrize("path", ["/", "/enter", "/enter?key=another", MODEL, f"{MODEL}/browse"])
def test_without_the_link_nothing_is_seen(assets: Assets, path: str) -> None:
    async def go() -> None:
        async with opened(assets) as client:
            answer = await client.get(path, follow_redirects=True)
            assert answer.status_code == 401
            assert "set-cookie" not in answer.headers
            assert "tablewright explore" in answer.text
            assert "allery" not in answer.text
            assert "Painting" not in answer.text

    asyncio.run(go())


def test_a_name_of_the_web_that_leads_here_is_not_answered(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        answer = await client.get(MODEL, headers={"Host": "evil.example"})
        assert answer.status_code == 421

    entered(assets, visit)


def test_nobody_can_be_signed_in_as(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        for path in ("/auth/sign-in", "/auth/token"):
            assert (await client.post(path, data={"user": "demo-admin"})).status_code == 404
        assert (await client.get("/console/gallery/capacity")).status_code == 404
        assert (await client.get("/console/gallery/api")).status_code == 404

    entered(assets, visit)


def test_every_tab_of_a_model_without_demo_can_be_opened(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        first = await client.get("/", follow_redirects=True)
        assert first.url.path == MODEL
        tabs = set(re.findall(rf'href="({MODEL}[a-z/]*)"', first.text))
        assert len(tabs) >= 5
        pages = {
            *tabs,
            f"{MODEL}/entities/Painting",
            *(f"{MODEL}/patterns/{name}" for name in PATTERNS),
        }
        for path in pages:
            page = await client.get(path)
            assert page.status_code == 200, path
            assert "Sign out" not in page.text
            assert "All systems" not in page.text

    entered(assets, visit)


PATTERNS = tuple(gallery.model.patterns)


def test_a_page_that_is_not_there_leads_back_to_the_model(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        page = await client.get("/nowhere")
        assert page.status_code == 404
        assert "All systems" not in page.text

    entered(assets, visit)


def test_patterns_run_on_practice_tables_and_nowhere_else(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        page = await client.get(f"{MODEL}/patterns/painting")
        found = re.search(r'"X-CSRF-Token": "([^"]+)"', page.text)
        assert found is not None
        token = {"X-CSRF-Token": found[1]}
        path = f"{MODEL}/patterns/painting/run"
        assert (await client.post(path, data={"run-ground": "practice"})).status_code == 403
        live = await client.post(path, data={"run-ground": "live"}, headers=token)
        assert live.status_code == 403
        assert "explore_data" in live.text

    entered(assets, visit)


def test_live_tables_are_read_and_nothing_is_written_about_it(assets: Assets) -> None:
    async def visit(client: httpx2.AsyncClient) -> None:
        page = await client.get(f"{MODEL}/browse", params={"ground": "live"})
        assert page.status_code == 200
        # There is no table that an entry could be in.
        assert "No item is stored there." in page.text

    entered(assets, visit, explore_data=True)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("shop", "shop"),
        ("My Shop!", "my-shop"),
        ("2nd try", "model-2nd-try"),
        ("店", "model"),
        ("x" * 100, "x" * 40),
    ],
)
def test_names_become_parts_of_paths(name: str, path: str) -> None:
    assert path_name(name) == path
