"""The repositories that come with the program: stories, and what git makes of them."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha1
from pathlib import Path

import pytest

from tablewright.systems.vibejudge.live_demo.repositories import build, place_of, projects, story
from tablewright.systems.vibejudge.live_demo.stories import Step, Story, StoryError, read_story
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access
from tablewright.systems.vibejudge.repos.reading import snapshot_of_url
from tablewright.systems.vibejudge.rules.minhash import alike, fingerprint

#: A whole demo, with all that it needs, is small.
MOST_BYTES = 300_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("demo") / "repos"
    build(made)
    return made


# --- objects of git, by hand ---------------------------------------------------------------------


def _hashed(kind: str, body: bytes) -> str:
    return sha1(f"{kind} {len(body)}".encode() + b"\0" + body, usedforsecurity=False).hexdigest()


def _tree(files: dict[str, str]) -> str:
    """The hash of a folder, made of those of its files and folders."""
    entries: list[tuple[str, str, str]] = []
    inner: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        name, _, rest = path.partition("/")
        if rest:
            inner.setdefault(name, {})[rest] = text
        else:
            entries.append((name, "100644", _hashed("blob", text.encode())))
    # Git sorts a folder as if its name ended in a slash.
    entries += [(f"{name}/", "40000", _tree(held)) for name, held in inner.items()]
    body = b"".join(
        f"{mode} {name.rstrip('/')}".encode() + b"\0" + bytes.fromhex(value)
        for name, mode, value in sorted(entries, key=lambda each: each[0].encode())
    )
    return _hashed("tree", body)


def _commit(step: Step, files: dict[str, str], parent: str | None) -> str:
    who = f"{step.author.name} <{step.author.email}> {int(step.at.timestamp())} +0000"
    lines = [f"tree {_tree(files)}", *([f"parent {parent}"] if parent else [])]
    lines += [f"author {who}", f"committer {who}", "", step.message]
    return _hashed("commit", "\n".join(lines).encode())


def _head(told: Story) -> str:
    head, so_far = None, Story(told.project)
    for step in told.steps:
        so_far.steps.append(step)
        head = _commit(step, so_far.files(), head)
    assert head is not None
    return head


def _heads(folder: Path) -> dict[str, str]:
    return {
        each: (place_of(folder, each) / "refs" / "heads" / "main").read_text().strip()
        for each in projects()
    }


# --- building ------------------------------------------------------------------------------------


def test_commits_are_the_same_on_every_machine(folder: Path) -> None:
    """Their hashes follow from the stories alone; git of this machine has no say in them."""
    assert _heads(folder) == {each: _head(story(each)) for each in projects()}


def test_git_finds_them_whole(folder: Path) -> None:
    for each in projects():
        command = ["git", "-C", str(place_of(folder, each)), "fsck", "--strict", "--no-dangling"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), each


def test_what_is_there_is_left_alone_and_what_is_not_is_made(folder: Path) -> None:
    before = {each: place_of(folder, each).stat().st_ino for each in projects()}
    gone, changed, *_ = projects()
    os.rename(place_of(folder, gone), folder / "elsewhere")
    (place_of(folder, changed) / "made-of").write_text("an older story")
    build(folder)
    after = {each: place_of(folder, each).stat().st_ino for each in projects()}
    assert {each for each in projects() if before[each] != after[each]} == {gone, changed}
    assert _heads(folder)[gone] == _head(story(gone))


def test_several_may_build_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, [tmp_path / "repos"] * 4))
    assert sorted(each.name for each in (tmp_path / "repos").iterdir()) == sorted(
        f"{each}.git" for each in projects()
    ), "and nothing else is left"


def test_it_is_small() -> None:
    import tablewright.systems.vibejudge.live_demo as package

    whole = sum(each.stat().st_size for each in Path(package.__path__[0]).rglob("*.story"))
    assert whole < MOST_BYTES


# --- what they are -------------------------------------------------------------------------------


def test_they_differ_and_one_is_mostly_another(folder: Path) -> None:
    access = Access(bundled_root=folder)
    prints = {
        each: fingerprint(snapshot_of_url(str(place_of(folder, each)), access=access))
        for each in projects()
    }
    assert [(each.first, each.second) for each in alike(prints)] == [("shoreshare", "toolshed")]


def test_only_they_can_be_read(folder: Path, tmp_path: Path) -> None:
    """The folder of the demo opens no other path of the machine."""
    access = Access(bundled_root=folder)
    build(tmp_path / "other")
    (folder / "sly.git").symlink_to(tmp_path / "other" / "toolshed.git")
    for path in (
        tmp_path / "other" / "toolshed.git",
        folder / ".." / ".." / "other" / "toolshed.git",
        folder / "sly.git",
    ):
        with pytest.raises(RepoError, match=r"https|below"):
            snapshot_of_url(str(path), access=access)


def test_no_key_lies_open_in_the_stories() -> None:
    """They are told in two halves: a search for keys finds none in the files of this program."""
    import tablewright.systems.vibejudge.live_demo as package

    text = (Path(package.__path__[0]) / "projects" / "snackchain.story").read_text()
    whole = "\n".join(story("snackchain").files().values())
    for begin in ("AKIA", "sk_live_"):
        assert f"{begin}~|~" in text
        assert begin in whole
    assert "~|~" not in whole


# --- stories -------------------------------------------------------------------------------------

_BEGIN = "@@ project p\n@@ author a Ada L <a@p.example>\n@@ commit 2026-09-18 18:00 a\nFirst\n"


def _read(text: str) -> Story:
    return read_story(_BEGIN + text, {"other": {"x.py": "x = 1\n"}}.__getitem__)


def test_a_story_is_read() -> None:
    told = _read(
        "\nWhy.\n\n@@ file a.py\none = 1\ntwo = 2\n\n\n@@ file b.py\n@@ take other x.py as c.py\n"
        "@@ commit 2026-09-18 19:30 a\nSecond\n@@ edit a.py\none = \n@@ into\none = 1 + \n"
        "@@ delete b.py\n"
    )
    first, second = told.steps
    assert first.message == "First\n\nWhy.\n"
    assert first.changes == {"a.py": "one = 1\ntwo = 2\n", "b.py": "\n", "c.py": "x = 1\n"}
    assert second.changes == {"a.py": "one = 1 + 1\ntwo = 2\n", "b.py": None}
    assert told.files() == {"a.py": "one = 1 + 1\ntwo = 2\n", "c.py": "x = 1\n"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("@@ wish a.py\n", "line 5: nobody knows what @@ wish is"),
        ("@@ file a.py\na a\n@@ edit a.py\na\n@@ into\nb\n", "line 9: a.py has that text 2 times"),
        ("@@ edit a.py\na\n@@ into\nb\n", "a.py"),
        ("@@ into\nb\n", "no edit"),
        ("@@ commit 2026-09-18 18:00 b\nBy nobody\n", "'b'"),
        ("@@ commit yesterday a\nLate\n", "a day, a time and an author"),
        ("@@ take nobody x.py as x.py\n", "nobody"),
    ],
)
def test_a_story_that_cannot_be_told_says_where(text: str, said: str) -> None:
    with pytest.raises(StoryError, match=said):
        _read(text)
