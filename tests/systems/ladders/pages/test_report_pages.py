"""A report: compared, released, acknowledged, taken along, made anew; and what follows from it."""

from __future__ import annotations

from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.ladders.pages.support import BASE, HOSTILE, Office, done, review_made

from tablewright.systems.ladders.demo_items import COMPETENCIES

FIRST = next(iter(COMPETENCIES))
NAME = COMPETENCIES[FIRST][0]


def test_a_report_goes_from_the_manager_to_the_member(
    office: Office, omar: Browser, lina: Browser, mateo: Browser, ines: Browser
) -> None:
    review = review_made(office, "omar", "lina", "mateo")
    here = review.reported("lina", "omar", **{NAME.lower(): 5})
    page = omar.get(here)
    shows(
        page,
        "Report of Lina Moreau",
        "Lina Moreau cannot see it yet",
        "Worth discussing",
        NAME,
        "+2",
        "Agree",
    )
    assert 'aria-label="Manager 5, self 3, of 5"' in page.text
    assert lina.get(here).status_code == 403
    assert mateo.get(here).status_code == 404
    assert lina.post(f"{here}/release", {}).status_code == 403
    done(omar.post(f"{here}/release", fields_of(page, "/release")), here)
    shows(omar.get(here), "The report is released.", "Lina Moreau can read it")
    shows(ines.get(here), "Report of Lina Moreau", "The manager's assessment")
    mine = lina.get(here)
    shows(mine, "Your report", "Read it, then say that you have", "Shipped it.")
    assert "Reopen" not in text_of(mine)
    long = lina.post(f"{here}/acknowledge", {"comment": "x" * 2001})
    assert (long.status_code, wrong_fields(long)) == (422, {"comment"})
    done(lina.post(f"{here}/acknowledge", {"comment": HOSTILE}), here)
    for reader in (omar, lina):
        page = reader.get(here)
        shows(page, "Acknowledged", HOSTILE)
        assert HOSTILE not in page.text
    # It stays as it is from then on.
    done(omar.post(f"{here}/withdraw", {}), here)
    shows(omar.get(here), "The member has acknowledged it")


def test_a_released_report_can_be_withdrawn_and_made_anew(
    office: Office, omar: Browser, lina: Browser
) -> None:
    review = review_made(office, "omar", "lina")
    here = review.reported("lina", "omar")
    shows(omar.get(here), "You see it the same way")
    done(omar.post(f"{here}/release", {}))
    done(omar.post(f"{here}/withdraw", fields_of(omar.get(here), "/withdraw")))
    assert lina.get(here).status_code == 403
    own = review.assessment("lina")
    done(omar.post(f"{own}/reopen", {"reason": "no", "back": here.rpartition("/")[2]}), here)
    shows(omar.get(here), "Give a reason of 5 to 500 characters, for example")
    reopening = fields_of(omar.get(here), f"{own}/reopen")
    done(omar.post(f"{own}/reopen", {**reopening, "reason": "A project is missing."}), here)
    shows(omar.get(here), "It is out of date", "One of its assessments was reopened")
    done(omar.post(f"{here}/rebuild", {}), here)
    shows(omar.get(here), "Both assessments have to be submitted")
    review.answer("lina", "lina", 5)
    shows(omar.get(here), "make the report anew")
    done(omar.post(f"{here}/rebuild", {}), here)
    shows(omar.get(here), "The report is made anew.", "−2")


def test_a_report_is_taken_along(
    office: Office, omar: Browser, lina: Browser, mateo: Browser
) -> None:
    here = review_made(office, "omar", "lina").reported("lina", "omar")
    made = omar.post(f"{here}/export/csv", {})
    assert made.headers["content-type"].startswith("text/csv")
    assert "attachment" in made.headers["content-disposition"]
    assert NAME in made.text
    assert omar.post(f"{here}/export/json", {}).json()["final_level"] == 3
    assert omar.post(f"{here}/export/exe", {}).status_code == 422
    assert lina.post(f"{here}/export/csv", {}).status_code == 403
    assert mateo.post(f"{here}/export/csv", {}).status_code == 404


def test_growth_actions_are_agreed_on(office: Office, omar: Browser, lina: Browser) -> None:
    here = review_made(office, "omar", "lina", season="2027").reported("lina", "omar")
    action = {"title": HOSTILE, "due": "2026-12-01", "note": "With Omar."}
    assert lina.post(f"{here}/actions", action).status_code == 403
    done(omar.post(f"{here}/release", {}))
    done(omar.post(f"{here}/actions", action), f"{here}#actions")
    growth = lina.get(f"{BASE}/growth")
    shows(growth, "Your goal", HOSTILE, "With Omar.", "1 Dec 2026", "What comes next", NAME)
    assert HOSTILE not in growth.text
    place = fields_path(growth.text, here)
    done(lina.post(place, {"status": "done", "back": "growth"}), f"{BASE}/growth#actions")
    shows(lina.get(f"{BASE}/growth"), "Done", "Open again")
    done(lina.post(f"{here}/actions", {**action, "due": "soon"}))
    shows(lina.get(here), "Until: Choose a day, for example 2026-11-30.")
    done(lina.post(f"{here}/actions", {**action, "title": " "}))
    shows(lina.get(here), "What: Is missing. Say what is to be done")
    done(lina.post(f"{place}/remove", {"back": "growth"}), f"{BASE}/growth#actions")
    shows(lina.get(f"{BASE}/growth"), "Nothing agreed yet")


def fields_path(page: str, report: str) -> str:
    """Where the first growth action is changed."""
    return f"{report}/actions/" + page.partition(f'"{report}/actions/')[2].partition('"')[0]
