"""Which folders a model is taken from, and what its checksum tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.systems.sentiment.analysers.folders import (
    MAX_FILES,
    BadModel,
    checksum,
    files_in,
    folder_below,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "models"
    (made / "mine" / "deep").mkdir(parents=True)
    (made / "mine" / "config.json").write_text("{}")
    (made / "mine" / "deep" / "vocab.txt").write_text("a b c")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("secret")
    return made


def told(folder: Path, root: Path) -> str:
    return checksum(folder, files_in(folder, root))


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "../elsewhere",
        "mine/../../elsewhere",
        "mine/../..",
        "/etc",
        "none",
        "mine/config.json",
        "mine\0",
        "x" * 5000,
        "~",
    ],
)
def test_only_a_folder_below_the_root_will_do(root: Path, path: str) -> None:
    with pytest.raises(BadModel, match="there is no folder"):
        folder_below(root, path)


def test_the_way_to_a_folder_does_not_matter(root: Path) -> None:
    expected = (root / "mine").resolve()
    assert folder_below(root, "mine") == expected
    assert folder_below(root, "mine/deep/..") == expected
    assert folder_below(root, str(root / "mine")) == expected


def test_links_are_followed_before_it_is_decided(root: Path) -> None:
    (root / "out").symlink_to(root.parent / "elsewhere")
    (root / "loop").symlink_to("loop")
    (root / "same").symlink_to("mine")
    for path in ("out", "loop"):
        with pytest.raises(BadModel, match="there is no folder"):
            folder_below(root, path)
    assert folder_below(root, "same") == (root / "mine").resolve()


def test_without_a_root_there_are_no_folders(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match="models_folder"):
        folder_below(None, "mine")
    with pytest.raises(BadModel, match="there is no folder"):
        folder_below(tmp_path / "none", "mine")


def test_files_may_be_links_inside_of_the_root_only(root: Path) -> None:
    mine = root / "mine"
    (root / "blob").write_text("a b c")
    (mine / "inside").symlink_to("../blob")
    assert {each.name for each in files_in(mine, root)} == {"config.json", "vocab.txt", "inside"}
    (mine / "outside").symlink_to(root.parent / "elsewhere" / "secret.txt")
    with pytest.raises(BadModel, match="outside of the folder"):
        files_in(mine, root)


def test_a_folder_without_files_or_with_too_many_is_none(root: Path) -> None:
    (root / "empty" / "inner").mkdir(parents=True)
    with pytest.raises(BadModel, match="empty"):
        files_in(root / "empty", root)
    for number in range(MAX_FILES + 1):
        (root / "empty" / str(number)).touch()
    with pytest.raises(BadModel, match="more than"):
        files_in(root / "empty", root)


def test_a_link_that_leads_nowhere_is_refused(root: Path) -> None:
    (root / "mine" / "gone").symlink_to("nothing")
    with pytest.raises(BadModel, match="neither a file nor a folder"):
        files_in(root / "mine", root)


def test_the_checksum_is_of_names_and_contents(root: Path) -> None:
    mine, before = root / "mine", told(root / "mine", root)
    seen = {before}
    mine.rename(root / "renamed")
    assert told(root / "renamed", root) == before
    (root / "renamed").rename(mine)
    for change in (
        lambda: (mine / "config.json").write_text("{ }"),
        lambda: (mine / "deep" / "vocab.txt").rename(mine / "vocab.txt"),
        lambda: (mine / "new").touch(),
        lambda: (mine / "new").unlink() or (mine / "vocab.txt").unlink(),
    ):
        change()
        assert told(mine, root) not in seen
        seen.add(told(mine, root))


def test_what_moves_between_files_is_seen(tmp_path: Path) -> None:
    """Contents are told apart from each other and from names."""
    found = set()
    for number, files in enumerate(({"a": "bc", "d": ""}, {"a": "b", "d": "c"}, {"ab": "c"})):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_text(content)
        found.add(told(folder, tmp_path))
    assert len(found) == 3
