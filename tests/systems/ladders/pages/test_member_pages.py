"""What everybody begins with: tasks, growth and history before there is any, and the ladder."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from tests.console.reading import shows, text_of
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, Office, done, review_made

from tablewright.systems.ladders.demo_items import COMPETENCIES, ladder
from tablewright.systems.ladders.pages.due import due
from tablewright.systems.ladders.pages.growth import gaps_of
from tablewright.systems.ladders.pages.rendered import detail_html, line_html
from tablewright.systems.ladders.rules.report_rows import Row


def test_pages_without_anything_say_what_will_be_there(judith: Browser, visitor: Browser) -> None:
    shows(judith.get(f"{BASE}/"), "Hello Judith.", "Nothing to do")
    shows(judith.get(f"{BASE}/growth"), "No goal yet")
    shows(judith.get(f"{BASE}/history"), "No history yet")
    for path in ("", "growth", "history", "ladder"):
        answer = visitor.get(f"{BASE}/{path}")
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?next=")


def test_tasks_lead_to_what_is_to_be_done(office: Office, lina: Browser, omar: Browser) -> None:
    review = review_made(office, "omar", "lina", "mateo", season="2025-H1")
    own, theirs = review.assessment("lina"), review.assessment("lina", "manager")
    page = lina.get(f"{BASE}/")
    shows(page, "1 thing waits for you", "Your self-assessment", "In 14 days", "Begin", "0 of 4")
    assert f'href="{own}"' in page.text
    assert theirs not in page.text
    todo = omar.get(f"{BASE}/")
    shows(todo, "2 things wait for you", "Assess Lina Moreau", "Assess Mateo Silva")
    assert f'href="{theirs}"' in todo.text
    here = review.reported("lina", "omar")
    shows(omar.get(f"{BASE}/"), "Release the report of Lina Moreau")
    assert here not in lina.get(f"{BASE}/").text
    done(omar.post(f"{here}/release", {}))
    shows(lina.get(f"{BASE}/"), "Read your report, and say so", "Your reviews", "Level 3")
    shows(lina.get(f"{BASE}/history"), "2025-H1", "the first one", "Released")


def test_history_is_seen_by_who_may_read_the_reports(
    office: Office, lina: Browser, omar: Browser, judith: Browser, ines: Browser
) -> None:
    for season, level in (("2024-H1", 2), ("2024-H2", 4)):
        review = review_made(office, "judith", "nora", season=season)
        review.answer("nora", "nora", level)
        review.answer("nora", "judith", level)
        by, nora = office.caller("judith"), office.people["nora"]
        office.do(office.company.reports.build(by, review.plan.plan_id, nora))
    here = f"{BASE}/history/{nora}"
    page = judith.get(here)
    shows(page, "History of Nora Haddad", "2024-H1", "2 levels", "Level by season")
    assert ines.get(here).status_code == 200
    for nobody in (lina, omar):
        assert nobody.get(here).status_code == 404
    assert lina.get(f"{BASE}/history/{office.people['lina']}").status_code == 303
    assert lina.get(f"{BASE}/history/nobody").status_code == 404


def test_everybody_reads_the_ladder(office: Office, lina: Browser) -> None:
    page = lina.get(f"{BASE}/ladder")
    shows(
        page,
        "Version 1.0.0",
        "Active",
        *COMPETENCIES,
        *(x for y in COMPETENCIES.values() for x in y),
    )
    one = lina.get(f"{BASE}/ladder?level=2")
    assert one.text.count('<li value="2">') == 4
    assert '<li value="1">' not in one.text
    assert len(text_of(lina.get(f"{BASE}/ladder?level=99"))) == len(text_of(page))
    config = office.do(office.company.configs.active(office.caller("lina"))).config
    shows(lina.get(f"{BASE}/ladder/{config.config_id}"), "Version 1.0.0")
    assert lina.get(f"{BASE}/ladder/{office.people['lina']}").status_code == 404


# --- in words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "words", "tone"),
    [
        ((2026, 11, 15, 23), "today", "warning"),
        ((2026, 11, 15, 8), "1 day late", "danger"),
        ((2026, 11, 16, 1), "tomorrow", "warning"),
        ((2026, 11, 22, 9), "in 7 days", "warning"),
        ((2026, 11, 23, 9), "in 8 days", ""),
        ((2026, 11, 12, 9), "3 days late", "danger"),
    ],
)
def test_days_are_those_of_the_calendar(at: tuple[int, ...], words: str, tone: str) -> None:
    now = datetime(2026, 11, 15, 9, tzinfo=UTC)
    found = due(datetime(*at, tzinfo=UTC), now, "UTC")  # type: ignore[misc, arg-type]
    assert (found.words, found.tone) == (words, tone)


def test_days_are_those_of_the_place() -> None:
    now, at = datetime(2026, 11, 15, 9, tzinfo=UTC), datetime(2026, 11, 15, 11, tzinfo=UTC)
    assert due(at, now, "UTC").words == "today"
    # It is 23:00 there, and the next day two hours later.
    assert due(at, now, "Pacific/Kiritimati").words == "tomorrow"


def test_texts_of_ladders_are_no_html() -> None:
    shown = detail_html('- *one*\n- <b onclick="x">two</b>\n- ![x](http://y/z.png)')
    assert "<em>one</em>" in shown
    assert "<b" not in shown
    assert "<img" not in shown
    assert "javascript:" not in line_html("[x](javascript:alert(1))").replace("(javascript:", "")


def test_gaps_are_below_the_goal() -> None:
    steps = ladder()
    rows = [
        Row("Craft", name, own, manager, None, "agree", "", "", "", "")
        for name, own, manager in (("Coding", 1, 3), ("Design", 2, None))
    ]
    found = gaps_of(rows, steps, 4)
    assert [(each.row.competency, each.following.level) for each in found] == [
        ("Design", 3),
        ("Coding", 4),
    ]
    assert gaps_of(rows, steps, 2) == []
