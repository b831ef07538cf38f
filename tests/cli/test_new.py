"""`tablewright new`: a project that works at once, and clear words where there can be none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tablewright.cli.main import run
from tablewright.cli.new import make_project

SOURCE = Path(__file__).resolve().parents[2] / "src"
#: As long as a name may be, so that no line gets too long.
LONG = "a-shop-with-a-name-as-long-as-it-may-be9"


def called(*words: str) -> int:
    try:
        run(["new", *words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def inside(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A tool, as somebody runs it in the project's folder, with us on the path."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "NO_COLOR": "1"}
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_its_own_tests_pass(tmp_path: Path) -> None:
    make_project("order-book", tmp_path / "it")
    # As in an environment that has tablewright and pytest alone.
    plugins = ("--disable-plugin-autoload", "-p", "tablewright.testing.plugin")
    done = inside(tmp_path / "it", "pytest", "-q", "-p", "no:cacheprovider", *plugins)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^1[0-9] passed", done.stdout, re.MULTILINE)


def test_review_finds_nothing_and_ruff_changes_nothing(tmp_path: Path) -> None:
    make_project(LONG, tmp_path / "it")
    package = LONG.replace("-", "_")
    done = inside(tmp_path / "it", "tablewright", "review", f"{package}.model:model", "--json")
    assert (done.returncode, '"findings": []' in done.stdout) == (0, True), done.stdout
    for words in (("format", "--check"), ("check",)):
        done = inside(tmp_path / "it", "ruff", *words, ".")
        assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_every_tool_works_on_it(tmp_path: Path) -> None:
    folder = tmp_path / "it"
    make_project("shop", folder)
    model = "shop.model:model"
    for words in (
        ("tablewright", "plan", model),
        ("tablewright", "document", model, "--out", "model.md"),
        ("tablewright", "template", model, "--out", "template.yaml"),
        ("tablewright", "tables", "setup", model, "--data", "data"),
        ("tablewright", "demo", model, "--data", "data"),
        ("mypy", "--strict"),
    ):
        done = inside(folder, *words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
    lint = [Path(sys.executable).with_name("cfn-lint"), "template.yaml"]
    assert subprocess.run(lint, cwd=folder, check=False).returncode == 0
    assert "Shop" in (folder / "template.yaml").read_text()
    assert "orders_of_customer" in (folder / "model.md").read_text()


@pytest.mark.slow
def test_the_makefile_and_the_readme_say_what_works(tmp_path: Path) -> None:
    folder = tmp_path / "it"
    make_project("shop", folder)
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for target in ("help", "check", "test", "review", "plan", "document", "template", "tables"):
        done = subprocess.run(
            ["make", target], cwd=folder, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, (target, done.stdout, done.stderr)
    (program,) = re.findall(
        r"^```python\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S
    )
    (folder / "used.py").write_text(program)
    assert inside(folder, "used").returncode == 0


def test_what_was_made_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert called("shop") == 0
    told = capsys.readouterr().out
    assert "made shop: 11 files" in told
    assert "tablewright explore shop.model:model" in told
    made = {
        each.relative_to("shop").as_posix() for each in Path("shop").rglob("*") if each.is_file()
    }
    assert made >= {
        ".github/workflows/ci.yml",
        ".gitignore",
        "Makefile",
        "README.md",
        "pyproject.toml",
        "shop/demo.py",
        "shop/model.py",
        "tests/test_design.py",
        "tests/test_patterns.py",
    }
    assert not any("@@" in (Path("shop") / each).read_text() for each in made)


def test_an_empty_folder_is_fine(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert called("shop", "--folder", str(tmp_path / "there")) == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Shop", "'Shop' cannot be the name of a project"),
        ("9lives", "cannot be the name"),
        ("a--b", "cannot be the name"),
        ("a b", "cannot be the name"),
        ("../shop", "cannot be the name"),
        ("", "cannot be the name"),
        (f"{LONG}x", "cannot be the name"),
        ("class", "has a module class"),
        ("json", "has a module json"),
        ("tablewright", "has a module tablewright"),
        ("tests", "has a module tests"),
    ],
)
def test_names_that_cannot_be(
    name: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called(name, "--folder", str(tmp_path / "it")) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "it").exists()


def test_what_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine")
    assert called("shop", "--folder", str(tmp_path)) == 2
    assert "is not empty: there is mine" in capsys.readouterr().err
    assert called("shop", "--folder", str(tmp_path / "mine")) == 2
    assert "is a file" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_place_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert called("shop", "--folder", str(tmp_path / "file" / "inside")) == 2
    assert "cannot be" in capsys.readouterr().err
