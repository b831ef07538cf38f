"""`event`, `seats`, `voucher`: made, shown, changed."""

from __future__ import annotations

from pathlib import Path

from tests.systems.kurukshetra.cli.placed import Placed

FEST = "fest-2090"
DATES = ("--opens", "2020-01-01", "--closes", "2090-01-01")
DAYS = ("--starts", "2090-01-05T09:00", "--ends", "2090-01-06")
FILE = """event_name = "Night Jam"
registration_start = 2089-12-01
registration_end = 2089-12-20T18:00:00+05:30
event_start = 2090-01-01T09:00:00
event_end = 2090-01-02
hold_minutes = 45
zone = "Europe/Berlin"
"""


def test_events_are_made_and_changed(placed: Placed, tmp_path: Path) -> None:
    assert "event create" in placed("event", "list").out
    made = placed.json("event", "create", FEST, "--name", "Fest", *DATES, *DAYS, "--seats", "3")
    # Times are those of the event's place; a day is whole.
    assert made["registration_end"] == "2090-01-01T18:29:59Z"
    assert (made["event_start"], made["event_end"]) == (
        "2090-01-05T03:30:00Z",
        "2090-01-06T18:29:59Z",
    )
    assert (made["phase"], made["seats"]["free"]) == ("closed", 3)
    assert "already" in placed.fails("event", "create", FEST, "--name", "Fest", *DATES, *DAYS)
    changed = placed("event", "change", FEST, "--open", "--fee", "499", "--tracks", "one, two")
    assert (changed.code, "INR 499.00" in changed.out, "one, two" in changed.out) == (0, True, True)
    assert "so already" in placed("event", "change", FEST, "--fee", "499").out
    assert placed.json("event", "change", FEST, "--fee", "1,499.50")["team_fee"] == 149950
    assert "--fee" in placed.fails("event", "change", FEST, "--fee", "lots")
    assert placed.json("event", "show", FEST)["phase"] == "open"
    file = tmp_path / "jam.toml"
    file.write_text(FILE)
    jam = placed.json("event", "create", "night-jam", "--from", str(file), "--seats", "7")
    assert (jam["hold_minutes"], jam["max_teams"]) == (45, 7)
    assert jam["registration_start"] == "2089-11-30T23:00:00Z"
    assert jam["registration_end"] == "2089-12-20T12:30:00Z"
    assert [each["event_id"] for each in placed.json("event", "list")] == [FEST, "night-jam"]
    seats = placed.json("seats", FEST, "--set", "5")
    assert (seats["capacity"], seats["free"]) == (5, 5)
    assert "taken" in placed("seats", FEST).out


def test_what_is_wrong_is_said(placed: Placed, tmp_path: Path) -> None:
    assert "event list" in placed.fails("event", "show", "absent")
    bad = tmp_path / "bad.json"
    bad.write_text('{"event_name": "J", "colour": "red"}')
    for words, told in (
        (("Fest 1", "--name", "F", *DATES, *DAYS), "event_id"),
        ((FEST, *DATES, *DAYS), "event_name"),
        ((FEST, "--name", "F", "--opens", "soon"), "--opens: 'soon' is no time"),
        ((FEST, "--name", "F", *DATES, *DAYS, "--zone", "Nowhere/At-All"), "no time zone"),
        ((FEST, "--name", "F", *DAYS, "--opens", "2090-02-01", "--closes", "2090-01-01"), "end"),
        ((FEST, "--from", "absent.toml"), "--from: absent.toml"),
        ((FEST, "--from", str(bad)), "colour"),
        (("admin", "--name", "F", *DATES, *DAYS), "is the name of something else"),
    ):
        assert told in placed.fails("event", "create", *words), words
    placed.json("event", "create", FEST, "--name", "Fest", *DATES, *DAYS)
    assert "nothing is said" in placed.fails("event", "change", FEST)
    assert "cannot both be" in placed.fails("event", "change", FEST, "--open", "--close")
    assert placed.json("event", "show", "absent", code=2)["code"] == "NOT_FOUND"


def test_vouchers(placed: Placed) -> None:
    placed.json("event", "create", FEST, "--name", "Fest", *DATES, *DAYS)
    assert "voucher save" in placed("voucher", "list", FEST).out
    made = placed.json("voucher", "save", FEST, "early", "--percent", "20", "--uses", "5")
    assert (made["code"], made["percent"], made["remaining"]) == ("EARLY", 20, 5)
    assert made["valid_until"] == "2090-01-01T18:29:59Z"
    # Of one that is there, what is not said stays.
    later = placed.json("voucher", "save", FEST, "EARLY", "--fixed", "250", "--until", "2089-06-30")
    assert (later["percent"], later["fixed"], later["remaining"]) == (None, 25000, 5)
    assert later["valid_until"] == "2089-06-30T18:29:59Z"
    assert "INR 250.00" in placed("voucher", "list", FEST).out
    for words, told in (
        (("EARLY", "--percent", "10", "--fixed", "5"), "either percent or fixed"),
        (("NEW", "--percent", "10"), "remaining"),
        (("!", "--percent", "10", "--uses", "1"), "code"),
    ):
        assert told in placed.fails("voucher", "save", FEST, *words), words
