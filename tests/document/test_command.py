"""`tablewright document`, and the documents that are committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.cli.document import document
from tablewright.cli.documenting import rendered
from tablewright.cli.models import find_model
from tablewright.cli.terminal import Failure
from tablewright.systems import NAMES

CORNERS = "tests.deploy.templates.corners:model"
SYSTEMS = Path(__file__).resolve().parents[2] / "docs" / "systems"


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_documents_are_what_the_models_say(name: str) -> None:
    """If this fails: tablewright document NAME --out docs/systems/NAME.md"""
    for path, text in rendered(find_model(name), "markdown", SYSTEMS / f"{name}.md").items():
        assert path.read_text(encoding="utf-8") == text, path


def test_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    document(CORNERS)
    text = capsys.readouterr().out
    assert text.startswith("# The data model of corners\n")
    assert ".svg" not in text
    document(CORNERS, format="svg")
    assert capsys.readouterr().out.startswith("<svg ")
    document(CORNERS, format="mermaid")
    assert capsys.readouterr().out.startswith("erDiagram\n")


def test_into_files_that_are_up_to_date(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "corners.md"
    document(CORNERS, out=out)
    assert "![Entities, keys, indexes and patterns of corners](corners.svg)" in out.read_text()
    assert out.with_suffix(".svg").read_text().startswith("<svg ")
    document(CORNERS, out=out, check=True)
    assert "up to date" in capsys.readouterr().out


def test_a_stale_file_is_found_and_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "corners.md"
    document(CORNERS, out=out)
    changed = out.read_text().replace("One account.", "Another account.")
    out.write_text(changed)
    with pytest.raises(SystemExit) as ended:
        document(CORNERS, out=out, check=True)
    assert ended.value.code == 1
    said = capsys.readouterr().out
    assert "Another account." in said
    assert f"--out {out}" in said
    assert out.read_text() == changed
    out.with_suffix(".svg").unlink()
    with pytest.raises(SystemExit):
        document(CORNERS, out=out, check=True)
    assert "corners.svg differs" in capsys.readouterr().out


def test_check_needs_a_file() -> None:
    with pytest.raises(Failure, match="--check needs --out"):
        document(CORNERS, check=True)
    with pytest.raises(Failure, match="is no model"):
        document("nothing")
