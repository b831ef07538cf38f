"""Peers that are fetched: once, whole, or with the reason why not."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from benchmarks.engine.servers import Unavailable, _fetched, dynalite, dynamodb_local


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TABLEWRIGHT_BENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_nobody_sees_a_part_of_what_another_one_fetches(cache: Path) -> None:
    together = threading.Barrier(3)

    def fetch(folder: Path) -> None:
        (folder / "first").write_text("x")
        together.wait(10)
        (folder / "last").write_text("x")

    def come(_: int) -> Path:
        found = _fetched("peer", "first", fetch)
        assert sorted(each.name for each in found.iterdir()) == ["first", "last"]
        return found

    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(come, range(3))) == {cache / "peer"}
    assert [each.name for each in cache.iterdir()] == ["peer"]


def test_what_is_there_is_not_fetched_again() -> None:
    _fetched("peer", "first", lambda folder: (folder / "first").touch())
    _fetched("peer", "first", lambda folder: pytest.fail("again"))


def test_a_folder_that_lacks_it_is_named(cache: Path) -> None:
    (cache / "peer" / "other").mkdir(parents=True)
    with pytest.raises(Unavailable, match=r"peer has no first"):
        _fetched("peer", "first", lambda folder: None)


@pytest.mark.parametrize("peer", [dynamodb_local, dynalite])
def test_a_machine_without_its_programs_is_told(
    peer: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="not installed"):
        peer(1)  # type: ignore[operator]
