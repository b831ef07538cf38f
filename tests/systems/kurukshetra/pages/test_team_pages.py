"""One's own team: who sees and does what, and what is said when it does not work."""

from __future__ import annotations

from datetime import timedelta

from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import Ground, code_of, done, register, team_up
from tests.systems.kurukshetra.support import FINANCE, NOW, caller, moment

from tablewright.systems.kurukshetra.lists import teams_by_status


def test_leader_and_members_see_what_is_theirs_to_do(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("pair-day")
    team_up(asha, ravi, event, "Owls")
    led, joined = asha.get(f"{event}/team"), ravi.get(f"{event}/team")
    shows(led, "Ready for a seat", "Pay ₹999", "Make leader", "Hand it over to somebody first")
    shows(joined, "Your leader pays for the team", "Ravi (you)", "Leave the team")
    for text in ("Pay ₹999", "Make leader", "Disband", "Send invitations", "New code"):
        assert text not in text_of(joined), text
    # The code, its link and its picture are there for both.
    code = code_of(asha, event)
    assert code
    assert code == code_of(ravi, event)
    assert f"{ground.service.url}{event}/join?code={code.replace('-', '')}" in joined.text
    assert joined.text.count("<svg role=") == 1
    for rest in ("/edit", "/rotate", "/invite", "/leader", "/disband", "/waitlist"):
        said = {"name": "Eve", "track": "ai-ml", "emails": "a@b.test", "participant_id": "x"}
        answer = ravi.post(f"{event}/team{rest}", said)
        page = ravi.get(f"{event}/team") if answer.status_code == 303 else answer
        shows(page, "Only the leader of the team may do this.")
    done(ravi.post(f"{event}/team/leave", {}))
    shows(ravi.get(f"{event}/team"), "You have left the team", "Join a team")


def test_a_team_is_led_named_and_given_up(ground: Ground, asha: Browser, ravi: Browser) -> None:
    event = ground.event("lead-day")
    team_up(asha, ravi, event, "Larks")
    here = f"{event}/team"
    values = fields_of(asha.get(here), "/team/edit")
    bad = asha.post(f"{here}/edit", {**values, "name": "Ö"})
    assert (bad.status_code, wrong_fields(bad)) == (422, {"name"})
    done(asha.post(f"{here}/edit", {**values, "name": "New Larks", "track": "blockchain"}))
    shows(asha.get(here), "New Larks", "Blockchain")
    stale = asha.post(f"{here}/edit", {**values, "name": "Old Larks"})
    assert stale.status_code == 412
    code = code_of(asha, event)
    done(asha.post(f"{here}/rotate", {}))
    assert code_of(asha, event) not in ("", code)
    repo = asha.post(f"{here}/repository", {"repo_url": "https://example.org/x"})
    assert wrong_fields(repo) == {"repo_url"}
    done(asha.post(f"{here}/repository", {"repo_url": "https://github.com/larks/nest"}))
    assert 'href="https://github.com/larks/nest"' in ravi.get(here).text
    ravis = fields_of(asha.get(here), "/team/leader")["participant_id"]
    done(asha.post(f"{here}/leader", {"participant_id": ravis}))
    shows(ravi.get(here), "Ravi (you)", "Pay ₹999", "Make leader")
    done(ravi.post(f"{here}/disband", {}))
    for browser in (asha, ravi):
        ground.clock.advance(3)
        shows(browser.get(here), "You are registered. Take part in a team")


def test_people_are_invited_and_join(
    ground: Ground, asha: Browser, ravi: Browser, meera: Browser
) -> None:
    event = ground.event("ask-day", max_team_size=2)
    register(asha, event, "Asha", mode="found", name="Swifts")
    here = f"{event}/team"
    wrong = asha.post(f"{here}/invite", {"emails": "ravi@example.org\nnobody"})
    assert wrong_fields(wrong) == {"emails"}
    shows(wrong, "Address 2: Enter an e-mail address such as asha@example.org.")
    assert wrong_fields(asha.post(f"{here}/invite", {"emails": " "})) == {"emails"}
    done(asha.post(f"{here}/invite", {"emails": "ravi@example.org, kabir@example.org"}))
    shows(asha.get(here), "ravi@example.org", "kabir@example.org")
    gone = fields_of(asha.get(here), "/team/withdraw")["email_hash"]
    done(asha.post(f"{here}/withdraw", {"email_hash": gone}))
    left = text_of(asha.get(here))
    assert ("ravi@example.org" in left) != ("kabir@example.org" in left)
    register(ravi, event, "Ravi", mode="later")
    register(meera, event, "Meera", mode="later")
    bad = ravi.post(f"{event}/join", {"code": "AAAA-AAAA"})
    assert (bad.status_code, wrong_fields(bad)) == (404, {"code"})
    shows(bad, "This code leads to no team")
    done(ravi.post(f"{event}/join", {"code": code_of(asha, event)}), here)
    shows(ravi.get(here), "Welcome to Swifts.", "2 of 2 people", "The team is complete")
    # Nobody else gets in, and the code is not shown any more.
    assert 'id="invite-code"' not in ravi.get(here).text
    shows(ravi.get(f"{event}/join"), "You are in a team already")
    found = meera.post(f"{here}/found", {"name": "swifts", "track": "ai-ml"})
    assert (found.status_code, wrong_fields(found)) == (409, {"name"})


def test_the_page_tells_when_it_is_not_true_any_more(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("watch-day")
    register(asha, event, "Asha", mode="found", name="Watchers")
    page = asha.get(f"{event}/team").text
    path = page.partition('hx-get="')[2].partition('"')[0]
    same = asha.get(path)
    assert (same.status_code, same.headers.get("hx-refresh")) == (204, None)
    register(ravi, event, "Ravi", mode="join", code=code_of(asha, event))
    assert asha.get(path).headers["hx-refresh"] == "true"


def test_after_the_roster_is_locked_nobody_comes_or_goes(
    ground: Ground, asha: Browser, ravi: Browser
) -> None:
    event = ground.event("lock-day", roster_lock_at=moment(NOW + timedelta(hours=1)))
    team_up(asha, ravi, event, "Locked")
    ground.clock.advance(3600)
    try:
        page = asha.get(f"{event}/team")
        shows(page, "the team stays as it is")
        assert 'id="invite-code"' not in page.text
        assert "Leave the team" not in text_of(ravi.get(f"{event}/team"))
        done(ravi.post(f"{event}/team/leave", {}))
        shows(ravi.get(f"{event}/team"), "Members could come and go until", "Ravi (you)")
    finally:
        ground.clock.advance(-3600)


def test_a_team_without_its_seat_keeps_nobody(ground: Ground, asha: Browser, ravi: Browser) -> None:
    event = ground.event("over-day", team_fee=0)
    team_up(asha, ravi, event, "Moths")
    here, festival = f"{event}/team", ground.festival
    done(asha.post(f"{event}/pay", {}))
    team_id = ground.do(_team_of(ground, "over-day"))
    by = ground.do(caller(festival, FINANCE, "over-day"))
    ground.do(festival.refunds.release(by, team_id))
    shows(asha.get(here), "The team is over", "Leave the team")
    done(asha.post(f"{here}/leave", {}))
    shows(asha.get(here), "You have left the team", "Join a team")


async def _team_of(ground: Ground, event_id: str) -> str:
    (team,) = await ground.festival.db.run(teams_by_status(event_id, "paid"))
    return team.team_id
