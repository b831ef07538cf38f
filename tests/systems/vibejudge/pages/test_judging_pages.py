"""Judging on pages: organisers set it up, judges say what they think, teams read and answer."""

from __future__ import annotations

import re

import pytest
from markupsafe import escape
from tests.console.support import Browser
from tests.systems.vibejudge.pages.judging_support import HOSTILE, Bench, bench_of, flashed
from tests.systems.vibejudge.pages.support import BASE, Court, as_role
from tests.systems.vibejudge.support import moved

from tablewright.systems.vibejudge.rules.result_tokens import new_token

_SUBMISSION = re.compile(r'action="(/vibejudge/desk/\w+/rounds/\d+/submissions/(\w+))"')


@pytest.fixture
def bench(court: Court) -> Bench:
    return bench_of(court, "60", "70", "80")


def shown(judge: Browser, bench: Bench) -> tuple[str, str]:
    """Where the form of the submission on the desk goes, and which one that is."""
    found = _SUBMISSION.search(judge.get(bench.desk).text)
    assert found is not None
    return found[1], found[2]


def test_looking_at_an_invitation_changes_nothing_and_following_it_works_once(
    bench: Bench, organizer: Browser
) -> None:
    assert "No judge yet" in organizer.get(bench.judging).text
    refused = organizer.post(f"{bench.judging}/judges", {"name": " "})
    assert refused.status_code == 422
    assert "Is missing." in refused.text
    link = bench.invited(organizer, HOSTILE)
    with as_role(bench.court, "") as judge:
        for _ in range(2):
            page = judge.get(link)
            assert page.status_code == 200
            assert "Begin judging" in page.text
            assert HOSTILE not in page.text
            assert escape(HOSTILE) in page.text
        elsewhere = judge.client.post(link, headers={"Origin": "https://elsewhere.test"})
        assert elsewhere.status_code == 403
        assert judge.client.post(link).headers["location"] == bench.desk
        assert "Judging has not begun" in judge.get(bench.desk).text
        assert judge.get(f"{BASE}/desk").headers["location"] == bench.desk
        assert judge.get(bench.judging).status_code == 403
        for again in (judge.get(link), judge.client.post(link)):
            assert again.status_code == 404
            assert "not good any more" in again.text
    page = organizer.get(bench.judging)
    assert HOSTILE not in page.text
    assert escape(HOSTILE) in page.text


def test_a_judge_scores_one_after_another_and_changes_their_mind(
    bench: Bench, organizer: Browser
) -> None:
    with bench.judge(organizer, "Ada") as ada:
        bench.opened(organizer)
        place, _ = shown(ada, bench)
        wrong = ada.post(place, {"scores.idea": "7", "comment": "Nearly done"})
        assert wrong.status_code == 422
        assert "Choose a number" in wrong.text
        assert re.search(r'name="scores.idea" value="7" required checked', wrong.text)
        assert "Nearly done" in wrong.text
        beyond = ada.post(place, {"scores.idea": "11", "scores.code": "1"})
        assert beyond.status_code == 422
        assert "At most 10." in beyond.text
        said = {"scores.idea": "7", "scores.code": "none", "comment": HOSTILE}
        assert ada.post(place, said).headers["location"] == bench.desk
        assert flashed(ada, bench.desk).startswith("Saved: Team ")
        given = ada.get(f"{bench.desk}/given").text
        assert HOSTILE not in given
        assert "Idea 7" in given
        assert "Code n/a" in given
        before = ada.get(place).text
        assert 'name="scores.code" value="none" checked' in before
        assert "I cannot" not in before
        ada.post(place, {"scores.idea": "8.5", "scores.code": "3"})
        assert 'value="8.5" checked' in ada.get(place).text
        second, skipped = shown(ada, bench)
        ada.post(f"{second}/skip", {"reason": "I know them", "conflict": "1"})
        assert "another judge gets it" in flashed(ada, bench.desk)
        assert ada.get(second).status_code == 404
        third, _ = shown(ada, bench)
        assert third not in (place, second)
        ada.post(third, {"scores.idea": "5", "scores.code": "5"})
        assert "You are done" in ada.get(bench.desk).text
        board = organizer.get(bench.judging).text
        assert "2 of 2" in board
        assert bench.team(skipped) in board
        progress = organizer.get(f"{bench.judging}/rounds/1/progress").text
        assert "<html" not in progress
        assert "2 of 2" in progress
        assert "No judge" in progress
        organizer.post(f"{bench.judging}/rounds/1/close", {})
        assert "Final scores follow" in flashed(organizer, bench.judging)
        ada.post(place, {"scores.idea": "1", "scores.code": "1"})
        assert "closed" in flashed(ada, bench.desk)
        assert "Judging is over" in ada.get(bench.desk).text
        organizer.post(f"{bench.judging}/rounds/1/open", {})
        assert "closed" in flashed(organizer, bench.judging)
        bench.court.do(bench.court.courtroom.judging.blending.work())
        assert "50 %" in organizer.get(bench.judging).text


def test_a_judge_prefers_one_of_two_and_turns_it_round(bench: Bench, organizer: Browser) -> None:
    with bench.judge(organizer, "Ada") as ada:
        bench.opened(organizer, "pairwise")
        page = ada.get(bench.desk).text
        pair = dict(re.findall(r'name="(one|other)" value="(\w+)"', page))
        place = f"{bench.desk}/rounds/1/pair"
        ada.post(place, {**pair, "winner": pair["one"]})
        assert flashed(ada, bench.desk) == "Saved."
        assert "1 pair compared" in ada.get(bench.desk).text

        def preferred() -> str:
            found = re.search(
                r"<li><span><strong>(.*?)</strong>", ada.get(f"{bench.desk}/given").text
            )
            assert found is not None
            return found[1]

        assert preferred() == bench.team(pair["one"])
        ada.post(place, {**pair, "winner": pair["other"]})
        assert preferred() == bench.team(pair["other"])
        ada.post(place, {**pair, "winner": ""})
        assert flashed(ada, bench.desk)
        organizer.post(f"{bench.judging}/rounds/1/pause", {})
        assert "The round is paused" in ada.get(bench.desk).text


def test_rounds_and_judges_are_changed_and_what_cannot_be_is_told(
    bench: Bench, organizer: Browser
) -> None:
    organizer.post(f"{bench.judging}/rounds", {"method": "rubric", "weight": "2"})
    assert "At most 1." in flashed(organizer, bench.judging)
    organizer.post(f"{bench.judging}/rounds", {"method": "rubric", "weight": "0.5"})
    organizer.post(f"{bench.judging}/rounds/1/open", {})
    assert flashed(organizer, bench.judging)  # there is no judge yet
    one = f"{bench.judging}/rounds/1"
    assert organizer.post(one, {"weight": "x"}).status_code == 422
    assert organizer.post(one, {"weight": "0", "method": "pairwise"}).status_code == 303
    assert "In pairs, for practice" in organizer.get(one).text
    assert organizer.post(f"{one}/explode", {}).status_code == 404
    assert organizer.get(f"{bench.judging}/rounds/7").status_code == 404
    with bench.judge(organizer, "Ada") as ada:
        found = re.search(
            r'href="([^"]+/judging/judges/(?!new)\w+)"', organizer.get(bench.judging).text
        )
        assert found is not None
        conflict = bench.submissions[0]
        saved = organizer.post(found[1], {"name": "Ada L.", "conflicts": conflict.sub_id})
        assert saved.status_code == 303
        assert re.search(rf'value="{conflict.sub_id}" checked', organizer.get(found[1]).text)
        page = organizer.get(bench.judging).text
        assert "Ada L." in page
        assert conflict.team_name in page
        assert organizer.post(found[1], {"name": "Ada", "conflicts": "nonsense"}).status_code == 422
        again = organizer.post(f"{found[1]}/invite", {})
        assert again.status_code == 201
        assert "/vibejudge/invitations/" in again.text
        organizer.post(f"{found[1]}/remove", {})
        assert "no judge any more" in flashed(organizer, bench.judging)
        assert ada.get(bench.desk).status_code == 403
        organizer.post(f"{found[1]}/invite", {})
        assert "removed" in flashed(organizer, bench.judging)


def test_whatever_is_somebody_elses_is_not_there(bench: Bench, organizer: Browser) -> None:
    foreign = bench.court.path("foreign", "/judging")
    hack_id = bench.court.hackathons["foreign"].hack_id
    for path in ("", "/rounds/1", "/judges/new", f"/appeals/{hack_id}"):
        assert organizer.get(f"{foreign}{path}").status_code == 404
    for path in ("/rounds", "/rounds/1/open", "/rounds/1/assign", "/judges"):
        assert organizer.post(f"{foreign}{path}", {"name": "Eve", "weight": "1"}).status_code == 404
    assert organizer.get(bench.desk).status_code == 403
    with bench.judge(organizer, "Ada") as ada:
        assert ada.get(f"{BASE}/desk/{hack_id}").status_code == 404
        unsigned = ada.post(f"{bench.desk}/rounds/1/pair", {}, token=False)
        assert unsigned.status_code == 403
    with as_role(bench.court, "judge") as stranger:
        assert "Judges are invited" in stranger.get(f"{BASE}/desk").text
        assert stranger.get(bench.desk).status_code == 403
    with as_role(bench.court, "") as nobody:
        assert nobody.get(bench.judging).headers["location"].startswith("/sign-in")
        # Nobody signs in as a judge.
        assert nobody.get(bench.desk).headers["location"] == f"{BASE}/desk"
        assert "ask the organiser for a new link" in nobody.get(f"{BASE}/desk").text
        assert nobody.client.post(f"{bench.desk}/rounds/1/pair").status_code == 303


def test_a_judge_who_comes_back_days_later_still_has_a_desk(
    bench: Bench, organizer: Browser
) -> None:
    """There is no other way in: the invitation is used up."""
    with bench.judge(organizer, "Ada") as ada:
        bench.court.clock.advance(13 * 24 * 3600)
        assert "Judging has not begun" in ada.get(bench.desk).text
        bench.court.clock.advance(2 * 24 * 3600)
        assert ada.get(bench.desk).headers["location"] == f"{BASE}/desk"


def test_a_team_reads_its_result_once_released_and_gets_an_answer(
    bench: Bench, organizer: Browser
) -> None:
    court, hack_id, sub = bench.court, bench.hack_id, bench.submissions[0]
    token = court.do(court.courtroom.submissions.new_token(court.caller, hack_id, sub.sub_id))
    path = f"{BASE}/results/{token}"
    wrong = f"{BASE}/results/{new_token(hack_id, sub.sub_id)[0]}"
    with as_role(bench.court, "") as team:
        early = team.get(path)
        assert early.status_code == 404
        assert "No result yet" in early.text
        assert sub.team_name not in early.text
        assert team.client.post(f"{path}/appeal", data={"text": "Far too early"}).status_code == 404
        made = court.do(court.courtroom.hackathons.owned(court.caller, hack_id))
        now = court.courtroom.now()
        court.do(moved(court.courtroom, made, "completed", released_at=now))
        assert team.get(wrong).status_code == 404
        card = team.get(path)
        assert card.status_code == 200
        assert sub.team_name in card.text
        assert "Rank 3" in card.text
        for answer in (early, card):
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cache-control"] == "no-store"
        short = team.client.post(f"{path}/appeal", data={"text": "No!"})
        assert short.status_code == 422
        assert "No!" in short.text
        text = f"You missed e2e/ {HOSTILE}"
        # A page that tells nobody where it is does not tell the browser's origin, either.
        headers = {"Origin": "null"}
        sent = team.client.post(f"{path}/appeal", data={"text": text}, headers=headers)
        assert sent.headers["location"] == path
        again = team.client.post(f"{path}/appeal", data={"text": text})
        assert again.status_code == 409
        assert "can be done once" in again.text
        assert "1 team waits" in organizer.get(bench.judging).text
        place = f"{bench.judging}/appeals/{sub.sub_id}"
        for page in (
            organizer.get(place).text,
            team.get(path).text,
            organizer.get(bench.judging).text,
        ):
            assert HOSTILE not in page
            assert "You missed e2e/" in page
        assert organizer.post(place, {"state": "upheld", "answer": " "}).status_code == 422
        answered = {"state": "upheld", "answer": "You are right."}
        assert organizer.post(place, answered).status_code == 303
        assert organizer.post(place, answered).status_code == 409
        assert "You are right." in team.get(path).text
        assert "Upheld" in team.get(path).text


def test_who_has_nothing_to_do_is_told_why(bench: Bench, organizer: Browser) -> None:
    """Every submission is with three others: a fourth judge gets something once one skips."""
    judges = (bench.judge(organizer, "Ada"), bench.judge(organizer, "Ben"))
    with judges[0], judges[1], bench.judge(organizer, "Cem"):
        bench.opened(organizer)
        with bench.judge(organizer, "Dee") as dee:
            assert "Nothing for you now" in dee.get(bench.desk).text
            organizer.post(f"{bench.judging}/rounds/1/pause", {})
            assert "The round is paused" in dee.get(bench.desk).text
