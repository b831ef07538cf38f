"""Hosts that fail: what passes is told from what stays. Git and the servers are real."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.systems.vibejudge.repos.support import Answer, Repo, Spoil, git_server

from tablewright.systems.vibejudge.repos import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access, fetched, remote_head, told
from tablewright.systems.vibejudge.repos.heads import HEAD_LIMITS

LOOPBACK = Access(loopback=True)
#: Names with the words that git uses when something else is wrong.
NAMES = ("lantern", "backpack", "redirect-bot", "error-403", "not found yet")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    for name in NAMES:
        Repo(root / name).commit({"noise.bin": random.Random(name).randbytes(200_000)})
    return root


def answering(status: int, *, fetches_only: bool = False) -> Spoil:
    def spoil(answer: Answer) -> Answer:
        if fetches_only and not answer.fetch:
            return answer
        return replace(answer, status=status, fields={}, body=b"")

    return spoil


def cut_off(answer: Answer) -> Answer:
    return replace(answer, sent=len(answer.body) // 2) if answer.fetch else answer


def damaged(answer: Answer) -> Answer:
    """All of it arrives, and some of it is wrong."""
    body = bytearray(answer.body)
    at = body.find(b"PACK")
    if at >= 0:
        body[at + 40 : at + 140] = bytes(100)
    return replace(answer, body=bytes(body))


def fetching_fails(root: Path, name: str, *spoils: Spoil) -> str:
    """With which code it ends."""
    with git_server(root, spoils=spoils) as (url, _), pytest.raises(RepoError) as caught:
        with fetched(f"{url}/{name.replace(' ', '%20')}/.git", access=LOOPBACK):
            pass
    return caught.value.code


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_host_that_is_busy_may_answer_later(root: Path, name: str, status: int) -> None:
    assert fetching_fails(root, name, answering(status)) == "REPO_UNREACHABLE"


@pytest.mark.parametrize("status", [429, 503])
def test_so_may_one_that_gives_up_in_mid_fetch(root: Path, status: int) -> None:
    busy = answering(status, fetches_only=True)
    assert fetching_fails(root, "lantern", busy) == "REPO_UNREACHABLE"


def test_a_connection_that_is_cut_off_may_hold_the_next_time(root: Path) -> None:
    assert fetching_fails(root, "lantern", cut_off) == "REPO_UNREACHABLE"


@pytest.mark.parametrize("name", NAMES)
def test_nobody_listens(name: str) -> None:
    """The discard port of this machine."""
    address = f"http://127.0.0.1:9/{name.replace(' ', '%20')}"
    with pytest.raises(RepoError) as caught:
        remote_head(address, limits=HEAD_LIMITS, access=LOOPBACK)
    assert caught.value.code == "REPO_UNREACHABLE"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (301, "REPO_MOVED"),
        (401, "REPO_NOT_FOUND"),
        (403, "REPO_NOT_FOUND"),
        (404, "REPO_NOT_FOUND"),
    ],
)
def test_other_answers_stay_what_they_are(root: Path, status: int, code: str) -> None:
    assert fetching_fails(root, "lantern", answering(status)) == code


def test_what_arrives_whole_and_is_wrong_will_not_be_right_later(root: Path) -> None:
    assert fetching_fails(root, "lantern", damaged) == "REPO_BROKEN"


@pytest.mark.parametrize("millis", [3, 401, 1403])
def test_how_long_it_took_is_no_status(millis: int) -> None:
    """These words need a host that answers nothing, which none can be made to do in a test."""
    said = (
        "fatal: unable to access 'https://github.com/owls/backpack.git/': Failed to connect to "
        f"github.com port 443 after {millis} ms: Couldn't connect to server"
    )
    assert told(said).code == "REPO_UNREACHABLE"
