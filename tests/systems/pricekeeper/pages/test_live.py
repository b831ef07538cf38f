"""Pages that follow what happens: told when something changes, and only while somebody looks."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import BASE, ORG, WEB, Office, usage

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.pages import live
from tablewright.systems.pricekeeper.service.keeper import Keeper

PATHS = [f"{BASE}/live", f"{BASE}/orgs/{ORG}/live", f"{BASE}/orgs/{ORG}/apps/{WEB}/live"]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "EVERY_SECS", 0.2)


def parts(browser: Browser, path: str, until: Callable[[list[str]], bool]) -> list[str]:
    """What a stream brings, until that is enough."""
    found: list[str] = []
    ends = time.monotonic() + 20
    with browser.client.stream("GET", path) as stream:
        assert stream.status_code == 200
        data: list[str] = []
        kind = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                data.append(line.removeprefix("data: "))
            elif not line and data:
                assert kind == live.KIND
                found.append("\n".join(data))
                data = []
            if until(found) or time.monotonic() > ends:
                break
    return found


@pytest.mark.parametrize("path", PATHS)
def test_who_looks_sees_spend_rise(auditor: Browser, office: Office, path: str) -> None:
    service = office.service
    keeper = Keeper(service.runtime)

    async def spend() -> None:
        async with keeper.lifespan():
            account = await keeper.directory.account(ORG, WEB)
            await keeper.recorder.record(account, [usage("standard")])
            # What another process has recorded is seen when it was summed.
            await keeper.selector.select(account, force=True)

    def later() -> None:
        time.sleep(0.6)
        service.do(spend())

    worker = threading.Thread(target=later)
    worker.start()
    found = parts(auditor, path, lambda seen: len(seen) > 1 and seen[-1] != seen[0])
    worker.join()
    assert len(found) >= 2
    assert "$" in found[-1]
    assert all("csrf_token" not in html and "<form" not in html for html in found)


@pytest.mark.parametrize("path", PATHS)
def test_nobody_looks_without_a_role(office: Office, path: str) -> None:
    with office.service.client() as stranger:
        assert stranger.get(path).status_code == 401


def test_with_nobody_there_the_work_ends(auditor: Browser, office: Office) -> None:
    parts(auditor, PATHS[0], lambda seen: bool(seen))

    async def working() -> bool:
        return any(task.get_name().startswith("part ") for task in asyncio.all_tasks())

    ends = time.monotonic() + 20
    while office.service.do(working()) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not office.service.do(working())


def test_a_part_that_cannot_be_made_stays_as_it_was() -> None:
    answers: list[str | Exception] = ["one", Problem(503, "DOWN", "down"), "one", "two"]

    async def render() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def scenario() -> list[bool]:
        part = live._Part(render)
        return [await part.renew() for _ in range(4)]

    assert asyncio.run(scenario()) == [True, False, False, True]
