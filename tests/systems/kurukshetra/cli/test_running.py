"""What is done at an event that runs, or is over: on a small demo."""

from __future__ import annotations

import csv
import re
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tests.systems.kurukshetra.cli.placed import Placed
from tests.systems.kurukshetra.demo.small import shrink, small

from tablewright.service.kit import audit
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.live_demo.cast import ASHA, OPEN, OVER
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.verifying import KINDS


@pytest.fixture
def filled(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> Placed:
    shrink(monkeypatch)
    told = placed.json("demo")
    assert [each["phase"] for each in told["events"]] == ["over", "open", "open", "not_yet"]
    return placed


def _paid(event_id: str) -> str:
    return next(each.name for each in small()[event_id] if each.goal == "paid")


def test_certificates_money_people_and_books(filled: Placed, tmp_path: Path) -> None:
    again = filled("demo", "--fill-only")
    assert (again.code, "tablewright up" in again.out) == (0, True)
    assert "agrees" in filled("verify").out
    _check_certificates(filled, tmp_path)

    # Money goes back, once, and only if somebody agrees.
    team = _paid(OPEN.event_id)
    words = ("refund", OPEN.event_id, team.upper(), "--reason", "They are ill", "--key", "first")
    assert "--yes" in filled.fails(*words)
    done = filled.json(*words, "--amount", "100", "--yes")
    assert (done["status"], done["amount"]) == ("processed", 10000)
    assert filled.json(*words, "--amount", "100", "--yes")["refund_id"] == done["refund_id"]
    told = _refunded_without_a_word(filled, team)
    assert told["refund_id"] != done["refund_id"]
    assert "left to pay back" in filled.fails(
        *("refund", OPEN.event_id, team, "--reason", "x", "--amount", "99,999.99"),
        *("--key", "too much", "--yes"),
    )
    assert "no team" in filled.fails("refund", OPEN.event_id, "Nobody", "--reason", "x", "--yes")
    today = datetime.now(ZoneInfo("Asia/Kolkata")).date()
    told = filled.json("reconcile", "--day", str(today))
    assert [each["findings"] for each in told] == [[], [], [], []]
    assert sum(each["compared"] for each in told) >= 5
    assert "in the future" in filled.fails("reconcile", OPEN.event_id, "--day", "2999-01-01")

    stats = filled.json("stats", OVER.event_id, "--since", "2020-01-01", code=2)
    assert stats["code"] == "INVALID"
    shown = filled("stats", OPEN.event_id)
    assert (shown.code, "in all" in shown.out, "INR 1,119.00" in shown.out) == (0, True, True)
    assert filled.json("stats", OPEN.event_id)["sums"]["refunded"] == 99900 + 10000 + 2000

    # People leave masked, and are forgotten for good.
    out = tmp_path / "people.csv"
    filled.json("export", OPEN.event_id, "--out", str(out))
    rows = list(csv.DictReader(out.open()))
    assert not any(ASHA.email in row.values() for row in rows)
    assert team in filled("export", OPEN.event_id, "teams").out
    assert "only in production" in filled.fails(
        "export", OPEN.event_id, "--full", "--reason", "x", "--out", str(out)
    )
    assert "--out" in filled("export", OPEN.event_id, "--json").err
    assert "way back" in filled.fails("erase", OPEN.event_id, ASHA.email)
    assert filled.json("erase", OPEN.event_id, ASHA.email, "--yes")["erased"] is True
    assert "Nobody has registered" in filled.fails("erase", OPEN.event_id, ASHA.email, "--yes")
    assert filled.json("erase", "--replay") == {"known": 1, "erased": 0}
    assert "say the event" in filled.fails("erase", OPEN.event_id)

    (before,) = filled.json("keys", "show")
    made = filled.json("keys", "rotate", "--reseal")
    assert made["resealed"] > 10
    assert filled.json("keys", "show", "--count")[1] == {
        "kid": before["kid"],
        "current": False,
        "texts": 0,
    }
    assert filled.json("verify")["findings"] == []
    actions = filled.festival(_actions)
    assert {"refund.request", "export.csv", "keys.rotate", "participant.erase"} <= actions
    _check_findings(filled)


def _refunded_without_a_word(filled: Placed, team: str) -> dict[str, Any]:
    """It is said which key was made, before anything is done; with that it is the same refund."""
    words = ("refund", OPEN.event_id, team, "--reason", "x", "--amount", "20.00", "--yes")
    first = filled(*words)
    assert first.code == 0, first.err
    said = re.search(r"--key (\S+)", first.err)
    assert said is not None
    assert said[1] in first.out
    told: dict[str, Any] = filled.json(*words, "--key", said[1])
    assert told["key"] == said[1]
    assert told["refund_id"] in first.out
    failed = filled("refund", OPEN.event_id, team, *words[3:5], "--amount", "99,999.99", "--yes")
    assert (failed.code, "--key " in failed.err) == (2, True)
    return told


async def _actions(festival: Festival) -> set[str]:
    until = festival.now().timestamp() + 10
    page = await audit.entries(festival.db, until=until, limit=100)
    return {each.action for each in page if each.actor.startswith("cli:")}


def _check_certificates(filled: Placed, tmp_path: Path) -> None:
    issued = filled.json("certs", "issue", OVER.event_id, "participation")
    assert (issued["state"], issued["result"]["issued"]) == ("done", 0)
    assert issued["result"]["there_already"] > 3
    assert "has to name the winners" in filled.fails("certs", "issue", OVER.event_id, "winner")
    code = filled.festival(_code)
    pdf = tmp_path / "one.pdf"
    shown = filled("certs", "check", code, "--pdf", str(pdf))
    assert (shown.code, "winner" in shown.out) == (0, True)
    assert pdf.read_bytes().startswith(b"%PDF")
    assert filled.json("certs", "check", "0000-0000-0000-0000", code=2)["code"] == "NOT_FOUND"
    assert "vibejudge_hack_id" in filled.fails("handover", OVER.event_id)


async def _code(festival: Festival) -> str:
    every = festival.db.iterate(m.every_certificate())
    return next(iter([each.code async for each in every if each.kind == "winner"]))


def _check_findings(filled: Placed) -> None:
    filled.festival(_broken)
    told = filled.json("verify", code=1)
    kinds = {each["kind"] for each in told["findings"]}
    assert kinds == {"seats", "member", "leader", "email_lock", "hold", "statistics"}
    assert kinds <= set(KINDS)
    assert {each["event_id"] for each in told["findings"]} == {OPEN.event_id, OVER.event_id}
    only = filled.json("verify", OVER.event_id, code=1)["findings"]
    assert {each["kind"] for each in only} == {"statistics"}
    assert "findings" in filled("verify").out


async def _broken(festival: Festival) -> None:
    """As no program of ours would leave it."""
    from tablewright.model import delete, put

    db = festival.db
    seats = await festival.seats.of(OPEN.event_id)
    await db.run(put(seats.model_copy(update={"free": seats.free + 1})))
    teams = [each async for each in db.iterate(m.every_team())]
    pending = next(each for each in teams if each.payment_status == "pending")
    hold = {"event_id": OPEN.event_id, "team_id": pending.team_id}
    await db.run(delete(m.Hold, **hold, expires_at=pending.hold_expires_at))
    leader = await db.require(m.participant(OPEN.event_id, pending.leader_participant_id))
    member = {**hold, "participant_id": leader.participant_id}
    await db.run(delete(m.Member, **member))
    lock = {"event_id": OPEN.event_id, "email_hash": leader.email_hash}
    await db.run(delete(m.EmailLock, **lock))
    day = (festival.now()).date()
    days = [
        each async for each in db.iterate(m.statistics(OVER.event_id, day.replace(year=2020), day))
    ]
    await db.run(put(days[0].model_copy(update={"registrations": days[0].registrations + 1})))
