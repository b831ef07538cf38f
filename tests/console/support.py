"""The console around the made-up gallery, as it really runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from tests.console.gallery import WALL, Painting, hang, system
from tests.service.support import Running, running

from tablewright.console.assets import NEEDED, Assets
from tablewright.console.front import Console
from tablewright.service.runtime import Runtime
from tablewright.testing.backends import Backend


def stand_in(folder: Path) -> Assets:
    """Files in place of those that npm brings, for what needs no browser."""
    names = {name: name.replace(".", "-0123456789ab.") for name in NEEDED}
    for hashed in names.values():
        (folder / hashed).write_text(f"/* in place of {hashed} */")
    (folder / "manifest.json").write_text(json.dumps(names))
    return Assets(folder)


def console_of(runtime: Runtime, assets: Assets | None = None) -> Console:
    """The front of a process that runs the gallery alone."""
    return Console({system: (runtime, system.build(runtime))}, runtime.settings, assets)


@contextmanager
def gallery(
    backend: Backend, *, paintings: int = 0, assets: Assets | None = None, **settings: Any
) -> Iterator[Running]:
    """The gallery with so many paintings on its wall."""

    async def opened(runtime: Runtime) -> None:
        for number in range(paintings):
            made = Painting(wall=WALL, name=f"number{number:02}", price=number * 1_500_000)
            await runtime.db.run(hang(made))

    def front(runtime: Runtime) -> Console:
        return console_of(runtime, assets)

    with running(system, backend, front=front, opened=opened, **settings) as service:
        yield service


class Browser:
    """What of a browser matters to a page: cookies, and that it asks for HTML."""

    def __init__(self, service: Running) -> None:
        self.client = service.client(headers={"Accept": "text/html,*/*;q=0.8"})

    def get(self, path: str, **options: Any) -> httpx2.Response:
        return self.client.get(path, **options)

    def post(self, path: str, fields: Mapping[str, str], *, token: bool = True) -> httpx2.Response:
        """Send a form, with the token that its page had."""
        given = dict(fields)
        if token:
            given["csrf_token"] = self.token()
        return self.client.post(path, data=given)

    def token(self) -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get("/").text)
        assert found is not None, "the page has no form"
        return found[1]


@contextmanager
def signed_in(service: Running, user: str) -> Iterator[Browser]:
    """A browser in which somebody has signed in."""
    browser = Browser(service)
    with browser.client:
        answer = browser.client.post("/auth/sign-in", data={"user": user})
        assert answer.status_code == 303, answer.text
        yield browser
