"""Somebody's own repository: what is not committed, commits by name, and borrowed objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.systems.vibejudge.repos.support import Repo

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.local import commit_named
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path
from tablewright.systems.vibejudge.repos.uncommitted import Uncommitted, uncommitted


def test_what_is_not_committed(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"a.py": "x = 1\n", "b.py": "y = 1\n", ".gitignore": "*.log\n", "z": "1"})
    assert uncommitted(repo.folder, root=tmp_path) == Uncommitted(0, 0)
    (repo.folder / "a.py").write_text("x = 2\n")
    (repo.folder / "b.py").unlink()
    (repo.folder / "new").mkdir()
    (repo.folder / "new" / "c.py").write_text("z = 1\n")
    (repo.folder / "noise.log").write_text("...")
    (repo.folder / "private.txt").write_text("...")
    (repo.folder / ".git/info/exclude").write_text("private.txt\n")
    assert uncommitted(repo.folder, root=tmp_path) == Uncommitted(2, 1)
    assert uncommitted(tmp_path, root=tmp_path) is None


def test_looking_for_changes_runs_nothing_of_the_repository(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.commit({"a.py": "x = 1\n", ".gitattributes": "*.py filter=evil diff=evil\n"})
    ran = tmp_path / "ran"
    evil = f"touch {ran}"
    for name in ("filter.evil.clean", "filter.evil.process", "core.fsmonitor", "diff.external"):
        repo.git("config", name, evil)
    (repo.folder / "a.py").write_text("x = 2\n")
    assert uncommitted(repo.folder, root=tmp_path) == Uncommitted(1, 0)
    assert not ran.exists()


def test_commits_by_name(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    first = repo.commit({"a": "1"})
    repo.git("tag", "-a", "v1", "-m", "First")
    repo.git("branch", "topic/one")
    second = repo.commit({"a": "2"})

    def named(name: str | None) -> str:
        return commit_named(repo.folder, root=tmp_path, name=name)

    assert named(None) == named("main") == named(second[:8].upper()) == second
    assert named("v1") == named("topic/one") == first
    repo.git("pack-refs", "--all")
    assert named("v1") == first
    for wrong in ("nothing", "--all", "HEAD~1", "deadbeef", "v1^{tree}"):
        with pytest.raises(RepoError) as caught:
            named(wrong)
        assert caught.value.code == "COMMIT_UNAVAILABLE"


def test_borrowed_objects_are_read_where_they_may_be(tmp_path: Path) -> None:
    source = Repo(tmp_path / "source")
    sha = source.commit({"a.py": "x = 1\n"})
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    source.git("clone", "-q", "--shared", str(source.folder), str(tmp_path / "one/r"))
    source.git("clone", "-q", "--shared", str(tmp_path / "one/r"), str(tmp_path / "two/r"))
    found = snapshot_of_path(tmp_path / "two/r", root=tmp_path)
    assert (found.sha, found.files[0].text) == (sha, "x = 1\n")
    with pytest.raises(RepoError) as caught:
        snapshot_of_path(tmp_path / "two/r", root=tmp_path / "two")
    assert caught.value.code == "REPO_REFUSED"


def test_a_history_that_is_cut_off_is_told(tmp_path: Path) -> None:
    source = Repo(tmp_path / "source")
    for number in range(3):
        source.commit({"a.py": f"x = {number}\n"})
    address = f"file://{source.folder}"
    source.git("clone", "-q", "--depth", "1", address, str(tmp_path / "cut"))
    found = snapshot_of_path(tmp_path / "cut", root=tmp_path)
    assert found.commit_count == 1
    assert found.notes == ("The history is cut off: it was cloned without all of it.",)
    assert snapshot_of_path(source.folder, root=tmp_path).notes == ()
