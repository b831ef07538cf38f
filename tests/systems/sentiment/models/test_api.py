"""``/models`` over HTTP: who may, what is answered, what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.service.support import asgi
from tests.systems.sentiment.models.support import onnx_folder
from tests.systems.sentiment.support import ADMIN

from tablewright.clock import ManualClock
from tablewright.systems.sentiment.bodies.models import ModelIn
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import Backend

URL = "/sentiment/api/v1/models"
#: A request by somebody of a role.
Ask = Callable[..., Awaitable[httpx2.Response]]
Test = Callable[[Ask], Awaitable[None]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    onnx_folder(tmp_path / "models" / "words")
    return tmp_path / "models"


@pytest.fixture
def run(engine_backend: Backend, clock: ManualClock, root: Path) -> Callable[[Test], None]:
    environ = {"TABLEWRIGHT_SENTIMENT_MODELS_FOLDER": str(root)}

    async def opened(test: Test) -> None:
        async with asgi(system, engine_backend, clock=clock, environ=environ) as (http, runtime):
            keys = {}
            for role in system.roles:
                _, keys[role] = await runtime.auth.api_keys.create(ADMIN, name=role, roles=[role])

            async def ask(method: str, body: Any = None, role: str = "admin") -> httpx2.Response:
                headers = {"X-API-Key": keys[role]} if role else {}
                return await http.request(method, URL, json=body, headers=headers)

            await test(ask)

    return lambda test: asyncio.run(opened(test))


def body(**changes: object) -> dict[str, object]:
    return {"model_version": "v1.0.0+words", "kind": "onnx", "path": "words", **changes}


def test_models_are_listed_with_the_active_one(run: Callable[[Test], None]) -> None:
    async def test(ask: Ask) -> None:
        items = (await ask("GET")).json()["items"]
        active = {each["model_version"]: each["active"] for each in items}
        assert active == {"v1.0.0+linear": False, "v3.3.2+vader": True}
        assert all(each["path"] is None and len(each["checksum"]) == 64 for each in items)

    run(test)


def test_a_model_is_registered_and_listed(run: Callable[[Test], None]) -> None:
    async def test(ask: Ask) -> None:
        made = await ask("POST", body(description="Three words."))
        assert made.status_code == 201, made.text
        told = made.json()
        assert (told["path"], told["active"]) == ("words", False)
        assert told in (await ask("GET")).json()["items"]
        again = await ask("POST", body(checksum=told["checksum"]))
        assert (again.status_code, again.json()) == (200, told)

    run(test)


WRONG: list[tuple[dict[str, object], str]] = [
    ({"path": "none"}, "BAD_MODEL"),
    ({"path": "../models/../.."}, "BAD_MODEL"),
    ({"checksum": "0" * 64}, "BAD_MODEL"),
    ({"kind": "transformers"}, "BAD_MODEL"),
    ({"kind": "vader"}, "INVALID"),
    ({"kind": "linear"}, "INVALID"),
    ({"model_version": "1.0"}, "INVALID"),
    ({"model_version": "v1.0.0+UPPER"}, "INVALID"),
    ({"model_version": "v1.0.0#x"}, "INVALID"),
    ({"path": ""}, "INVALID"),
    ({"path": "a\0b"}, "INVALID"),
    ({"path": "x" * 501}, "INVALID"),
    ({"checksum": "xyz"}, "INVALID"),
    ({"description": "x" * 501}, "INVALID"),
    ({"url": "https://example.com/model.onnx"}, "INVALID"),
]


def test_what_is_wrong_is_said(run: Callable[[Test], None]) -> None:
    async def test(ask: Ask) -> None:
        for changes, code in WRONG:
            answer = await ask("POST", body(**changes))
            assert (answer.status_code, answer.json()["code"]) == (422, code), changes
        assert len((await ask("GET")).json()["items"]) == 2

    run(test)


def test_a_version_never_means_another_model(run: Callable[[Test], None], root: Path) -> None:
    onnx_folder(root / "other", {"news": (1, 2, 3)})

    async def test(ask: Ask) -> None:
        assert (await ask("POST", body())).status_code == 201
        answer = await ask("POST", body(path="other"))
        assert (answer.status_code, answer.json()["code"]) == (409, "MODEL_EXISTS")

    run(test)


def test_models_are_for_admins(run: Callable[[Test], None]) -> None:
    async def test(ask: Ask) -> None:
        for role in set(system.roles) - {"admin"}:
            assert (await ask("GET", role=role)).status_code == 403
            assert (await ask("POST", body(), role=role)).status_code == 403
        assert (await ask("GET", role="")).status_code == 401

    run(test)


def test_registering_is_limited(run: Callable[[Test], None]) -> None:
    async def test(ask: Ask) -> None:
        answers = [(await ask("POST", body(path="none"))).status_code for _ in range(11)]
        assert answers == [422] * 10 + [429]

    run(test)


def test_the_example_is_accepted() -> None:
    (example,) = ModelIn.model_json_schema()["examples"]
    assert ModelIn.model_validate(example).kind == "onnx"
