"""What is read of a repository: files, history, and what was left out."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from tests.systems.vibejudge.repos.support import HOUR, START, Repo

from tablewright.systems.vibejudge.repos import Limits, RepoError, Skipped, Snapshot
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path


def read(repo: Repo, sha: str | None = None, limits: Limits | None = None) -> Snapshot:
    return snapshot_of_path(repo.folder, root=repo.folder, sha=sha, limits=limits)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def test_files_with_their_text(repo: Repo) -> None:
    sha = repo.commit(
        {
            "b/main.py": "print('a')\r\nprint('b')\r\n",
            "a.txt": b"\xef\xbb\xbfwith a mark",
            "latin.txt": "caf\xe9\n".encode("latin-1"),
            "wide.txt": "zwölf\n".encode("utf-16"),
            "data.bin": b"\0\1\2",
            "pic.png": b"no picture, but nobody looks",
            "empty.py": "",
        }
    )
    found = read(repo)
    assert found.sha == sha
    assert found.default_branch == "main"
    assert [each.path for each in found.files] == sorted(each.path for each in found.files)
    texts = {each.path: each.text for each in found.files}
    assert texts == {
        "b/main.py": "print('a')\nprint('b')\n",
        "a.txt": "with a mark",
        "latin.txt": "café\n",
        "wide.txt": "zwölf\n",
        "data.bin": None,
        "pic.png": None,
        "empty.py": "",
    }
    main = found.file("b/main.py")
    assert main is not None
    assert (main.language, main.lines, main.size) == ("Python", 2, 24)


def test_history_names_nobody(repo: Repo) -> None:
    repo.commit({"a.py": "1\n2\n"}, "First", who="ann")
    repo.commit({"a.py": "1\n3\n", "b.py": "x\n"}, "Second", at=START + HOUR, who="bob")
    repo.commit({"b.py": "x\ny\n"}, "Third", at=START + 2 * HOUR, who="ANN")
    found = read(repo)
    assert [each.message for each in found.commits] == ["Third", "Second", "First"]
    assert [each.author for each in found.commits] == ["author-1", "author-2", "author-1"]
    assert found.commits[1].at == START + HOUR
    changes = {(c.path, c.added, c.deleted) for c in found.commits[1].files_changed}
    assert changes == {("a.py", 1, 1), ("b.py", 1, 0)}
    assert b"people.test" not in pickle.dumps(found)
    assert "+3" in found.diffs[1].text


def test_renames_are_not_guessed(repo: Repo) -> None:
    repo.commit({"old.py": "same\n" * 20})
    repo.git("mv", "old.py", "new.py")
    repo.commit({}, at=START + HOUR)
    changes = {c.path: (c.added, c.deleted) for c in read(repo).commits[0].files_changed}
    assert changes == {"new.py": (20, 0), "old.py": (0, 20)}


def test_messages_and_names_cannot_pass_for_something_else(repo: Repo) -> None:
    other = "0" * 40
    name = "tab\there\n" + other + "\n9\t9\tfake.py"
    sha = repo.commit(
        {name: "x\n"}, f"Hello\n\n{other}\n7\t7\tforged.py\n\nauthor Eve <eve@x> 0 +0000"
    )
    found = read(repo, sha)
    (commit,) = found.commits
    assert [(c.path, c.added) for c in commit.files_changed] == [(name, 1)]
    assert commit.author == "author-1"
    assert commit.at == START
    assert [each.path for each in found.files] == [name]


def test_merges_are_told_without_changes(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"b.py": "1\n"}, "Side", at=START + HOUR)
    repo.git("checkout", "-q", "main")
    repo.commit({"c.py": "1\n"}, "Main", at=START + HOUR)
    repo.git("merge", "-q", "--no-ff", "-m", "Both", "side", at=START + 2 * HOUR)
    found = read(repo)
    assert [each.merge for each in found.commits].count(True) == 1
    assert found.commits[0].files_changed == ()
    assert found.branch_count == 2


def test_an_earlier_commit(repo: Repo) -> None:
    first = repo.commit({"a.py": "1\n"})
    repo.commit({"a.py": "2\n"}, at=START + HOUR)
    found = read(repo, first)
    assert found.file("a.py").text == "1\n"  # type: ignore[union-attr]
    assert found.commit_count == 1


@pytest.mark.parametrize("sha", ["f" * 40, "main", "HEAD", "--all", ""])
def test_a_commit_that_is_not_there(repo: Repo, sha: str) -> None:
    repo.commit({"a.py": "1\n"})
    if not sha:
        return
    with pytest.raises(RepoError) as caught:
        read(repo, sha)
    assert caught.value.code == "COMMIT_UNAVAILABLE"


def test_a_tree_is_no_commit(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    with pytest.raises(RepoError) as caught:
        read(repo, repo.git("rev-parse", "HEAD^{tree}"))
    assert caught.value.code == "COMMIT_UNAVAILABLE"


def test_a_repository_without_commits(repo: Repo) -> None:
    with pytest.raises(RepoError) as caught:
        read(repo)
    assert caught.value.code == "REPO_EMPTY"


def test_large_files_are_named_only(repo: Repo) -> None:
    repo.commit({"big.py": "x = 1\n" * 1000, "small.py": "x = 1\n"})
    found = read(repo, limits=Limits(file_bytes=500))
    assert found.skipped == (Skipped("big.py", "too_large"),)
    big = found.file("big.py")
    assert big is not None
    assert (big.text, big.size) == (None, 6000)


def test_text_is_read_up_to_a_limit(repo: Repo) -> None:
    repo.commit({"a.py": "a" * 400, "b.py": "b" * 400, "c.py": "c" * 100})
    found = read(repo, limits=Limits(text_bytes=600))
    assert [each.path for each in found.files if each.text] == ["a.py", "c.py"]
    assert found.skipped == (Skipped("b.py", "too_much_text"),)


def test_only_the_newest_commits(repo: Repo) -> None:
    for at in range(5):
        repo.commit({"a.py": f"{at}\n"}, f"Number {at}", at=START + at * HOUR)
    found = read(repo, limits=Limits(commits=2))
    assert [each.message for each in found.commits] == ["Number 4", "Number 3"]
    assert found.commit_count == 5
    assert "Read the newest 2 of 5 commits." in found.notes


def test_the_same_twice(repo: Repo) -> None:
    repo.commit({"a.py": "1\n"})
    assert read(repo) == read(repo)
    assert pickle.loads(pickle.dumps(read(repo))) == read(repo)


def test_a_linked_work_tree_and_a_bare_one(repo: Repo, tmp_path: Path) -> None:
    sha = repo.commit({"a.py": "1\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    for name in ("linked", "bare.git"):
        assert snapshot_of_path(tmp_path / name, root=tmp_path).sha == sha


def test_packed_objects_and_references(repo: Repo) -> None:
    sha = repo.commit({"a.py": "1\n"})
    repo.git("gc", "-q")
    assert read(repo).sha == sha


def test_a_checked_out_commit_and_another_hash(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "a")
    first = repo.commit({"a.py": "1\n"})
    repo.commit({"a.py": "2\n"}, at=START + HOUR)
    repo.git("checkout", "-q", first)
    assert read(repo).sha == first
    wide = Repo.__new__(Repo)
    wide.folder = tmp_path / "b"
    wide.folder.mkdir()
    wide.git("init", "-q", "-b", "main", "--object-format=sha256")
    sha = wide.commit({"a.py": "1\n"})
    assert len(sha) == 64
    found = read(wide)
    assert found.sha == sha
    assert found.commits[0].files_changed[0].added == 1
