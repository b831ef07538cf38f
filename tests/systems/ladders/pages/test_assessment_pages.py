"""An assessment is filled in step by step, submitted, read by others, and reopened."""

from __future__ import annotations

import pytest
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.ladders.pages.support import (
    BASE,
    HOSTILE,
    Office,
    Review,
    done,
    review_made,
    typed_into,
)

from tablewright.systems.ladders.demo_items import COMPETENCIES

FIRST, *OTHERS = COMPETENCIES


@pytest.fixture(scope="module")
def review(office: Office) -> Review:
    return review_made(office, "omar", "lina", "mateo")


def _filled(page: Browser, here: str, step: int, **said: str) -> dict[str, str]:
    """A step as it would be sent, with some fields changed: ``c0_level="3"``."""
    values = typed_into(page.get(f"{here}?step={step}"), here)
    return {**values, **{name.replace("_", ".", 1): text for name, text in said.items()}}


def test_a_step_is_saved_and_leads_to_the_next(review: Review, lina: Browser) -> None:
    here = review.assessment("lina")
    page = lina.get(here)
    shows(
        page, "Your self-assessment", FIRST, "Choose the highest level that you show", "in 14 days"
    )
    # Each competency is a group of radio buttons, which arrows go through, and "none" is one too.
    names = COMPETENCIES[FIRST]
    assert page.text.count("<fieldset") == len(names)
    assert page.text.count('type="radio" name="c0.level"') == 6
    sent = _filled(lina, here, 1, c0_level="3", c0_evidence="Led it.\r\nTwice.", c0_next="Teach.")
    done(lina.post(here, {**sent, "then": "2"}), f"{here}?step=2")
    stored = review.stored("lina")
    assert stored.selections[FIRST] == {names[0]: 3}
    said = stored.feedback[FIRST][names[0]]["3"]
    assert (said.evidence, said.next_level_feedback) == ("Led it.\nTwice.", "Teach.")
    assert f"1/{len(names)}" in text_of(lina.get(here))


def test_texts_go_along_to_a_level_that_has_none(office: Office, lina: Browser) -> None:
    review = review_made(office, "omar", "lina")
    here, name = review.assessment("lina"), COMPETENCIES[FIRST][0]

    def said() -> dict[str, str]:
        found = review.stored("lina").feedback[FIRST][name]
        return {level: each.evidence for level, each in found.items()}

    done(lina.post(here, _filled(lina, here, 1, c0_level="2", c0_evidence="Two.")))
    done(lina.post(here, _filled(lina, here, 1, c0_level="4")))
    assert said() == {"2": "Two.", "4": "Two."}
    done(lina.post(here, _filled(lina, here, 1, c0_evidence="Four.")))
    # Back at the other level, its own text is there.
    done(lina.post(here, _filled(lina, here, 1, c0_level="2")))
    assert said() == {"2": "Two.", "4": "Four."}
    assert _filled(lina, here, 1)["c0.evidence"] == "Two."
    done(lina.post(here, _filled(lina, here, 1, c0_level="")))
    assert review.stored("lina").selections[FIRST] == {}
    assert said() == {"2": "Two.", "4": "Four."}


def test_autosave_says_how_far_it_is_and_what_is_in_its_way(
    office: Office, lina: Browser, mateo: Browser
) -> None:
    review = review_made(office, "omar", "lina")
    here = review.assessment("lina")
    before = str(review.stored("lina").revision)
    some = {"step": "1", "revision": before, "c0.level": "3", "c0.evidence": "Here."}
    saved = lina.post(f"{here}/autosave", some).json()
    assert saved["revision"] == review.stored("lina").revision > int(before)
    assert (saved["answered"], saved["steps"][0]) == (1, [1, len(COMPETENCIES[FIRST])])
    # Another tab has seen the revision before it, and is told the newer one.
    stale = lina.post(f"{here}/autosave", {**some, "c0.evidence": "Elsewhere."})
    assert (stale.status_code, stale.json()["code"]) == (412, "REVISION_CONFLICT")
    assert stale.json()["revision"] == saved["revision"]
    now = {**some, "revision": str(saved["revision"])}
    for wrong in ({"c0.level": "9"}, {"c0.level": "x"}, {"c0.evidence": "x" * 4001}):
        answer = lina.post(f"{here}/autosave", {**now, **wrong})
        (field,) = wrong
        assert answer.status_code == 422
        assert {each["field"] for each in answer.json()["errors"]} == {f"body.{field}"}
    assert mateo.post(f"{here}/autosave", now).status_code == 404
    assert lina.post(f"{here}/autosave", now, token=False).status_code == 403
    review.answer("lina", "lina")
    locked = lina.post(f"{here}/autosave", {**now, "c0.evidence": "Late."})
    assert (locked.status_code, locked.json()["code"]) == (403, "ASSESSMENT_LOCKED")


def test_a_stale_form_comes_back_with_what_was_typed(office: Office, lina: Browser) -> None:
    review = review_made(office, "omar", "lina")
    here = review.assessment("lina")
    first = _filled(lina, here, 1, c0_level="2", c0_evidence="First.")
    second = _filled(lina, here, 1, c0_level="5", c0_evidence="Second.")
    done(lina.post(here, first))
    clash = lina.post(here, second)
    assert clash.status_code == 412
    shows(clash, "It was changed somewhere else.", "Second.")
    done(lina.post(here, typed_into(clash, here)))
    assert review.stored("lina").selections[FIRST][COMPETENCIES[FIRST][0]] == 5
    wrong = lina.post(here, _filled(lina, here, 1, c0_evidence="y" * 4001))
    assert (wrong.status_code, wrong_fields(wrong)) == (422, {"c0.evidence"})


def test_what_is_missing_is_listed_before_it_is_submitted(office: Office, lina: Browser) -> None:
    review = review_made(office, "omar", "lina")
    here, last = review.assessment("lina"), len(COMPETENCIES) + 2
    asked = sum(map(len, COMPETENCIES.values()))
    page = lina.get(f"{here}?step={last}")
    shows(page, f"{asked} answers are missing", "needs a level")
    assert f'href="{here}?step=2#c1"' in page.text
    assert "/submit" not in page.text
    refused = lina.post(f"{here}/submit", {"revision": str(review.stored("lina").revision)})
    assert refused.status_code == 422
    for step, inside in enumerate(COMPETENCIES.values(), 1):
        said = {f"c{at}_{name}": text for at in range(len(inside)) for name, text in _ANSWER}
        done(lina.post(here, _filled(lina, here, step, **said)))
    outlook = len(COMPETENCIES) + 1
    values = fields_of(lina.get(f"{here}?step={outlook}"), here)
    done(lina.post(here, {**values, "goal_level": "5", "way_forward": "Up."}))
    ready = lina.get(f"{here}?step={last}")
    shows(ready, "Ready to submit")
    done(lina.post(f"{here}/submit", fields_of(ready, "/submit")), here)
    stored = review.stored("lina")
    assert (stored.status, stored.goal_level, stored.way_forward) == ("submitted", 5, "Up.")
    shows(lina.get(here), "It is submitted.", "Shown.", "Way forward")
    assert "data-assessing" not in lina.get(here).text


_ANSWER = (("level", "3"), ("evidence", "Shown."))


def test_others_read_it_once_it_is_submitted(
    office: Office, lina: Browser, omar: Browser, mateo: Browser, ines: Browser, judith: Browser
) -> None:
    review = review_made(office, "omar", "lina")
    here, theirs = review.assessment("lina"), review.assessment("lina", "manager")
    assert omar.get(here).status_code == 403
    assert lina.get(theirs).status_code == 403
    for nobody in (mateo, judith):
        assert nobody.get(here).status_code == 404
    shows(omar.get(theirs), "Your assessment of Lina Moreau", "that they show most of the time")
    assert f'href="{here}"' not in omar.get(theirs).text
    review.answer("lina", "lina", evidence=HOSTILE)
    assert f'href="{here}"' in omar.get(theirs).text
    for reader in (omar, ines):
        page = reader.get(here)
        shows(page, "Self-assessment of Lina Moreau", HOSTILE, "Reopen it")
        assert HOSTILE not in page.text
    short = omar.post(f"{here}/reopen", {"reason": "No"})
    assert (short.status_code, wrong_fields(short)) == (422, {"reason"})
    done(omar.post(f"{here}/reopen", {"reason": "One project is missing."}), f"{BASE}/")
    form = lina.get(here)
    assert "data-assessing" in form.text
    assert HOSTILE not in form.text
    assert mateo.post(f"{here}/reopen", {"reason": "It is mine."}).status_code == 404


# --- beside the manager's choice -----------------------------------------------------------------


def test_signals_of_every_level_are_on_the_form_before_one_is_chosen(
    office: Office, lina: Browser
) -> None:
    review = review_made(office, "omar", "lina")
    page = lina.get(f"{review.assessment('lina')}?step=1")
    shows(page, "Signals and examples of every level", "Level 1", "Level 5")


def test_manager_sees_self_assessment_and_last_season_beside_the_choice(
    office: Office, omar: Browser, lina: Browser
) -> None:
    before = review_made(office, "omar", "lina", season="2024-H1")
    before.reported("lina", "omar", coding=4)
    office.do(
        office.company.reports.release(
            office.caller("omar"), before.report("lina").rpartition("/")[2]
        )
    )
    review = review_made(office, "omar", "lina", season="2024-H2")
    form = f"{review.assessment('lina', 'manager')}?step=1"
    page = omar.get(form)
    assert "Self-assessment: level" not in text_of(page), "it is not submitted yet"
    review.answer("lina", "lina", 2, "Wrote the parser.")
    shows(
        omar.get(form),
        "Self-assessment: level 2",
        "What they wrote about Coding",
        "Wrote the parser.",
    )
    # Of the same team, the report of the season before is the manager's to read.
    same = omar.get(form)
    assert "2024-H1" in text_of(same)


def test_form_opens_at_the_step_where_it_was_left(office: Office, lina: Browser) -> None:
    review = review_made(office, "omar", "lina")
    path = review.assessment("lina")
    first, second = (each.name for each in review.ladder.categories[:2])
    shows(lina.get(path), first)
    assert 'name="step" value="1"' in lina.get(path).text
    lina.get(f"{path}?step=2")
    again = lina.get(path)
    assert 'name="step" value="2"' in again.text
    shows(again, second)
    # Another assessment begins at its own beginning.
    other = review_made(office, "omar", "lina", season="2031-H1")
    assert 'name="step" value="1"' in lina.get(other.assessment("lina")).text
