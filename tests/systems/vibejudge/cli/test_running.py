"""From handing in to the results; a job that is begun, left, cancelled, resumed and watched."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from tests.systems.vibejudge.cli.placed import JAM, OVER, Placed, open_jam
from tests.systems.vibejudge.repos.support import Repo
from tests.systems.vibejudge.support import ADMIN

from tablewright.service.agreeing import agreed
from tablewright.service.commands import Desk
from tablewright.service.problems import Problem

DEVPOST = (
    '"Project Title","Submission Url","Project Status","""Try it out"" Links"\n'
    '"Lamp","https://jam.devpost.com/submissions/1-lamp","Submitted (Gallery/Visible)",'
    '"https://github.com/lamps/lamp/tree/main"\n'
    '"Sketch","https://jam.devpost.com/submissions/2-sketch","Draft",""\n'
)


def test_handing_in(placed: Placed, tmp_path: Path) -> None:
    open_jam(placed)
    owls = placed.repo("lantern")
    said = placed("submit", JAM, owls, "--team", "Night Owls")
    assert (said.code, "1 new" in said.out, "shown this once" in said.out) == (0, True, True)
    assert "takes part in the hackathon already" in placed.fails(
        "submit", JAM, owls, "--team", "Others"
    )
    for words, told in (
        ((), "--csv FILE"),
        ((owls,), "--team"),
        ((owls, "--team", "_ ~"), "team_name"),
        ((owls, "--csv", "x.csv"), "one of both"),
        (("--csv", "absent.csv"), "--csv: absent.csv"),
    ):
        assert told in placed.fails("submit", JAM, *words), words
    file, tokens = tmp_path / "teams.csv", tmp_path / "tokens.csv"
    file.write_text(
        f"team;repo\nTorches;{placed.repo('torch')}\nnight owls;https://github.com/a/b\n"
    )
    rows = placed("submit", JAM, "--csv", str(file), "--tokens", str(tokens))
    assert (rows.code, "1 new, 0 there already, 1 refused" in rows.out) == (1, True)
    assert "DUPLICATE_TEAM" in rows.out
    assert "   3  night owls" in rows.out
    (token,) = csv.DictReader(tokens.open())
    assert token["team_name"] == "Torches"
    assert token["sub_id"] in token["result_token"]
    assert token["result_token"] not in rows.out
    assert os.stat(tokens).st_mode & 0o777 == 0o600
    file.write_text(DEVPOST)
    told = placed.json("submit", JAM, "--csv", str(file), code=1)
    assert (told["created"], told["refused"]) == (1, 1)
    assert placed.json("submit", JAM, "--csv", str(file), code=1)["unchanged"] == 1
    file.write_text("what,ever\n1,2\n")
    assert "team_name and repo_url is missing" in placed.fails("submit", JAM, "--csv", str(file))


def test_a_job_to_its_end_and_what_came_of_it(placed: Placed, tmp_path: Path) -> None:
    hack_id = open_jam(placed, dates=OVER)["hack_id"]
    assert "nobody has submitted" in placed.fails("run", JAM)
    assert "was not analysed" in placed.fails("watch", JAM)
    for team, repo in (("Night Owls", placed.repo("lantern")), ("Gone", str(placed.repos / "no"))):
        placed.json("submit", JAM, repo, "--team", team)

    # Begun and left: whoever comes next sees that nobody is at it, and may end it.
    begun = placed.json("run", JAM, "--no-wait")
    left = placed.json("watch", begun["job_id"], code=1)
    assert (left["status"], left["left"]) == ("running", 2)
    assert "goes on with it" in placed("watch", JAM).out
    assert placed.json("cancel", JAM)["status"] == "cancelled"
    assert "does not allow it" in placed.fails("cancel", begun["job_id"])
    again = placed.json("resume", begun["job_id"], "--no-wait")
    assert again["job_id"] == begun["job_id"]

    # A run goes on with what was begun.
    done = placed("run", JAM)
    assert (done.code, "1 submission was not analysed:" in done.out) == (1, True)
    assert "REPO_NOT_FOUND" in done.out
    assert begun["job_id"] in done.out
    told = placed("watch", hack_id, "--lines")
    events = [json.loads(line) for line in told.out.splitlines()]
    assert (told.code, events[-1]) == (1, {"event": "end", "status": "completed"})
    teams = {each["team_name"]: each["state"] for each in events if each["event"] == "task"}
    assert teams == {"Night Owls": "done", "Gone": "failed"}
    assert "leave --json out" in placed("watch", hack_id, "--lines", "--json").err
    other = hack_id[:-1] + ("1" if hack_id.endswith("0") else "0")
    assert "neither a hackathon nor a job" in placed.fails("watch", other)

    # Only what has failed is tried again, and only one team if one is named.
    (placed.repos / "no").mkdir()
    Repo(placed.repos / "no").commit({"app.py": "print(1)\n"})
    retried = placed.json("run", JAM, "--failed")
    assert (retried["scope"], retried["total_submissions"]) == ("failed", 1)
    assert "No submission has failed" in placed.fails("run", JAM, "--failed")
    one = placed.json("run", JAM, "--team", "night owls")
    assert (one["scope"], one["total_submissions"]) == ("one", 1)
    assert "not both" in placed.fails("run", JAM, "--team", "night owls", "--failed")

    # Its results.
    board = placed("leaderboard", JAM)
    assert (board.code, "without a score" in board.out) == (0, False)
    (first,) = placed.json("leaderboard", JAM, "--limit", "1")["items"]
    assert (first["rank"], first["team_name"] in ("Night Owls", "Gone")) == (1, True)
    page = tmp_path / "card.html"
    card = placed("scorecard", first["team_name"], "--hackathon", JAM, "--html", str(page))
    assert f"{first['score']:.2f} of 100" in card.out
    assert f"{JAM}: rank 1" in card.out
    assert f"{JAM}: rank 1" in page.read_text()
    whole = placed.json("scorecard", first["sub_id"].lower())
    assert (whole["rank"], whole["score"]) == (1, first["score"])
    assert "--hackathon" in placed.fails("scorecard", "Night Owls")
    assert "No team of" in placed.fails("scorecard", "Owls", "--hackathon", JAM)
    out = tmp_path / "results.csv"
    assert placed.json("export", JAM, "--out", str(out))["bytes"] == out.stat().st_size
    assert {each["team"] for each in csv.DictReader(out.open())} == {"Night Owls", "Gone"}
    assert "--out" in placed("export", JAM, "--json").err
    released = placed("hackathon", "release", JAM)
    assert (released.code, "released." in released.out) == (0, True)
    assert "released already" in placed("hackathon", "release", JAM).out
    # Scores and sums agree with what they are made of.
    assert placed.json("audit")["findings"] == 0


def test_what_costs_money_is_agreed_to_before(placed: Placed) -> None:
    placed.set(openai_url="http://127.0.0.1:9/v1", default_model="amazon.nova-lite-v1:0")
    open_jam(placed, "--provider", "openai", "--budget", "0.000001")
    placed.json("submit", JAM, placed.repo("lantern"), "--team", "Night Owls")
    problem = placed.json("run", JAM, code=2)
    assert (problem["code"], problem["estimate"]["enough"]) == ("NOT_AGREED", False)
    assert "Models of openai for 1 submission: about $0.0" in problem["detail"]
    assert "will not do for all" in problem["detail"]
    assert "--yes" in problem["hint"]
    assert "was not analysed" in placed.fails("watch", JAM)


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("typed", "goes_on"), [(b"y\n", True), (b"YES\n", True), (b"\n", False)])
def test_somebody_who_is_there_is_asked(typed: bytes, goes_on: bool) -> None:
    out = io.BytesIO()
    desk = Desk(by=ADMIN, tick=lambda _: None, stdin=_Terminal(typed), stdout=out)
    if goes_on:
        agreed(desk, False, "Analyse them?", ["About $2."])
    else:
        with pytest.raises(Problem, match="Nothing was done"):
            agreed(desk, False, "Analyse them?", ["About $2."])
    assert out.getvalue() == b"About $2.\nAnalyse them? [y/N] "
