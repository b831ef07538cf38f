"""The page about capacity, and the events that keep it up to date."""

from __future__ import annotations

import threading
import time

import pytest
from tests.console.support import Browser
from tests.service.support import Running

from tablewright.console import capacity_routes


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_routes, "LOOK_SECS", 0.2)


def read_events(browser: Browser, count: int, patience: float = 20.0) -> list[str]:
    """The data of so many events of the stream."""
    found: list[str] = []
    ends = time.monotonic() + patience
    with browser.client.stream("GET", "/console/gallery/capacity/events") as stream:
        assert stream.status_code == 200
        assert stream.headers["content-type"].startswith("text/event-stream")
        data: list[str] = []
        for line in stream.iter_lines():
            if line.startswith("data: "):
                data.append(line.removeprefix("data: "))
            elif not line and data:
                found.append("\n".join(data))
                data = []
            if len(found) >= count or time.monotonic() > ends:
                break
    return found


def test_watchers_are_told_what_is_used(keeper: Browser) -> None:
    def work() -> None:
        for _ in range(5):
            time.sleep(0.1)
            keeper.client.get("/gallery/api/v1/paintings/number00")

    worker = threading.Thread(target=work)
    worker.start()
    events = read_events(keeper, 3)
    worker.join()
    assert len(events) == 3
    assert "By pattern" in events[-1]
    assert 'href="/console/gallery/model/patterns/painting"' in events[-1]
    assert "csrf_token" not in events[-1], "it goes to everybody"


def test_the_page_shows_plan_and_use(keeper: Browser) -> None:
    keeper.client.get("/gallery/api/v1/paintings/number01")
    text = keeper.get("/console/gallery/capacity").text
    row = text.partition(">painting</code>")[2].partition("</tr>")[0]
    assert "within plan" in row
    assert "0.5" in row
    assert 'sse-connect="/console/gallery/capacity/events"' in text


def test_nobody_watches_without_a_role(service: Running) -> None:
    answer = service.client().get("/console/gallery/capacity/events")
    assert answer.status_code == 401


def test_with_nobody_there_the_work_ends(keeper: Browser, service: Running) -> None:
    read_events(keeper, 1)

    async def working() -> bool:
        import asyncio

        return any(task.get_name() == "console capacity" for task in asyncio.all_tasks())

    ends = time.monotonic() + 20
    while service.do(working()) and time.monotonic() < ends:
        time.sleep(0.1)
    assert not service.do(working())
