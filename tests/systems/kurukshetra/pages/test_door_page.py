"""The page of the door: what it brings along for when there is no network."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.staging import Stage, staged
from tests.systems.kurukshetra.pages.support import BASE, Ground, signed_in

from tablewright.systems.kurukshetra.tickets.token import TicketReader


@pytest.fixture(scope="module")
def stage(ground: Ground) -> Stage:
    return staged(ground, "door-day", checkin_lists=["entry", "lunch-1"])


@pytest.fixture
def volunteer(ground: Ground) -> Iterator[Browser]:
    with signed_in(ground, "volunteer") as browser:
        yield browser


def test_it_brings_lists_keys_and_the_right_to_ask_for_the_camera(
    stage: Stage, volunteer: Browser
) -> None:
    page = volunteer.get(stage.door)
    assert "camera=(self)" in page.headers["permissions-policy"]
    assert "camera=()" in volunteer.get(f"{BASE}/").headers["permissions-policy"]
    for value in ('value="entry"', 'value="lunch-1"', "jsqr-", "door-queue-"):
        assert value in page.text
    keys = page.text.partition('data-part="keys">')[2].partition("</script>")[0]
    ticket = stage.ground.do(stage.ground.festival.tickets.ticket(stage.paid.leader))
    read = TicketReader.of_jwks(json.loads(keys)).read(ticket.text)
    assert read is not None
    assert read.participant_id == stage.paid.leader.participant_id
    # Nobody's name is on it before a ticket is.
    assert "Verma" not in page.text


def test_what_keeps_the_page_is_for_this_page_alone(stage: Stage, volunteer: Browser) -> None:
    worker = volunteer.get(f"{stage.door}/worker.js")
    assert worker.headers["service-worker-allowed"] == stage.door
    assert worker.headers["content-type"].startswith("text/javascript")


def test_its_scans_are_taken_with_the_token_of_the_page(stage: Stage, volunteer: Browser) -> None:
    page = volunteer.get(stage.door).text
    api = page.partition('data-api="')[2].partition('"')[0]
    token = page.partition('data-csrf="')[2].partition('"')[0]
    ticket = stage.ground.do(stage.ground.festival.tickets.ticket(stage.paid.leader))
    body = {"ticket": ticket.text, "list_id": "entry", "nonce": "nonce-0001"}
    assert volunteer.client.post(f"{api}/scan", json=body).status_code == 403
    answer = volunteer.client.post(f"{api}/scan", json=body, headers={"X-CSRF-Token": token})
    assert (answer.json()["result"], answer.json()["team_name"]) == ("ok", "Paid Pandas")
