"""Freezing: the commit that counts is pinned at the end, whatever becomes of the repository."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.repos.support import Repo, git_server
from tests.systems.vibejudge.support import (
    NOW,
    audited,
    courtroom_on,
    hackathon,
    moment,
    moved,
    organizer,
    refused,
    run,
)

from tablewright.clock import ManualClock
from tablewright.model.errors import Unavailable
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission, Timer
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access
from tablewright.systems.vibejudge.repos.heads import head_of
from tablewright.systems.vibejudge.service import freezing
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.freezing import Frozen
from tablewright.systems.vibejudge.table import DUE_SHARDS
from tablewright.testing import Backend

DAY = timedelta(days=1).total_seconds()
LATER = NOW + timedelta(days=400)


def local(root: Path) -> dict[str, Any]:
    return {"allow_local_paths": True, "local_root": root, "allow_local_servers": True}


async def hand_in(courtroom: Courtroom, caller: Any, hack_id: str, *urls: object) -> None:
    sent = [SubmissionIn(team_name=f"Team {n}", repo_url=str(url)) for n, url in enumerate(urls)]
    results = await courtroom.submissions.submit(caller, hack_id, sent)
    assert {each.status for each in results} == {201}


async def stored(courtroom: Courtroom, hack_id: str) -> list[Submission]:
    return [each async for each in courtroom.db.iterate(reads.submissions(hack_id))]


async def pinned(courtroom: Courtroom, hack_id: str) -> dict[str, str | None]:
    return {each.team_name: each.frozen_sha for each in await stored(courtroom, hack_id)}


async def timers(courtroom: Courtroom) -> list[Timer]:
    found: list[Timer] = []
    for shard in range(DUE_SHARDS):
        found += await courtroom.db.run(job_reads.timers_due(shard, LATER))
    return found


def test_scenario_16_a_frozen_commit_is_pinned(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    """Frozen SHA gone: commit_unavailable, others finish. (Here: what was frozen stays so.)"""
    kept, rewritten = Repo(tmp_path / "kept"), Repo(tmp_path / "rewritten")
    first = kept.commit({"a.py": "a = 1\n"})
    before = rewritten.commit({"b.py": "b = 1\n"})

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, **local(tmp_path)) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            absent = tmp_path / "absent"
            await hand_in(courtroom, caller, made.hack_id, kept.folder, rewritten.folder, absent)
            # Before the end nothing happens.
            await courtroom.freezing.ring()
            assert {each.frozen_sha for each in await stored(courtroom, made.hack_id)} == {None}
            clock.advance(DAY)
            await courtroom.freezing.ring()
            assert not await timers(courtroom)

            # History is rewritten, and work goes on, after the end.
            rewritten.git("checkout", "-q", "--orphan", "new")
            rewritten.commit({"b.py": "b = 2\n"})
            rewritten.git("branch", "-q", "-M", "new", "main")
            kept.commit({"a.py": "a = 2\n"})
            clock.advance(DAY)
            await courtroom.freezing.ring()
            report = await courtroom.freezing.now(caller, made.hack_id)
            assert (report.frozen, report.before, report.left) == (0, 2, 0)
            (missed,) = report.unfrozen
            assert (missed.submission.team_name, missed.code) == ("Team 2", "REPO_NOT_FOUND")

            one, two, three = await stored(courtroom, made.hack_id)
            assert (one.frozen_sha, two.frozen_sha, three.frozen_sha) == (first, before, None)
            assert three.error_message is not None
            assert "there is no git repository" in three.error_message
            assert not await timers(courtroom)

    run(go())


def test_one_that_cannot_be_frozen_does_not_hold_up_the_others(
    tablewright_backend: Backend,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo = Repo(tmp_path / "kept")
    head = repo.commit({"a.py": "a = 1\n"})

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, **local(tmp_path)) as courtroom:
            caller = await organizer(courtroom)
            made = [await hackathon(courtroom, caller) for _ in range(2)]
            for each in made:
                await hand_in(courtroom, caller, each.hack_id, repo.folder)
            clock.advance(DAY)
            freeze, begun = courtroom.freezing.freeze, []

            async def unlucky(each: HackathonDetail, report: Frozen | None = None) -> Frozen:
                begun.append(each.hack_id)
                if len(begun) == 1:
                    raise Unavailable("the store is away")
                return await freeze(each, report)

            monkeypatch.setattr(courtroom.freezing, "freeze", unlucky)
            with pytest.raises(Unavailable):
                await courtroom.freezing.ring()
            assert await pinned(courtroom, begun[1]) == {"Team 0": head}
            await courtroom.freezing.ring()
            assert await pinned(courtroom, begun[0]) == {"Team 0": head}

    run(go())


def test_who_cannot_be_reached_is_asked_again(
    tablewright_backend: Backend,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo = Repo(tmp_path / "repo")
    sha = repo.commit({"a.py": "a = 1\n"})
    away = {"https://github.com/a/down"}
    asked: list[str] = []

    def answered(url: str, access: Access) -> Any:
        asked.append(url)
        if url in away:
            raise RepoError("REPO_UNREACHABLE", "the host did not give the repository")
        return head_of(str(repo.folder), access)

    monkeypatch.setattr(freezing, "head_of", answered)

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, **local(tmp_path)) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            other = await hackathon(courtroom, caller)
            await hand_in(courtroom, caller, made.hack_id, *away, "https://github.com/a/up")
            await hand_in(courtroom, caller, other.hack_id, "https://github.com/a/down")
            clock.advance(DAY)
            await courtroom.freezing.ring()
            down, up = await stored(courtroom, made.hack_id)
            assert (down.frozen_sha, up.frozen_sha) == (None, sha)
            assert "could not be frozen" in str(down.error_message)
            number = len(asked)
            await courtroom.freezing.ring()
            assert len(asked) == number, "not before a minute"
            clock.advance(61)
            away.clear()
            await courtroom.freezing.ring()
            down, up = await stored(courtroom, made.hack_id)
            assert (down.frozen_sha, down.error_message) == (sha, None)
            assert not await timers(courtroom)

            # Somebody who is never there is given up, and everybody else is not kept waiting.
            away.add("https://github.com/a/gone")
            last = await hackathon(courtroom, caller, end_date=moment(NOW + timedelta(days=2)))
            await hand_in(courtroom, caller, last.hack_id, *away)
            clock.advance(DAY)
            asked.clear()
            for _ in range(80):
                await courtroom.freezing.ring()
                clock.advance(120)
            assert 8 <= len(asked) <= 20
            assert not await timers(courtroom)

    run(go())


def test_an_organiser_freezes_early_and_latecomers_are_frozen_at_the_end(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    early, late = Repo(tmp_path / "early"), Repo(tmp_path / "late")
    first = early.commit({"a.py": "a = 1\n"})
    late.commit({"b.py": "b = 1\n"})

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, **local(tmp_path)) as courtroom:
            caller = await organizer(courtroom)
            draft = await hackathon(courtroom, caller, "draft")
            assert (await refused(courtroom.freezing.now(caller, draft.hack_id))).status == 409
            made = await hackathon(courtroom, caller)
            await hand_in(courtroom, caller, made.hack_id, early.folder)
            report = await courtroom.freezing.now(caller, made.hack_id)
            assert (report.frozen, report.unfrozen) == (1, [])
            assert ("hackathon.freeze", f"hackathon/{made.hack_id}") in await audited(courtroom)
            sent = [SubmissionIn(team_name="Late", repo_url=str(late.folder))]
            await courtroom.submissions.submit(caller, made.hack_id, sent)
            early.commit({"a.py": "a = 2\n"})
            second = late.commit({"b.py": "b = 2\n"})
            clock.advance(120)
            await courtroom.freezing.ring()
            assert await pinned(courtroom, made.hack_id) == {"Team 0": first, "Late": None}
            clock.advance(DAY)
            await courtroom.freezing.ring()
            assert await pinned(courtroom, made.hack_id) == {"Team 0": first, "Late": second}
            assert [each.hack_id for each in await timers(courtroom)] == []

    run(go())


def test_a_process_that_ends_leaves_the_rest_to_the_worker(
    tablewright_backend: Backend,
    clock: ManualClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    repo = Repo(tmp_path / "repo")
    sha = repo.commit({"a.py": "a = 1\n"})

    def killed(url: str, access: Access) -> Any:
        raise KeyError("as if the process had ended here")

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, **local(tmp_path)) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            await hand_in(courtroom, caller, made.hack_id, repo.folder)
            with monkeypatch.context() as patched:
                patched.setattr(freezing, "head_of", killed)
                with pytest.raises(ExceptionGroup):
                    await courtroom.freezing.now(caller, made.hack_id)
            clock.advance(61)
            await courtroom.freezing.ring()
            (one,) = await stored(courtroom, made.hack_id)
            assert one.frozen_sha == sha
            # One that was put away, and one that is gone, need no timer.
            await moved(courtroom, made, "archived")
            clock.advance(DAY)
            await courtroom.freezing.ring()
            assert not await timers(courtroom)

    run(go())


# --- the head of a repository --------------------------------------------------------------------


def test_the_head_of_a_server_is_asked_for_without_fetching(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "served" / "app")
    repo.commit({"a.py": "a = 1\n"})
    sha = repo.commit({"a.py": "a = 2\n"})
    repo.git("branch", "other", "HEAD~1")
    access = Access(loopback=True)
    with git_server(tmp_path / "served") as (url, seen):
        found = head_of(f"{url}/app/.git", access)
        assert (found.sha, found.branch) == (sha, "main")
        assert not any("pack" in path and "info" not in path for path in seen[:1])
        with pytest.raises(RepoError) as caught:
            head_of(f"{url}/none/.git", access)
        assert caught.value.code == "REPO_NOT_FOUND"
        shutil.rmtree(repo.folder)
        Repo(repo.folder)
        with pytest.raises(RepoError) as caught:
            head_of(f"{url}/app/.git", access)
        assert caught.value.code == "REPO_EMPTY"


@pytest.mark.parametrize("url", ["file:///etc", "ext::sh", "/etc", "http://127.0.0.1:1/a"])
def test_heads_of_other_places_are_not_asked_for(url: str) -> None:
    with pytest.raises(RepoError) as caught:
        head_of(url)
    assert caught.value.code == "REPO_REFUSED"
