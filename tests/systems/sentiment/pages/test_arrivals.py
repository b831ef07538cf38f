"""What arrives while somebody looks: lines of lists, for the views that they belong to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.systems.sentiment.pages.support import Office

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.events import Event
from tablewright.systems.sentiment.pages.dashboard_filters import View
from tablewright.systems.sentiment.pages.live import Arrivals
from tablewright.systems.sentiment.service.live.telling import item_of
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system


class Counting:
    """Renders nothing, and knows what it was asked for."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def fragment(self, template: str, **context: object) -> str:
        self.made.append(template)
        return f"{template} {context}"

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


@pytest.fixture
def pages() -> Counting:
    return Counting()


@pytest.fixture
def arrivals(office: Office, pages: Counting) -> Arrivals:
    return Arrivals(Newsroom(office.service.runtime), pages)  # type: ignore[arg-type]


def told(office: Office, slug: str = "ai-wins-a-prize", **changes: Any) -> Event:
    data = item_of(office.articles[slug].model_copy(update=changes))
    return Event("live", "item", data, entry=f"{slug}{sorted(changes)}")


@pytest.mark.parametrize(
    ("view", "belongs"),
    [
        (View(), True),
        (View(tag="ai"), True),
        (View(tag="AI", sentiment="positive", source="bbc-news"), True),
        (View(tag="Energy"), False),
        (View(sentiment="negative"), False),
        (View(source="orbit-weekly"), False),
        (View(q="prize"), True),
        # Of its text, not of its title.
        (View(q="told by those"), True),
        (View(q="unicorn"), False),
    ],
)
def test_an_article_comes_to_the_views_it_belongs_to(
    office: Office, arrivals: Arrivals, pages: Counting, view: View, belongs: bool
) -> None:
    arrivals._told(told(office), view)
    assert pages.made == [f"sentiment/_{'arrived' if belongs else 'gone'}.html"]


def test_a_time_that_is_over_gets_nothing_new(
    office: Office, arrivals: Arrivals, pages: Counting
) -> None:
    at, hour = office.articles["ai-wins-a-prize"].timestamp, timedelta(hours=1)
    moment = timedelta(milliseconds=1)
    for since, until in (
        (at - hour, at),
        (at - hour, at + moment),
        (at, None),
        (at + moment, None),
    ):
        arrivals._told(told(office), View(since=since, until=until))
    assert [template.partition("_")[2] for template in pages.made] == [
        "gone.html",
        "arrived.html",
        "gone.html",
    ]


def test_a_line_is_made_once_for_all_who_look(
    office: Office, arrivals: Arrivals, pages: Counting
) -> None:
    event = told(office)
    views = (View(), View(tag="AI"), View(preset="90d"))
    assert len({arrivals._told(event, view) for view in views}) == 1
    assert pages.made == ["sentiment/_arrived.html"]


def test_an_event_of_nothing_known_is_no_line(arrivals: Arrivals) -> None:
    assert arrivals._told(Event("live", "item", {"id": "forged"}), View()) == ""


def test_titles_cannot_write_pages(office: Office) -> None:
    runtime = office.service.runtime
    console = Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())
    known = office.articles["ai-wins-a-prize"].metadata
    nasty = known.model_copy(update={"title": "<img src=x onerror=alert(1)>"})
    line = Arrivals(Newsroom(runtime), console.pages)._told(told(office, metadata=nasty), View())
    assert "<img" not in line
    assert "&lt;img src=x" in line
