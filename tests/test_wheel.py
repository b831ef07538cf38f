"""What a wheel holds: the console's assets, or a clear word that they could not be fetched."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.delenv("TABLEWRIGHT_NO_ASSETS", raising=False)
    return module


def test_assets_that_are_there_are_not_fetched(hook: ModuleType, tmp_path: Path) -> None:
    hook.MANIFEST = tmp_path / "manifest.json"
    hook.MANIFEST.write_text("{}")
    assert hook.fetch_assets() is None


def test_a_wheel_built_without_npm_names_what_is_missing(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook.MANIFEST = tmp_path / "manifest.json"
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = hook.fetch_assets()
    assert problem == "there is no npm 7 or newer on this machine"
    text = hook.NO_ASSETS.format(reason=problem)
    assert "make assets" in text
    assert "503" in text


def test_a_source_distribution_holds_what_fetching_needs() -> None:
    listed = (ROOT / "pyproject.toml").read_text()
    sdist = listed.partition("[tool.hatch.build.targets.sdist]")[2].partition("[tool.")[0]
    for name in ("package.json", "package-lock.json", "requirements", "hatch_build.py"):
        assert f'"{name}"' in sdist
