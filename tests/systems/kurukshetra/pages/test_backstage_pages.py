"""Pages of who runs an event: who sees what, lists, mail, exports, jobs, the waitlist, audit."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.console.reading import fields_of, shows, text_of
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.staging import HOSTILE, Stage, mallory, staged
from tests.systems.kurukshetra.pages.support import Ground, done, signed_in

TABS = {
    "admin": "Overview Registrations Payments Reconcile Waitlist Certificates Handover Set-up "
    "Audit",
    "organizer": "Overview Registrations Payments Waitlist Certificates Handover Set-up Audit",
    "finance": "Overview Payments Reconcile",
    "auditor": "Overview Registrations Payments Reconcile Waitlist Audit",
}
PLACES = {
    "Registrations": "/registrations",
    "Payments": "/payments",
    "Reconcile": "/reconcile",
    "Waitlist": "/waitlist",
    "Certificates": "/certificates",
    "Handover": "/handover",
    "Set-up": "/setup",
    "Audit": "/audit",
}


@pytest.fixture(scope="module")
def stage(ground: Ground) -> Stage:
    return staged(ground, "stage-day")


@pytest.fixture
def organizer(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "organizer") as browser:
        yield browser


@pytest.mark.parametrize("role", TABS)
def test_a_role_sees_the_tabs_that_are_its_own_and_no_other_page(
    stage: Stage, ground: Ground, role: str
) -> None:
    with signed_in(ground, role) as browser:
        page = browser.get(stage.admin)
        assert page.status_code == 200
        tabs = page.text.partition('class="page-tabs"')[2].partition("</nav>")[0]
        shown = [title for title in PLACES if f'href="{stage.admin}{PLACES[title]}"' in tabs]
        assert ["Overview", *shown] == TABS[role].split()
        for title, place in PLACES.items():
            found = browser.get(f"{stage.admin}{place}").status_code
            assert found == (200 if title in shown else 403), title


def test_volunteers_have_the_door_and_nobody_else_has_anything(
    stage: Stage, ground: Ground, asha: Browser, visitor: Browser
) -> None:
    with signed_in(ground, "volunteer") as browser:
        assert browser.get(stage.door).status_code == 200
        assert browser.get(stage.admin).status_code == 403
    for path in (stage.admin, stage.door, f"{stage.admin}/payments"):
        assert asha.get(path).status_code == 403
        assert visitor.get(path).headers["location"].startswith("/sign-in?next=")
    with signed_in(ground, "admin") as browser:
        assert browser.get(stage.admin.replace("stage-day", "no-such-day")).status_code == 404


def test_the_overview_counts_seats_people_and_money(stage: Stage, organizer: Browser) -> None:
    page = organizer.get(stage.admin)
    shows(page, "1 of 1 seats taken or held", "1 team waits", "Paid teams 1", "Income ₹999")
    assert '"unit": "INR"' in page.text or '"unit":"INR"' in page.text
    assert organizer.get(f"{stage.admin}?days=7").status_code == 200


def test_registrations_are_listed_filtered_and_found(stage: Stage, organizer: Browser) -> None:
    path = f"{stage.admin}/registrations"
    everybody = organizer.get(path)
    shows(everybody, "Paid Pandas", "Waiting Wolves", HOSTILE)
    assert HOSTILE not in everybody.text
    paid = text_of(organizer.get(f"{path}?status=paid"))
    assert "Paid Pandas" in paid
    assert "Waiting Wolves" not in paid
    # Addresses are posted: they do not get into addresses of pages, which others keep.
    form = fields_of(everybody, "/registrations")
    assert f'<form method="post" action="{path}"' in everybody.text
    one = organizer.post(path, {**form, "q": "mallory@people.test"})
    shows(one, HOSTILE)
    assert "Paid Pandas" not in text_of(one)
    assert "mallory" not in "".join(re.findall(r'href="([^"]*)"', one.text))
    shows(organizer.post(path, {**form, "q": "nobody@people.test"}), "Nobody fits")
    filtered = organizer.post(path, {**form, "status": "paid"})
    assert (filtered.status_code, filtered.headers["location"]) == (303, f"{path}?status=paid")


def test_a_person_is_shown_in_full_masked_or_not_at_all(
    stage: Stage, ground: Ground, organizer: Browser
) -> None:
    path = mallory(stage)
    page = organizer.get(path)
    shows(page, "mallory@people.test", HOSTILE, "Not checked in yet")
    assert HOSTILE not in page.text
    with signed_in(ground, "auditor") as auditor:
        masked = auditor.get(path)
        shows(masked, "Your role sees nobody by name", "@masked.invalid")
        lists = auditor.get(f"{stage.admin}/registrations")
        assert "people.test" not in masked.text + lists.text
        assert "Forget" not in text_of(masked)
        asked = auditor.post(f"{stage.admin}/registrations", {"q": "mallory@people.test"})
        assert asked.status_code == 403
        shows(asked, "may not look for people")
    with signed_in(ground, "finance") as finance:
        assert finance.get(path).status_code == 403
        team = finance.get(f"{stage.admin}/teams/{stage.paid.team_id}")
        shows(team, "Paid Pandas", "Your role sees no names", "Member 1")
        assert "Verma" not in team.text


def test_a_person_is_forgotten_only_if_their_address_was_typed(
    stage: Stage, organizer: Browser
) -> None:
    member = stage.waiting.members[1]
    path = f"{stage.admin}/registrations/{member.participant_id}"
    done(organizer.post(f"{path}/erase", {"confirmation": "someone@else.test"}), path)
    shows(organizer.get(path), "Nothing is erased")
    done(organizer.post(f"{path}/ticket", {}), path)
    answer = organizer.post(f"{path}/erase", {"confirmation": str(member.email).upper()})
    done(answer, f"{stage.admin}/registrations")
    assert organizer.get(path).status_code == 404


def test_mail_is_written_to_some_and_says_what_is_missing(stage: Stage, organizer: Browser) -> None:
    path = f"{stage.admin}/registrations/mail"
    wrong = organizer.post(path, {"subject": "Doors", "text": ""})
    assert wrong.status_code == 422
    assert 'value="Doors"' in wrong.text
    said = {"subject": "Doors open", "text": "Come.", "to.status.paid": "1", "to.leaders": "1"}
    done(organizer.post(path, said), path)
    shows(organizer.get(path), "Mail Doors open", "Queued")
    stage.ground.do(stage.ground.festival.jobs.work_all())
    shows(organizer.get(path), "Done 1 on their way")


def test_exports_are_masked_and_in_full_for_a_reason_in_production_only(
    stage: Stage, ground: Ground, organizer: Browser
) -> None:
    path = f"{stage.admin}/export"
    shows(organizer.get(path), "Registrations: people", "Teams: state")
    file = organizer.post(path, {"kind": "registrations"})
    assert "text/csv" in file.headers["content-type"]
    assert "attachment" in file.headers["content-disposition"]
    assert "masked.invalid" in file.text
    assert "people.test" not in file.text
    full = organizer.post(path, {"kind": "registrations", "full": "1", "reason": "badges"})
    assert full.status_code == 403
    shows(full, "only in production")
    with signed_in(ground, "finance") as finance:
        assert "Registrations: people" not in finance.get(path).text
        money = finance.post(path, {"kind": "registrations"})
        assert money.text.startswith("\ufeffteam,")
        assert "leader" not in money.text.splitlines()[0]


def test_the_waitlist_is_in_its_order_and_a_team_can_be_taken_out(
    stage: Stage, organizer: Browser
) -> None:
    path = f"{stage.admin}/waitlist"
    shows(organizer.get(path), "Waiting 1", "1 Waiting Wolves AI & ML")
    done(organizer.post(f"{path}/{stage.waiting.team_id}/leave", {}), path)
    shows(organizer.get(path), "Waiting Wolves waits no longer", "Nobody waits")


def test_certificates_are_asked_for_and_wrong_ones_are_told(
    stage: Stage, organizer: Browser
) -> None:
    path = f"{stage.admin}/certificates"
    wrong = organizer.post(path, {"kind": "winner", "list_id": "entry"})
    assert wrong.status_code == 422
    shows(wrong, "has to name the winners")
    done(organizer.post(path, {"kind": "participation", "list_id": "entry"}), path)
    stage.ground.do(stage.ground.festival.jobs.work_all())
    shows(organizer.get(path), "Certificates participation, entry", "not checked in")
    gone = organizer.post(f"{path}/withdraw", {"code": "7H2K-9QZM-4T0V-XW3B"})
    assert gone.status_code == 404
    shows(gone, "no such certificate of this event")


def test_a_handover_says_what_it_lacks(stage: Stage, organizer: Browser) -> None:
    path = f"{stage.admin}/handover"
    shows(organizer.get(path), "Not set", "Vibejudge is not connected")
    done(organizer.post(path, {}), path)
    shows(organizer.get(path), "no counterpart in judging")


def test_jobs_go_on_by_themselves_and_are_not_everybodys(
    stage: Stage, ground: Ground, organizer: Browser
) -> None:
    done(organizer.post(f"{stage.admin}/registrations/mail", {"subject": "S", "text": "T"}))
    page = organizer.get(stage.admin).text
    path = page.partition(f'hx-get="{stage.admin}/jobs/')[2].partition('"')[0]
    part = organizer.get(f"{stage.admin}/jobs/{path}")
    assert 'hx-trigger="every 2s"' in part.text
    stage.ground.do(stage.ground.festival.jobs.work_all())
    assert "hx-trigger" not in organizer.get(f"{stage.admin}/jobs/{path}").text
    with signed_in(ground, "auditor") as auditor:
        assert auditor.get(f"{stage.admin}/jobs/{path}").status_code == 403


def test_the_audit_says_who_did_what_and_leads_there(stage: Stage, ground: Ground) -> None:
    with signed_in(ground, "admin") as admin:
        path = f"{stage.admin}/audit"
        shows(admin.get(path), "event.create", "max teams: 1")
        shows(admin.get(path, params={"action": "no.such"}), "Nothing was done")
        shows(admin.get(path, params={"day": "2020-01-01"}), "Nothing was done")
        assert admin.get(path, params={"day": "never"}).status_code == 200
