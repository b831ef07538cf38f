"""The door on a volunteer's phone: scanned, typed, without a network, and sent later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import segno
from playwright.sync_api import Browser, Page, expect
from tests.e2e.support import PHONE, browsing, chromium, sign_in, too_wide, violations
from tests.systems.kurukshetra.pages.staging import paid_for
from tests.systems.kurukshetra.pages.support import BASE, Ground, pages_of
from tests.systems.kurukshetra.support import Made, team_made

from tablewright.engine import Engine
from tablewright.systems.kurukshetra import reads
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

VOLUNTEER = "Demo volunteer"
#: What a browser says of requests without a network, and of a worker that it cannot fetch.
AWAY = ("net::ERR_", "when fetching the script")


@dataclass(frozen=True)
class Place:
    """An event with a door."""

    ground: Ground
    event_id: str = "phone-day"

    @property
    def door(self) -> str:
        return f"{BASE}/events/{self.event_id}/door"


@pytest.fixture(scope="module")
def place(browser: Browser) -> Iterator[Place]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as ground:
        made = Place(ground)
        ground.event(made.event_id)
        yield made


def tickets(place: Place) -> list[tuple[str, str]]:
    """The members of a new team that has paid: their ids and tickets."""
    ground = place.ground
    made: Made = ground.do(team_made(ground.festival, place.event_id))
    ground.do(paid_for(ground.festival, made))
    issued = [ground.do(ground.festival.tickets.ticket(each)) for each in made.members]
    ids = [str(each.participant_id) for each in made.members]
    return [(each, ticket.text) for each, ticket in zip(ids, issued, strict=True)]


def state(place: Place, participant_id: str) -> str | None:
    op = reads.check_in_of(place.event_id, participant_id, "entry")
    found = place.ground.do(place.ground.festival.db.run(op))
    return None if found is None else found.state


def typed(page: Page, ticket: str, result: str) -> None:
    page.get_by_label("Code of the ticket").fill(ticket)
    page.get_by_role("button", name="Check").click()
    expect(page.locator("[data-part=title]")).to_contain_text(result)


def test_a_ticket_is_let_in_once_and_a_mistake_is_taken_back(
    browser: Browser, place: Place
) -> None:
    (one, ticket), _ = tickets(place)
    url = place.ground.service.url
    with browsing(browser, url, user=VOLUNTEER, width=PHONE) as page:
        page.goto(place.door)
        assert violations(page) == []
        typed(page, ticket, "Come in, Member")
        assert state(place, one) == "redeemed"
        typed(page, ticket, "Already in")
        typed(page, f"{ticket[:-3]}AAA", "Not a ticket")
        typed(page, "hello", "Not a ticket")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("[data-part=title]")).to_have_text("Taken back")
        assert state(place, one) == "undone"
        typed(page, ticket, "Come in, Member")
        assert violations(page) == []
        assert not too_wide(page)


def test_without_a_network_signatures_decide_and_scans_are_sent_later(
    browser: Browser, place: Place
) -> None:
    (one, first), (two, second) = tickets(place)
    url = place.ground.service.url
    with browsing(browser, url, user=VOLUNTEER, width=PHONE, allowed=AWAY) as page:
        page.goto(place.door)
        expect(page.get_by_text("This page is on your phone now")).to_be_visible()
        page.context.set_offline(True)
        typed(page, first, "Come in")
        expect(page.get_by_text("Offline: the ticket is genuine.")).to_be_visible()
        expect(page.get_by_text("1 to send")).to_be_visible()
        typed(page, f"{second[:-3]}AAA", "Not a ticket")
        typed(page, first, "Already in")
        # The phone has thrown the page away: it is there again, with what waits.
        page.reload()
        expect(page.get_by_text("1 to send")).to_be_visible()
        typed(page, first, "Already in")
        typed(page, second, "Come in")
        assert state(place, one) is None
        page.context.set_offline(False)
        expect(page.get_by_text("to send")).to_have_count(0)
        assert (state(place, one), state(place, two)) == ("redeemed", "redeemed")
        expect(page.get_by_text("let in by this phone")).to_contain_text("2")


@pytest.mark.slow
def test_two_doors_that_were_offline_hear_which_of_them_was_first(
    browser: Browser, place: Place
) -> None:
    (_, ticket), _ = tickets(place)
    url = place.ground.service.url
    with (
        browsing(browser, url, user=VOLUNTEER, width=PHONE, allowed=AWAY) as east,
        browsing(browser, url, user=VOLUNTEER, width=PHONE, allowed=AWAY) as west,
    ):
        for door in (east, west):
            door.goto(place.door)
            door.context.set_offline(True)
            typed(door, ticket, "Come in")
        for door in (east, west):
            door.context.set_offline(False)
            expect(door.get_by_text("to send")).to_have_count(0)
        expect(west.get_by_text("1 scan that was kept is not good")).to_be_visible()
        expect(east.get_by_text("not good")).to_be_hidden()


@pytest.mark.slow
def test_a_camera_reads_the_code_on_a_ticket(
    browser: Browser, place: Place, tmp_path: Path
) -> None:
    (one, ticket), _ = tickets(place)
    film = tmp_path / "ticket.y4m"
    film.write_bytes(_filmed(ticket))
    arguments = [
        "--no-sandbox",
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={film}",
    ]
    found = browser.browser_type.launch(executable_path=chromium(), args=arguments)
    try:
        page = found.new_context(base_url=place.ground.service.url).new_page()
        sign_in(page, VOLUNTEER)
        page.goto(place.door)
        page.get_by_role("button", name="Start the camera").click()
        expect(page.locator("[data-part=title]")).to_contain_text("Come in, Member")
        assert state(place, one) == "redeemed"
    finally:
        found.close()


def _filmed(text: str, width: int = 640, height: int = 480) -> bytes:
    """A second of a QR code, as a camera would see it."""
    rows = list(segno.make_qr(text, error="m").matrix_iter(scale=6, border=4))
    light = bytearray([200]) * (width * height)
    left, top = (width - len(rows)) // 2, (height - len(rows)) // 2
    for y, row in enumerate(rows, start=top):
        light[y * width + left : y * width + left + len(row)] = bytes(
            20 if dark else 235 for dark in row
        )
    frame = b"FRAME\n" + bytes(light) + bytes([128]) * (width * height // 2)
    head = f"YUV4MPEG2 W{width} H{height} F10:1 Ip A1:1 C420jpeg\n"
    return head.encode() + frame * 10


def test_somebody_without_a_ticket_is_found_by_name_and_checked_in_for_a_reason(
    browser: Browser, place: Place
) -> None:
    ground = place.ground
    made: Made = ground.do(team_made(ground.festival, place.event_id, name="Dead Phones"))
    ground.do(paid_for(ground.festival, made))
    url, p = ground.service.url, made.leader.participant()
    with browsing(browser, url, user=VOLUNTEER, width=PHONE) as page:
        page.goto(place.door)
        page.locator("[data-door][data-ready]").wait_for()
        page.get_by_label("Name, team, phone number or code").fill("dead phones")
        page.get_by_role("button", name="Find", exact=True).click()
        people = page.get_by_role("list", name="People found").get_by_role("listitem")
        expect(people).to_have_count(2)
        name = f"{made.leader.principal.name} Verma"
        check_in = people.filter(has_text=name).get_by_role("button")
        check_in.click()
        expect(page.locator("[data-part=found-text]")).to_contain_text("Enter the reason")
        assert state(place, p) is None
        page.get_by_label("Reason for a check-in without a ticket").fill("Phone is dead")
        check_in.click()
        expect(page.locator("[data-part=title]")).to_contain_text(f"Come in, {name}")
        expect(people.filter(has_text=name)).to_contain_text("checked in at")
        assert state(place, p) == "redeemed"
        assert not too_wide(page)
