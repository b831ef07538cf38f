"""The page on which administrators end the sessions of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from tests.console.gallery import system
from tests.console.support import signed_in
from tests.service.support import Running, running

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.testing.backends import in_process

WITH_ADMIN = replace(system, roles=("admin", "keeper", "visitor"))
PAGE = "/console/gallery/sessions"


@pytest.fixture
def service(assets: Assets) -> Iterator[Running]:
    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(WITH_ADMIN, backend, front=front_with(assets), workers=False) as found,
    ):
        yield found


def front_with(assets: Assets) -> Callable[[Runtime], Console]:
    def front(runtime: Runtime) -> Console:
        parts = WITH_ADMIN.build(runtime)
        return Console({WITH_ADMIN: (runtime, parts)}, runtime.settings, assets)

    return front


def test_admin_ends_the_sessions_of_a_user_who_has_to_sign_in_again(service: Running) -> None:
    with signed_in(service, "demo-admin") as admin, signed_in(service, "demo-visitor") as visitor:
        assert visitor.get("/gallery/").status_code == 200
        assert PAGE in admin.get("/gallery/").text
        shown = admin.get(PAGE)
        assert "End all sessions of a user" in shown.text
        done = admin.post(PAGE, {"user": " demo-visitor "})
        assert done.status_code == 303
        assert "All sessions of demo-visitor have ended." in admin.get(PAGE).text
        sent_away = visitor.get("/gallery/")
        assert (sent_away.status_code, sent_away.headers["location"][:8]) == (303, "/sign-in")


def test_field_without_a_user_comes_back_with_what_to_enter(service: Running) -> None:
    with signed_in(service, "demo-admin") as admin:
        refused = admin.post(PAGE, {"user": ""})
        assert refused.status_code == 422
        assert "Is missing." in refused.text


def test_page_is_not_for_others(service: Running) -> None:
    with signed_in(service, "demo-visitor") as visitor:
        assert visitor.get(PAGE).status_code == 403
        assert PAGE not in visitor.get("/gallery/").text
        assert visitor.post(PAGE, {"user": "demo-admin"}).status_code == 403
