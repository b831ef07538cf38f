"""Topics: listed, tried, made, changed, paused, deleted; and by whom."""

from __future__ import annotations

import re

import httpx2
import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office
from tests.systems.sentiment.support import ADMIN

from tablewright.service.preconditions import Precondition
from tablewright.systems.sentiment.bodies.watch import TopicEdit
from tablewright.systems.sentiment.rules.marking import marked
from tablewright.systems.sentiment.service.newsroom import Newsroom

TOPICS = f"{BASE}/watch"


def rule(**changes: str) -> dict[str, str]:
    return {"any": "grid\nartificial intelligence", "priority": "7", "enabled": "1", **changes}


def marks(page: httpx2.Response) -> set[str]:
    return set(re.findall(r"<mark>(.*?)</mark>", page.text))


def test_all_read_topics_and_analysts_change_them(viewer: Browser, analyst: Browser) -> None:
    page = viewer.get(TOPICS)
    shows(page, "3 of 20 are in use", "AI any of", "followed", "grid")
    # Of the last day: AI has two that are judged.
    assert re.search(r"AI any of ai, artificial intelligence 100 2 followed", text_of(page))
    assert not re.search(r"<form[^>]*/watch", page.text)
    assert "New topic" not in text_of(page)
    assert "Pause" not in text_of(page)
    shows(analyst.get(TOPICS), "New topic", "Edit", "Pause")


@pytest.mark.parametrize("path", ["/new", "/ai/edit"])
def test_who_only_reads_sees_no_form(viewer: Browser, operator: Browser, path: str) -> None:
    assert viewer.get(TOPICS + path).status_code == 403
    assert operator.get(TOPICS + path).status_code == 403


def test_a_rule_is_tried_before_it_is_saved(analyst: Browser) -> None:
    part = analyst.client.post(
        f"{TOPICS}/test",
        data={**rule(), "csrf_token": analyst.token()},
        headers={"HX-Request": "true"},
    )
    assert part.status_code == 200
    assert "<html" not in part.text
    # Both articles with "grid", by the words that they were found by.
    assert re.search(r"<strong>2</strong> of the latest 4 articles", part.text)
    assert marks(part) == {"Grid", "grid"}
    # Without htmx the whole form comes back with it, and nothing is stored.
    page = analyst.post(f"{TOPICS}/test", rule(tag="Power"))
    assert fields_of(page, "/watch/new")["any"] == rule()["any"]
    assert marks(page) == {"Grid", "grid"}
    assert "Power" not in text_of(analyst.get(TOPICS))


def test_what_is_wrong_with_a_trial_is_said_in_its_place(analyst: Browser) -> None:
    part = analyst.client.post(
        f"{TOPICS}/test",
        data={"any": "good\n‑", "priority": "5000", "csrf_token": analyst.token()},
        headers={"HX-Request": "true"},
    )
    assert part.status_code == 200
    assert "One of these is enough: Line 2" in part.text
    assert "At most 1000" in part.text


def test_words_between_angle_brackets_stay_words(analyst: Browser) -> None:
    page = analyst.post(f"{TOPICS}/test", rule(any="<script>alert(1)</script>"))
    assert "<script>alert" not in page.text


def test_a_topic_is_made_paused_resumed_and_deleted(analyst: Browser, office: Office) -> None:
    made = analyst.post(f"{TOPICS}/new", rule(tag="Power", none="power cut", all="city"))
    assert (made.status_code, made.headers["location"]) == (303, TOPICS)
    shows(
        analyst.get(TOPICS),
        "Power is followed from now on.",
        "with all of city",
        "with none of power cut",
    )
    assert analyst.post(f"{TOPICS}/power/pause", {}).status_code == 303
    shows(analyst.get(TOPICS), "Power is paused", "paused")
    assert analyst.post(f"{TOPICS}/power/resume", {}).status_code == 303
    form = fields_of(analyst.get(f"{TOPICS}/power/edit"), "/power/delete")
    assert analyst.post(f"{TOPICS}/power/delete", form).status_code == 303
    assert "Power any of" not in text_of(analyst.get(TOPICS))
    assert analyst.get(f"{TOPICS}/power/edit").status_code == 404


def test_nobody_deletes_what_somebody_else_has_changed(analyst: Browser, office: Office) -> None:
    analyst.post(f"{TOPICS}/new", rule(tag="Brief"))
    form = fields_of(analyst.get(f"{TOPICS}/brief/edit"), "/brief/delete")
    analyst.post(f"{TOPICS}/brief/pause", {})
    assert analyst.post(f"{TOPICS}/brief/delete", form).status_code == 412
    shows(analyst.get(TOPICS), "Brief")


def test_what_is_wrong_stands_at_its_field(analyst: Browser) -> None:
    page = analyst.post(f"{TOPICS}/new", rule(tag="C++", any="", priority="many"))
    assert page.status_code == 422
    assert wrong_fields(page) == {"tag", "any", "priority"}
    long = analyst.post(f"{TOPICS}/new", rule(tag="Long", all="\n".join("abcdef")))
    assert wrong_fields(long) == {"all"}
    taken = analyst.post(f"{TOPICS}/new", rule(tag="aI"))
    assert (taken.status_code, wrong_fields(taken)) == (409, {"tag"})
    assert fields_of(taken, "/watch/new")["any"] == rule()["any"]


def test_two_who_edit_a_topic_lose_nothing(analyst: Browser, office: Office) -> None:
    form = fields_of(analyst.get(f"{TOPICS}/energy/edit"), "/energy/edit")
    newsroom = Newsroom(office.service.runtime)

    async def other() -> None:
        topic = await newsroom.watches.get("energy")
        body = TopicEdit(any=["energy", "grid", "turbine"], priority=33)
        await newsroom.watches.save("energy", body, ADMIN, Precondition.seen(topic.version))

    office.service.do(other())
    page = analyst.post(f"{TOPICS}/energy/edit", {**form, "any": "energy\nsolar"})
    assert page.status_code == 412
    shows(page, "Somebody changed it while you were editing", "one of these is enough", "priority")
    again = fields_of(page, "/energy/edit")
    # What both changed is as it was typed; what only the other changed is as it is now.
    assert (again["any"], again["priority"]) == ("energy\nsolar", "33")
    assert analyst.post(f"{TOPICS}/energy/edit", again).status_code == 303
    shows(analyst.get(TOPICS), "any of energy, solar 33")


def test_a_box_that_is_unticked_pauses(analyst: Browser) -> None:
    form = fields_of(analyst.get(f"{TOPICS}/climate/edit"), "/climate/edit")
    without = {name: value for name, value in form.items() if name != "enabled"}
    assert analyst.post(f"{TOPICS}/climate/edit", without).status_code == 303
    again = fields_of(analyst.get(f"{TOPICS}/climate/edit"), "/climate/edit")
    assert "enabled" not in again


# --- marking -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms", "found"),
    [
        ("AI wins; ai again, air not", ["AI"], ["AI", "ai"]),
        ("A climate-change summit", ["climate change"], ["climate-change"]),
        ("C++ and C", ["C"], ["C"]),
        ("Straße und STRASSE", ["strasse"], ["Straße", "STRASSE"]),
        ("Ｃａｆé im café", ["café"], ["Ｃａｆé", "café"]),
        ("東京の天気", ["天気"], ["天気"]),
        ("new new moon", ["new", "new moon"], ["new new moon"]),
        ("nothing", ["something"], []),
        ("", ["x"], []),
    ],
)
def test_words_are_marked_where_they_stand(text: str, terms: list[str], found: list[str]) -> None:
    parts = marked(text, terms)
    assert "".join(part.text for part in parts) == text
    assert " ".join(part.text for part in parts if part.is_term).split() == " ".join(found).split()
