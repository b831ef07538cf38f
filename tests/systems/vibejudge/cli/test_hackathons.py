"""`organizer` and `hackathon`: made, found by name, moved from state to state, erased."""

from __future__ import annotations

from pathlib import Path

from tests.systems.vibejudge.cli.placed import DATES, JAM, Placed, open_jam

from tablewright.service.kit import audit
from tablewright.systems.vibejudge.service.courtroom import Courtroom

FILE = """name = "Spring Sprint"
start_date = 2026-12-04
end_date = 2026-12-06T17:00:00+01:00
visibility = "public"
budget_limit_usd = 7.5
agent_provider = "openai"

[rubric]
name = "Two things"

[[rubric.dimensions]]
name = "craft"
weight = 0.7
agent = "bug_hunter"

[[rubric.dimensions]]
name = "idea"
weight = 0.3
agent = "innovation"
"""


def test_who_organises(placed: Placed) -> None:
    assert "organizer add" in placed("organizer", "list").out
    assert "no organiser yet" in placed.fails("hackathon", "create", JAM)
    ada = placed.json("organizer", "add", "Ada", "--email", "ada@example.org")
    assert (ada["tier"], ada["api_key"][:4]) == ("free", "twk_")
    assert "has this e-mail address" in placed.fails(
        "organizer", "add", "Eve", "--email", "ADA@example.org"
    )
    assert "--email" in placed("organizer", "add", "Eve").err
    shown = placed("organizer", "tier", "Ada@Example.org", "premium")
    assert (shown.code, "Ada has the tier premium." in shown.out) == (0, True)
    assert [each["tier"] for each in placed.json("organizer", "list")] == ["premium"]
    # The only one there is need not be named; of two, one has to be.
    mine = placed.json("hackathon", "create", JAM)
    assert mine["org_id"] == ada["org_id"]
    bob = placed.json("organizer", "add", "Bob", "--email", "bob@example.org")
    assert "--organizer" in placed.fails("hackathon", "create", "Other")
    assert "no organiser 'eve@example.org'" in placed.fails(
        "hackathon", "create", "Other", "--organizer", "eve@example.org"
    )
    his = placed.json("hackathon", "create", JAM, "--organizer", bob["org_id"].lower())
    assert his["org_id"] == bob["org_id"]
    # Both are called the same: only an id says which.
    told = placed.fails("hackathon", "show", JAM)
    assert his["hack_id"] in told
    assert mine["hack_id"] in told
    assert placed.json("hackathon", "show", his["hack_id"].lower()) == his
    listed = placed.json("hackathon", "list", "--organizer", "bob@example.org")
    assert [each["hack_id"] for each in listed] == [his["hack_id"]]
    assert [each["hack_id"] for each in placed.json("hackathon", "list")] == [
        his["hack_id"],
        mine["hack_id"],
    ]
    assert "Nothing was done" in placed.fails("organizer", "erase", "bob@example.org")
    assert placed.json("organizer", "erase", "bob@example.org", "--yes")["erased"] is True
    assert placed.json("hackathon", "show", JAM)["hack_id"] == mine["hack_id"]
    assert len(placed.json("organizer", "list")) == 1


def test_what_is_said_and_what_is_in_a_file(placed: Placed, tmp_path: Path) -> None:
    placed.json("organizer", "add", "Ada", "--email", "ada@example.org")
    file = tmp_path / "sprint.toml"
    file.write_text(FILE)
    made = placed.json("hackathon", "create", "--from", str(file), "--budget", "9.25")
    assert (made["name"], made["budget_limit_usd"], made["visibility"]) == (
        "Spring Sprint",
        9.25,
        "public",
    )
    assert (made["start_date"], made["end_date"]) == (
        "2026-12-04T00:00:00Z",
        "2026-12-06T16:00:00Z",
    )
    assert [each["weight"] for each in made["rubric"]["dimensions"]] == [0.7, 0.3]
    shown = placed("hackathon", "show", "spring  SPRINT").out
    assert "models of openai, for $9.25" in shown
    assert "craft" in shown
    # A template brings its policy along, unless another one is said.
    vibe = placed.json("hackathon", "create", "Vibe", "--rubric", "vibe-coding")
    assert (vibe["rubric"]["name"], vibe["ai_policy_mode"]) == ("Vibe coding", "full_vibe")
    for words, told in (
        (("--from", "absent.toml"), "--from: absent.toml"),
        ((JAM, "--rubric", "absent"), "vibe-coding"),
        ((JAM, "--start", "soon"), "--start: 'soon' is no date"),
        ((JAM, "--start", "2026-12-06", "--end", "2026-12-04"), "ends after it has started"),
        ((JAM, "--policy", "custom"), "ai_policy_config"),
        ((), "name"),
    ):
        assert told in placed.fails("hackathon", "create", *words), words
    file.write_text("name = \n")
    assert "line 1" in placed.fails("hackathon", "create", "--from", str(file))
    file.with_suffix(".json").write_text('{"name": "J", "colour": "red"}')
    assert "colour" in placed.fails("hackathon", "create", "--from", str(file.with_suffix(".json")))


def test_from_state_to_state(placed: Placed) -> None:
    assert open_jam(placed)["status"] == "configured"
    assert "HACKATHON" not in placed.fails("hackathon", "activate", JAM)
    assert "no hackathon 'nothing'" in placed.fails("hackathon", "show", "nothing")
    placed.fails("hackathon", "release", JAM)
    placed.fails("hackathon", "reopen", JAM)
    frozen = placed.json("hackathon", "freeze", JAM)
    assert (frozen["frozen"], frozen["unfrozen"]) == (0, [])
    assert placed.json("hackathon", "archive", JAM)["status"] == "archived"
    placed.json("hackathon", "create", "Other", *DATES)
    erased = placed.json("hackathon", "erase", JAM, "--yes")
    assert erased["erased"] is True
    assert [each["name"] for each in placed.json("hackathon", "list")] == ["Other"]
    found = placed.courtroom(_audited)
    assert ("hackathon.archive", "system") in found
    assert ("hackathon.erase", "system") in found


async def _audited(courtroom: Courtroom) -> set[tuple[str, str]]:
    until = courtroom.now().timestamp() + 10
    page = await audit.entries(courtroom.db, until=until, limit=100)
    return {(each.action, each.actor_kind) for each in page}
