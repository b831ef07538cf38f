"""Compiled modules: what is compiled, when they are taken, and wheels that hold them."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tablewright import native

ROOT = Path(__file__).resolve().parents[1]


def builder() -> Any:
    """The script that compiles."""
    sys.path.insert(0, str(ROOT / "requirements"))
    try:
        return importlib.import_module("native")
    finally:
        sys.path.remove(str(ROOT / "requirements"))


def test_every_line_of_what_is_compiled_names_something() -> None:
    script = builder()
    assert [pattern for pattern in script.MODULES if not list(script.PACKAGE.glob(pattern))] == []
    assert not [path for path in script.modules() if path.name == "__init__.py"]


class TestChanged:
    @pytest.fixture
    def manifest(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A package of one source, as it was when it was compiled."""
        monkeypatch.setattr(native, "_HERE", str(tmp_path))
        source = tmp_path / "values.py"
        source.write_text("one = 1\n")
        stamp = source.stat()
        manifest = tmp_path / "native.json"
        sources = {"values.py": (stamp.st_mtime_ns, stamp.st_size)}
        manifest.write_text(json.dumps({"digest": "", "sources": sources}))
        return manifest

    def test_sources_that_are_as_they_were(self, manifest: Path) -> None:
        assert not native._changed()

    def test_an_installed_package_does_not_say(self, manifest: Path) -> None:
        manifest.unlink()
        assert not native._changed()

    def test_another_text(self, manifest: Path) -> None:
        manifest.with_name("values.py").write_text("one = 2 \n")
        assert native._changed()

    def test_another_time(self, manifest: Path) -> None:
        os.utime(manifest.with_name("values.py"), (1, 1))
        assert native._changed()

    def test_a_source_that_is_gone(self, manifest: Path) -> None:
        manifest.with_name("values.py").unlink()
        assert native._changed()

    @pytest.mark.parametrize("text", ["", "{", "{}", "[]", '{"sources": {"values.py": 1}}'])
    def test_a_manifest_that_cannot_be_read(self, manifest: Path, text: str) -> None:
        manifest.write_text(text)
        assert native._changed()


PROGRAM = """
from tablewright.engine import Engine, pending
from tablewright.native import compiled
with Engine.memory() as each:
    assert each.call("ListTables", {}) == {"TableNames": []}
print(compiled(), pending.__file__.endswith(".py"))
"""


def asked(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_sources_are_taken_where_that_is_asked_for() -> None:
    assert asked(TABLEWRIGHT_PURE="1") == ["False", "True"]


def test_all_modules_are_taken_from_one_place() -> None:
    compiled, from_sources = asked(TABLEWRIGHT_PURE="")
    assert compiled != from_sources


@pytest.mark.slow
def test_a_wheel_with_compiled_modules_runs_without_its_sources(tmp_path: Path) -> None:
    if (reason := builder().missing()) is not None:
        pytest.skip(reason)
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "TABLEWRIGHT_NATIVE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert "none-any" not in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    # The checkout comes behind the wheel on the path, because it is installed by a `.pth` file.
    assert asked(PYTHONPATH=str(tmp_path / "installed"), TABLEWRIGHT_PURE="") == ["True", "False"]
