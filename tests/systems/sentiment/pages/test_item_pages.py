"""One article: what its tone comes from, verdicts on it, another chance for it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest
from tests.console.reading import fields_of, shows, text_of
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office

from tablewright.systems.sentiment.analysers.explaining import Term
from tablewright.systems.sentiment.pages.item_text import pieces_of


def test_an_article_tells_where_its_tone_comes_from(office: Office, viewer: Browser) -> None:
    path = office.item("ai-wins-a-prize")
    page = viewer.get(path)
    shows(page, "Ai wins a prize", "Positive", "Polarity +0.60", "BBC News", "v3.3.2+vader in use")
    link = re.search(r'<a[^>]*href="https://news.example/[^"]*"[^>]*>', page.text)
    assert link
    assert 'rel="noopener noreferrer nofollow"' in link[0]
    words = viewer.get(f"{path}/terms")
    marked = re.findall(r'<mark class="word word-(\w+)">(\w+)<sup[^>]*>(.)</sup>', words.text)
    assert ("positive", "wins", "+") in marked
    assert ("positive", "prize", "+") in marked


def test_who_may_not_decide_sees_no_form(office: Office, viewer: Browser) -> None:
    page = viewer.get(office.item("ai-wins-a-prize"))
    assert "Your verdict" not in text_of(page)
    answer = viewer.post(f"{office.item('ai-wins-a-prize')}/override", {"sentiment": "neutral"})
    assert answer.status_code == 403


def test_a_verdict_changes_the_tone_and_the_totals(office: Office, analyst: Browser) -> None:
    path = office.item("climate-talks-go-on")
    fields = fields_of(analyst.get(path), "/override")
    said = {**fields, "sentiment": "positive", "reason": "It is good that they talk."}
    page = analyst.post(f"{path}/override", said)
    assert page.status_code == 303, page.text
    shows(analyst.get(path), "Decided: positive instead of neutral", "It is good that they talk.")
    shows(analyst.get(path), "the model says neutral")
    assert "Neutral 0 % , 0 articles" in text_of(analyst.get(f"{BASE}/?tag=climate"))
    # And back.
    fields = fields_of(analyst.get(path), "/clear")
    assert analyst.post(f"{path}/clear", fields).status_code == 303
    shows(analyst.get(path), "The model's own tone again: neutral", "as v3.3.2+vader says")


def test_who_is_late_sees_what_has_changed_and_keeps_what_was_typed(
    office: Office, analyst: Browser, admin: Browser
) -> None:
    path = office.item("grid-fails-badly")
    late = fields_of(analyst.get(path), "/override")
    first = fields_of(admin.get(path), "/override")
    said = {**first, "sentiment": "neutral", "reason": "An irony."}
    assert admin.post(f"{path}/override", said).status_code == 303
    typed = {**late, "sentiment": "positive", "reason": "I see it <b>otherwise</b>."}
    page = analyst.post(f"{path}/override", typed)
    assert page.status_code == 412
    shows(page, "Somebody was quicker", "Tone: negative → neutral", "Decided by: nobody →")
    shows(page, "Reason: nothing → An irony.")
    kept = fields_of(page, "/override")
    assert kept["reason"] == "I see it <b>otherwise</b>."
    assert re.search(r'value="positive" checked', page.text)
    # Saving again is on what is there now.
    again = {**kept, "sentiment": "positive"}
    assert analyst.post(f"{path}/override", again).status_code == 303
    shows(analyst.get(path), "Decided: positive instead of neutral")
    stale = {**late, "csrf_token": ""}
    assert analyst.post(f"{path}/clear", stale).status_code == 412


def test_a_verdict_without_a_tone_is_refused_at_its_field(office: Office, analyst: Browser) -> None:
    path = office.item("ai-eats-the-grid")
    fields = fields_of(analyst.get(path), "/override")
    fields.pop("sentiment", None)
    page = analyst.post(f"{path}/override", {**fields, "reason": "Hm."})
    assert page.status_code == 422
    shows(page, "Choose a tone.")
    assert fields_of(page, "/override")["reason"] == "Hm."
    long = {**fields, "sentiment": "neutral", "reason": "x" * 501}
    shows(analyst.post(f"{path}/override", long), "At most 500 characters.")


def test_what_has_failed_is_queued_again_by_operators(
    office: Office, operator: Browser, analyst: Browser
) -> None:
    path = office.item("ai-fails")
    shows(operator.get(path), "It could not be analysed.", "TIMEOUT", "Queue it again")
    page = analyst.get(path)
    assert f'action="{path}/requeue"' not in page.text
    assert "Your verdict" not in text_of(page)
    assert analyst.post(f"{path}/requeue", {}).status_code == 403
    assert operator.post(f"{path}/requeue", {}).status_code == 303
    shows(operator.get(path), "It has no tone yet.")
    # Once is enough.
    page = operator.post(f"{path}/requeue", {})
    assert page.status_code == 409
    shows(page, "Only an article that has failed, or is stuck, can be queued again.")


def test_what_waits_has_no_words_yet(office: Office, viewer: Browser) -> None:
    path = office.item("ai-waits")
    shows(viewer.get(path), "It has no tone yet.", "No model has judged it yet")
    shows_part = viewer.get(f"{path}/terms")
    assert "No model has judged this article yet." in shows_part.text


@pytest.mark.parametrize("name", ["newsapi:0000000000000000", "agg:all", "nothing", "a%2Fb"])
def test_what_is_not_there(viewer: Browser, name: str) -> None:
    assert viewer.get(f"{BASE}/items/{name}").status_code == 404


def test_pieces_are_the_whole_text() -> None:
    text = "Good news, bad news. Good."
    terms = [
        Term("bad", Decimal("-0.4"), 11, 14),
        Term("Good", Decimal("0.2"), 0, 4),
        Term("moved", Decimal("0.1"), 2, 7),
    ]
    pieces = pieces_of(text, terms)
    assert "".join(piece.text for piece in pieces) == text
    assert [(piece.text, piece.tone) for piece in pieces if piece.weight is not None] == [
        ("Good", "positive"),
        ("bad", "negative"),
    ]
    assert "".join(piece.text for piece in pieces_of(text, [])) == text
