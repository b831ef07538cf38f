"""Planning and changing a hackathon; its weights as they are typed; moving it on."""

from __future__ import annotations

from decimal import Decimal

import httpx2
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import BASE, Court
from tests.systems.vibejudge.support import moved, wanted

from tablewright.service.preconditions import Precondition
from tablewright.systems.vibejudge.entities import ALL_AGENTS
from tablewright.systems.vibejudge.pages.hackathon_form import read_hackathon, values_of
from tablewright.systems.vibejudge.service.hackathons import revision

HACKATHONS = f"{BASE}/hackathons"
NEW = f"{HACKATHONS}/new"
WEIGHT = "rubric.dimensions.{}.weight"


def part(browser: Browser, path: str, fields: dict[str, str]) -> httpx2.Response:
    """What htmx gets."""
    return browser.client.post(
        path, data={**fields, "csrf_token": browser.token()}, headers={"HX-Request": "true"}
    )


def test_a_hackathon_is_planned_by_the_form(court: Court, organizer: Browser) -> None:
    fields = fields_of(organizer.get(NEW), "/new")
    assert fields["rubric.name"] == "All-round"
    assert [fields[WEIGHT.format(at)] for at in range(4)] == ["25", "25", "30", "20"]
    assert all(fields[f"agents.{each}"] == "1" for each in ALL_AGENTS)
    fields |= {
        "name": "<script>alert(1)</script>",
        "start_date": "2026-12-04T17:00",
        "end_date": "2026-12-06T17:30",
        "human_weight": "33.5",
        "budget_limit_usd": "12.50",
    }
    answer = organizer.post(NEW, fields)
    assert answer.status_code == 303, text_of(answer)
    page = organizer.get(answer.headers["location"])
    shows(page, "<script>alert(1)</script> is planned", "4 Dec 2026, 17:00 UTC", "33.5 %")
    assert "<script>alert" not in page.text
    hack_id = answer.headers["location"].rpartition("/")[2]
    made = court.do(court.courtroom.hackathons.owned(court.caller, hack_id))
    assert (made.human_weight, made.budget_limit_usd) == (Decimal("0.335"), Decimal("12.5"))
    assert (made.status, made.visibility) == ("draft", "public")


def test_what_is_wrong_stands_at_its_field(organizer: Browser) -> None:
    fields = fields_of(organizer.get(NEW), "/new")
    bad = {**fields, "name": "", WEIGHT.format(0): "lots", "human_weight": "101", "end_date": "x"}
    page = organizer.post(NEW, bad)
    assert page.status_code == 422
    assert wrong_fields(page) == {"name", WEIGHT.format(0), "human_weight", "end_date"}
    assert fields_of(page, "/new")[WEIGHT.format(0)] == "lots"
    shows(page, "The weights come to 75 %")
    early = {
        **fields,
        "name": "A",
        "start_date": "2026-12-04T17:00",
        "end_date": "2026-12-04T16:00",
    }
    page = organizer.post(NEW, early)
    assert wrong_fields(page) == {"end_date"}
    custom = organizer.post(NEW, {**fields, "name": "A", "ai_policy_mode": "custom"})
    assert wrong_fields(custom) == {"ai_policy_config.authenticity_weight"}
    absent = organizer.post(
        NEW,
        {key: each for key, each in fields.items() if key != "agents.innovation"} | {"name": "A"},
    )
    shows(absent, "The rubric needs agents that are not enabled")


def test_weights_are_shown_as_they_are_typed(organizer: Browser) -> None:
    fields = fields_of(organizer.get(NEW), "/new")
    shown = part(organizer, f"{HACKATHONS}/weights", {**fields, "ai_policy_mode": "traditional"})
    # What is not authenticity shares 70 %: 25 of 80 become 21.9.
    for text in ("21.9 %", "26.2 %", "30 %", "come to 100 %"):
        assert text in shown.text
    assert "<html" not in shown.text
    own = {"ai_policy_mode": "custom", "ai_policy_config.authenticity_weight": "50"}
    half = part(organizer, f"{HACKATHONS}/weights", {**fields, **own})
    assert "50 %" in half.text
    odd = part(organizer, f"{HACKATHONS}/weights", {**fields, WEIGHT.format(2): "<x>"})
    assert "come to 70 %" in odd.text
    assert "<x>" not in odd.text


def test_dimensions_come_and_go_and_templates_replace_them(organizer: Browser) -> None:
    fields = fields_of(organizer.get(NEW), "/new") | {"name": "Kept", WEIGHT.format(3): "5"}
    more = organizer.post(f"{HACKATHONS}/rubric", {**fields, "act": "add"})
    found = fields_of(more, "/new")
    # The new one gets what is left, and what was typed elsewhere is kept.
    assert (found[WEIGHT.format(4)], found["name"]) == ("15", "Kept")
    less = fields_of(organizer.post(f"{HACKATHONS}/rubric", {**found, "act": "remove.0"}), "/new")
    assert less["rubric.dimensions.0.name"] == "architecture"
    assert WEIGHT.format(4) not in less
    chosen = {**fields, "act": "template", "template": "classic"}
    swapped = part(organizer, f"{HACKATHONS}/rubric", chosen)
    assert "<html" not in swapped.text
    assert 'value="Classic"' in swapped.text
    assert 'hx-swap-oob="innerHTML"' in swapped.text
    assert '<option value="traditional" selected>' in swapped.text


def test_two_who_edit_at_once_are_both_heard(court: Court, organizer: Browser) -> None:
    made = court.planned("Shared Jam")
    edit = f"{HACKATHONS}/{made.hack_id}/edit"
    fields = fields_of(organizer.get(edit), "/edit")
    assert read_hackathon(fields, made) == read_hackathon(values_of(made), made)
    said = Precondition.seen(revision(made))
    other = wanted("Their name", visibility="public")
    court.do(court.courtroom.hackathons.edit(court.caller, made.hack_id, other, said))
    clash = organizer.post(edit, {**fields, "human_weight": "10"})
    assert clash.status_code == 412
    shows(clash, "Somebody changed it while you were editing", "Save again")
    again = fields_of(clash, "/edit")
    assert (again["name"], again["human_weight"]) == ("Their name", "10")
    assert organizer.post(edit, again).status_code == 303
    after = court.do(court.courtroom.hackathons.owned(court.caller, made.hack_id))
    assert (after.name, after.human_weight) == ("Their name", Decimal("0.1"))


def test_what_cannot_be_changed_is_not_in_the_form(court: Court, organizer: Browser) -> None:
    made = court.planned("Busy Jam")
    edit = f"{HACKATHONS}/{made.hack_id}/edit"
    court.do(moved(court.courtroom, made, "analyzing"))
    page = organizer.get(edit)
    shows(page, "It cannot be changed while the hackathon is analysed")
    assert 'name="rubric.name"' not in page.text
    fields = fields_of(page, "/edit")
    sent = {each: fields[each] for each in ("version", "seen", "visibility")}
    saved = organizer.post(edit, {**sent, "name": "Busier Jam", "budget_limit_usd": "7"})
    assert saved.status_code == 303, text_of(saved)
    after = court.do(court.courtroom.hackathons.owned(court.caller, made.hack_id))
    assert (after.name, after.rubric, after.end_date) == ("Busier Jam", made.rubric, made.end_date)


def test_a_hackathon_is_moved_on_and_erased(court: Court, organizer: Browser) -> None:
    organizer.post(court.path("draft", "/activate"), {})
    shows(organizer.get(court.path("draft")), "It needs a start_date and an end_date first")
    made = court.do(court.courtroom.hackathons.create(court.caller, wanted("Moving Jam")))
    here = f"{HACKATHONS}/{made.hack_id}"
    organizer.post(f"{here}/activate", {})
    shows(organizer.get(here), "Moving Jam is open")
    court.do(moved(court.courtroom, made, "completed"))
    organizer.post(f"{here}/reopen", {})
    shows(organizer.get(here), "Moving Jam is open again")
    organizer.post(f"{here}/archive", {})
    shows(organizer.get(here), "Moving Jam is archived")
    organizer.post(f"{here}/reopen", {})
    shows(organizer.get(here), "It is archived; this can be done while it is completed")
    organizer.post(f"{here}/erase", {"confirmation": "Moving"})
    shows(organizer.get(f"{here}/edit"), "Nothing is erased")
    organizer.post(f"{here}/erase", {"confirmation": "Moving Jam"})
    shows(organizer.get(HACKATHONS), "Moving Jam is erased")
    assert organizer.get(here).status_code == 404
