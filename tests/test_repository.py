"""What has to hold for the repository as a whole, whatever the code does."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import tablewright

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))

# Written in pieces, so that this file does not find itself.
REGISTRY_HOSTS = [
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "registry.npm" + "js.org",
    "registry.yarn" + "pkg.com",
]


def tracked_files() -> list[Path]:
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    paths = (ROOT / name.decode() for name in listing.stdout.split(b"\0") if name)
    return [path for path in paths if path.is_file()]


def load_installer() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install", ROOT / "requirements" / "install.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_file_names_a_package_registry() -> None:
    found = [
        (path.relative_to(ROOT).as_posix(), host)
        for path in tracked_files()
        for host in REGISTRY_HOSTS
        if host.encode() in path.read_bytes()
    ]
    assert found == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_locked_requirement_has_a_hash_and_no_address(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    assert not re.search(r"^--", text, re.MULTILINE), "an option such as --index-url"
    requirements = re.findall(r"^[a-zA-Z0-9].*(?:\n    --hash=.*)*", text, re.MULTILINE)
    assert requirements
    assert [line for line in requirements if "--hash=sha256:" not in line] == []


def locked_names(name: str) -> set[str]:
    text = (ROOT / "requirements" / name).read_text()
    return set(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))


def names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", requirement) for requirement in requirements)
    return {match[0].lower().replace("_", "-") for match in found if match}


def test_the_locks_hold_what_the_project_asks_for() -> None:
    core = names(PROJECT["project"]["dependencies"])
    extras = PROJECT["project"]["optional-dependencies"]
    assert core <= locked_names("core.txt")
    assert core | names(extras["aws"]) | names(extras["dev"]) <= locked_names("dev.txt")
    assert locked_names("core.txt") <= locked_names("dev.txt")


def test_one_version_everywhere() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", tablewright.__version__)
    changelog = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", changelog, re.MULTILINE)
    assert released[0] == tablewright.__version__


def test_the_layers_hold() -> None:
    checked = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_wheel_ships_the_type_marker_and_the_entry_points(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert tablewright.__version__ in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        members = set(archive.namelist())
        (entry_points,) = [name for name in members if name.endswith("entry_points.txt")]
        declared = archive.read(entry_points).decode()
    assert "tablewright/py.typed" in members
    assert "tablewright = tablewright.cli:main" in declared
    assert "tablewright = tablewright.testing.plugin" in declared


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text()
    pages = sorted(path.name for path in folder.glob("0*.md"))
    assert pages
    assert sorted(re.findall(r"\((0\d+-[a-z0-9-]+\.md)\)", index)) == pages


def test_links_between_the_documents_lead_somewhere() -> None:
    broken = []
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*/README.md")]:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target and not (page.parent / target).exists():
                broken.append((page.name, target))
    assert broken == []


class TestInstaller:
    """pip's configuration, handed on to uv."""

    def test_stronger_sections_win(self) -> None:
        settings = load_installer().pip_settings(
            "global.index-url='https://one.example/simple'\n"
            "install.index-url='https://two.example/simple'\n"
            ":env:.index-url='https://three.example/simple'\n"
            "global.extra-index-url='https://a.example https://b.example'\n"
            "global.find-links='\\n/wheels\\n/more'\n"
            "freeze.timeout='10'\n"
        )
        assert settings["index-url"] == "https://three.example/simple"
        assert settings["extra-index-url"] == "https://a.example https://b.example"
        assert settings["find-links"].split() == ["/wheels", "/more"]
        assert "timeout" not in settings

    def test_uv_is_told_in_its_own_words(self) -> None:
        settings = {
            "index-url": "https://one.example/simple",
            "extra-index-url": "https://a.example  https://b.example",
            "find-links": "/wheels /more",
            "cert": "/ca.pem",
        }
        told = load_installer().uv_environment(settings, {"HOME": "/home/x"})
        assert told["UV_DEFAULT_INDEX"] == "https://one.example/simple"
        assert told["UV_INDEX"] == "https://a.example https://b.example"
        assert told["UV_FIND_LINKS"] == "/wheels,/more"
        assert told["SSL_CERT_FILE"] == "/ca.pem"
        assert told["UV_PYTHON_DOWNLOADS"] == "never"
        assert told["HOME"] == "/home/x"

    def test_what_was_set_for_uv_itself_stays(self) -> None:
        base = {"UV_DEFAULT_INDEX": "https://mine.example/simple"}
        told = load_installer().uv_environment({"index-url": "https://pip.example"}, base)
        assert told["UV_DEFAULT_INDEX"] == "https://mine.example/simple"

    def test_nothing_is_invented_without_configuration(self) -> None:
        told = load_installer().uv_environment({}, {})
        assert set(told) == {"UV_PYTHON_DOWNLOADS", "UV_INDEX_STRATEGY"}
