"""Pytest inside of pytest leaves behind what it has imported, and nothing of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.remembering import Remembering

pytest_plugins = ["pytester", "tests.remembering"]
OURS = "import installed_for_all, of_the_run\n\ndef test_it(): ..."


@pytest.fixture(autouse=True)
def left_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Looks after everything else has been torn down."""
    elsewhere: Path = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "installed_for_all.py").write_text("")
    monkeypatch.syspath_prepend(elsewhere)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    yield
    assert not {"test_inside", "of_the_run"} & set(sys.modules)
    assert sys.modules.pop("installed_for_all", None) is not None


def test_what_is_imported_inside_stays_imported(
    remembering: Remembering, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(test_inside=OURS, of_the_run="")
    pytester.inline_run(plugins=[remembering]).assertoutcome(passed=1)
