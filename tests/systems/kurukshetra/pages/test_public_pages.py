"""What everybody sees without signing in: events, their seats, and certificates."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.console.reading import shows, text_of
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.support import BASE, Ground, register
from tests.systems.kurukshetra.support import (
    ADMIN,
    NOW,
    caller,
    event_made,
    moment,
    person,
    registration,
)

from tablewright.systems.kurukshetra import organising
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.people import Certificate
from tablewright.systems.kurukshetra.plain import Plain


def test_events_are_listed_with_what_counts(ground: Ground, visitor: Browser) -> None:
    ground.event("open-day", max_teams=7)
    ground.event("full-day", max_teams=0)
    ground.event("later-day", registration_start=moment(NOW + timedelta(days=1)))
    past = {"registration_end": NOW - timedelta(hours=3), "event_end": NOW - timedelta(hours=1)}
    ground.event(
        "past-day",
        **{name: moment(each) for name, each in past.items()},
        event_start=moment(NOW - timedelta(hours=2)),
        roster_lock_at=moment(NOW - timedelta(hours=2)),
    )
    page = visitor.get(f"{BASE}/")
    shows(page, "Registration open Open Day", "7 seats left", "Waitlist Full Day")
    shows(page, "Opens soon Later Day", "₹999 a team · 2 to 4 people", "Over Past Day")
    # What is over comes last, and nobody is led where they would have to sign in.
    assert text_of(page).index("Past Day") > text_of(page).index("Later Day")
    for path in ("/me", "/events/new"):
        assert f'href="{BASE}{path}"' not in page.text


def test_an_event_says_what_it_is_and_how_to_take_part(ground: Ground, visitor: Browser) -> None:
    event = ground.event("river-day", max_teams=3, allowed_domains=["*.ac.in"])
    page = visitor.get(event)
    shows(page, "3 seats left of 3", "₹999 for the whole team", "AI & ML", "2 to 4 people")
    shows(page, "addresses at *.ac.in", "Asia/Kolkata", "Sign in with your e-mail address")
    assert f'href="{event}/register/you"' in page.text
    led = visitor.get(f"{event}/register/you")
    assert led.headers["location"].startswith("/sign-in?next=")
    closed = ground.event("closed-day", registration_open=False)
    shows(visitor.get(closed), "Registration is closed")
    assert "register/you" not in visitor.get(closed).text
    for nothing in ("no-such-day", "%3Cb%3E", "NO"):
        assert visitor.get(f"{BASE}/events/{nothing}").status_code == 404


def test_what_an_event_is_called_is_no_markup(ground: Ground, visitor: Browser) -> None:
    name = "<script>alert(1)</script> & Co"
    ground.do(event_made(ground.festival, "odd-day", event_name=name))
    for path in (f"{BASE}/", f"{BASE}/events/odd-day"):
        page = visitor.get(path)
        shows(page, name)
        assert "<script>alert" not in page.text


def test_seats_are_told_as_they_go(ground: Ground, visitor: Browser, asha: Browser) -> None:
    event = ground.event("live-day", max_teams=2, team_fee=0, min_team_size=1)
    assert "2</strong> <span>seats left of 2" in visitor.get(f"{event}/seats").text
    register(asha, event, "Asha", mode="found", name="Alone")
    with visitor.client.stream("GET", f"{event}/live") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert "event: snapshot" in lines
        asha.post(f"{event}/pay", {})
        assert "event: seats" in lines
        told = next(line for line in lines if "seats-figure" in line)
        assert ">1</strong> <span>seat left of 2" in told
    assert visitor.get(f"{BASE}/events/no-such-day/live").status_code == 404


def test_who_takes_part_is_led_to_their_team(
    ground: Ground, visitor: Browser, asha: Browser
) -> None:
    event = ground.event("own-day")
    shows(asha.get(event), "What you type is kept")
    register(asha, event, "Asha", mode="later")
    shows(asha.get(event), "Found or join a team", "You are registered.")
    page = asha.get(f"{BASE}/")
    shows(page, "No team yet Own Day", "All events")
    assert f'href="{BASE}/me"' in page.text
    assert "Yours" not in text_of(visitor.get(f"{BASE}/"))


async def certified(ground: Ground, event_id: str, name: str) -> str:
    """Somebody who takes part alone comes in, and gets a certificate; its code."""
    festival = ground.festival
    by = await caller(festival, person("zoe"), event_id)
    await festival.people.register(by, registration(name))
    by = await caller(festival, by.principal, event_id)
    team = await festival.teams.found(by, TeamIn(name="Alone", track="ai-ml"))
    by = await caller(festival, by.principal, event_id)
    await festival.checkout.start(by, team.team_id, CheckoutIn())
    ticket = (await festival.tickets.ticket(by)).text
    await festival.door.scan(await caller(festival, ADMIN, event_id), ticket, "entry", "n" * 10)
    p = by.participant()
    made = Certificate(
        code=festival.certificates.code_of(event_id, p, "winner"),
        event_id=event_id,
        participant_id=p,
        kind="winner",
        name=Plain(name),
        created_at=festival.now(),
        updated_at=festival.now(),
    )
    sealed = festival.privacy.vault.sealed(made)
    await festival.db.run(organising.issue_certificate(sealed, "entry"))
    return made.code


def test_certificates_are_checked_by_their_code(ground: Ground, visitor: Browser) -> None:
    ground.event("cert-day", team_fee=0, min_team_size=1)
    code = ground.do(certified(ground, "cert-day", "Zoë <Ólafs>"))
    typed = f"{code[:4].lower()} {code[4:8]}-{code[8:]}"
    led = visitor.get(f"{BASE}/certificates", params={"code": typed})
    assert led.headers["location"] == f"{BASE}/certificates/{code}"
    page = visitor.get(led.headers["location"])
    shows(page, "This certificate is genuine", "Zoë <Ólafs>", "For winning", "Cert Day")
    assert "<Ólafs" not in page.text
    pdf = visitor.get(f"{BASE}/certificates/{code}/pdf")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF")


@pytest.mark.parametrize("code", ["7H2K9QZM4T0VXW3C", "%3Cb%3Eno", "x"])
def test_codes_that_are_none_are_said_to_be(visitor: Browser, code: str) -> None:
    page = visitor.get(f"{BASE}/certificates/{code}")
    assert page.status_code == 404
    shows(page, "We know no such certificate")
    assert "<b>no" not in page.text
