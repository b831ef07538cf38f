"""Planning an event and setting it up: settings, questions, vouchers, and who helps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.console.reading import fields_of, shows
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.staging import HOSTILE, Stage, staged
from tests.systems.kurukshetra.pages.support import BASE, Ground, done, signed_in

from tablewright.systems.kurukshetra.events import Config


@pytest.fixture(scope="module")
def stage(ground: Ground) -> Stage:
    return staged(ground, "setup-day")


@pytest.fixture
def admin(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "admin") as browser:
        yield browser


def config_of(stage: Stage) -> Config:
    return stage.ground.do(stage.ground.festival.events.setup_now(stage.event_id)).config


# --- planning ------------------------------------------------------------------------------------


def test_an_event_is_planned_with_the_usual_settings(ground: Ground, admin: Browser) -> None:
    new = f"{BASE}/events/new"
    form = fields_of(admin.get(new), "/new")
    wrong = admin.post(new, {**form, "event_id": "Bad Id", "event_name": "", "team_fee": "x"})
    assert wrong.status_code == 422
    assert wrong.text.count('aria-invalid="true"') == 3
    said = {**form, "event_id": "planned-day", "event_name": "Planned Day"}
    done(admin.post(new, said), f"{BASE}/events/planned-day/admin")
    shows(admin.get(f"{BASE}/events/planned-day/admin"), "Planned Day", "Registration is closed.")
    again = admin.post(new, said)
    assert again.status_code == 409
    shows(again, "There is an event of this id already.")
    for user, status in (("organizer", 200), ("finance", 403), ("asha", 403)):
        with signed_in(ground, user) as browser:
            assert browser.get(new).status_code == status


# --- settings ------------------------------------------------------------------------------------


def test_settings_are_in_the_events_own_time_and_money(stage: Stage, admin: Browser) -> None:
    path = f"{stage.admin}/setup"
    form = fields_of(admin.get(path), "/setup")
    assert form["team_fee"] == "999"
    # Stored in UTC; the form shows what the clock in Kolkata does.
    assert form["event_start"][11:16] != f"{config_of(stage).event_start:%H:%M}"
    before = config_of(stage)
    done(admin.post(path, {**form, "team_fee": "1,249.50", "tracks": "ai-ml\nfree-style"}), path)
    after = config_of(stage)
    assert (after.team_fee, after.tracks) == (124950, ["ai-ml", "free-style"])
    assert after.event_start == before.event_start
    assert after.registration_open


def test_what_is_wrong_stands_at_its_field_and_nothing_is_lost(
    stage: Stage, admin: Browser
) -> None:
    path = f"{stage.admin}/setup"
    form = fields_of(admin.get(path), "/setup")
    used = admin.post(path, {**form, "max_teams": "0", "event_name": HOSTILE})
    assert used.status_code == 409
    shows(used, "More seats than that are taken")
    assert HOSTILE not in used.text
    for name, value, told in (
        ("zone", "Mars/Olympus", "is no time zone"),
        ("max_teams", "", "Is missing."),
        ("min_team_size", "9", "min_team_size is above max_team_size"),
        ("event_end", "2001-01-01T10:00", "an end comes before its start"),
        ("registration_start", "soon", "A day and a time."),
    ):
        wrong = admin.post(path, {**form, name: value})
        assert wrong.status_code == 422, name
        shows(wrong, told)


def test_two_who_change_settings_do_not_overwrite_each_other(stage: Stage, admin: Browser) -> None:
    path = f"{stage.admin}/setup"
    form = fields_of(admin.get(path), "/setup")
    done(admin.post(path, {**form, "hold_minutes": "25"}), path)
    clash = admin.post(path, {**form, "offer_hours": "12"})
    assert clash.status_code == 412
    shows(clash, "Somebody changed it while you were editing.")
    merged = fields_of(clash, "/setup")
    assert (merged["hold_minutes"], merged["offer_hours"]) == ("25", "12")
    done(admin.post(path, merged), path)
    after = config_of(stage)
    assert (after.hold_minutes, after.offer_hours) == (25, 12)


def test_registration_is_closed_and_opened_from_the_overview(stage: Stage, admin: Browser) -> None:
    form = fields_of(admin.get(stage.admin), "/setup/registration")
    done(admin.post(f"{stage.admin}/setup/registration", form), stage.admin)
    assert not config_of(stage).registration_open
    done(admin.post(f"{stage.admin}/setup/registration", form), stage.admin)
    shows(admin.get(stage.admin), "Somebody has changed it since you read it", "Open registration")
    again = fields_of(admin.get(stage.admin), "/setup/registration")
    done(admin.post(f"{stage.admin}/setup/registration", again), stage.admin)
    assert config_of(stage).registration_open


# --- questions -----------------------------------------------------------------------------------


def test_questions_come_go_move_and_keep_their_ids(stage: Stage, admin: Browser) -> None:
    path = f"{stage.admin}/setup/questions"
    shows(admin.get(path), "No questions of your own")
    form = fields_of(admin.post(f"{path}/rows", {**_sent(admin, path), "act": "add"}), "/questions")
    form |= {"questions.0.label": "Which shirt?", "questions.0.kind": "choice"}
    wrong = admin.post(path, form)
    assert wrong.status_code == 422
    shows(wrong, "One choice in each line.")
    form |= {"questions.0.choices": "S\nM", "questions.0.required": "1"}
    second = fields_of(admin.post(f"{path}/rows", {**form, "act": "add"}), "/questions")
    second |= {"questions.1.label": HOSTILE, "questions.1.pii": "1"}
    done(admin.post(path, second), path)
    assert _asked(stage) == [
        ("which-shirt", True, False),
        ("img-src-x-onerror-alert-1", False, True),
    ]
    page = admin.get(path)
    assert HOSTILE not in page.text
    swapped = admin.post(f"{path}/rows", {**_sent(admin, path), "act": "down.0"})
    done(admin.post(path, {**fields_of(swapped, "/questions"), "questions.1.label": "Shirt"}), path)
    assert [each[0] for each in _asked(stage)] == ["img-src-x-onerror-alert-1", "which-shirt"]
    part = admin.client.post(
        f"{path}/rows",
        data={**_sent(admin, path), "act": "remove.0", "csrf_token": admin.token()},
        headers={"HX-Request": "true"},
    )
    assert "<html" not in part.text
    assert part.text.count("<fieldset") == 1


def _sent(browser: Browser, path: str) -> dict[str, str]:
    return fields_of(browser.get(path), "/questions")


def _asked(stage: Stage) -> list[tuple[str, bool, bool]]:
    setup = stage.ground.do(stage.ground.festival.events.setup_now(stage.event_id))
    return [(each.question_id, each.required, each.pii) for each in setup.questions]


# --- vouchers and roles --------------------------------------------------------------------------


def test_vouchers_are_made_and_changed_and_are_of_one_kind(stage: Stage, admin: Browser) -> None:
    path = f"{stage.admin}/setup/vouchers"
    form = fields_of(admin.get(path), "/vouchers")
    both = admin.post(path, {**form, "code": "crew", "percent": "10", "fixed": "50"})
    assert both.status_code == 422
    shows(both, "Either per cent, or an amount.")
    said = {**form, "code": "crew", "fixed": "50", "remaining": "3"}
    done(admin.post(path, said), path)
    shows(admin.get(path), "CREW Good 3 left ₹50")
    shows(admin.post(path, said), "There is a voucher of this code already.")
    changed = fields_of(admin.get(f"{path}?code=CREW"), "/vouchers")
    done(admin.post(path, {**changed, "remaining": "0"}), path)
    shows(admin.get(path), "CREW Used up 0 left ₹50")
    assert admin.get(f"{path}?code=NONE").status_code == 404


def test_roles_are_given_by_address_and_count_at_once(
    stage: Stage, ground: Ground, admin: Browser
) -> None:
    path = f"{stage.admin}/setup/roles"
    wrong = admin.post(path, {"who": "no address@", "role.volunteer": "1"})
    assert wrong.status_code == 422
    with signed_in(ground, "diya") as diya:
        assert diya.get(stage.door).status_code == 403
        done(admin.post(path, {"who": "Diya@example.org", "role.volunteer": "1"}), path)
        assert diya.get(stage.door).status_code == 200
        assert diya.get(stage.admin).status_code == 403
        shows(admin.get(path), "Diya@example.org Volunteer")
        done(admin.post(path, {"who": "diya@example.org"}), path)
        assert diya.get(stage.door).status_code == 403
    with signed_in(ground, "organizer") as organizer:
        shows(organizer.get(path), "Volunteer: scans tickets")
        assert "Administrator: everything" not in organizer.get(path).text
        done(organizer.post(path, {"who": "diya@example.org", "role.volunteer": "1"}), path)
        shows(organizer.get(path), "diya@example.org Volunteer")
        assert path in organizer.get(f"{stage.admin}/setup").text
